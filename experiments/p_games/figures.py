"""The figure of P-games: failure rate of the root move against iterations, both logarithmic."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bandits.drawing import caption, line_style, number, plain, ticks

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

_LEAST = 1e-3  # the lowest rate that the axis shows


def draw_failures(axes: Axes, summary: pd.DataFrame) -> None:
    """Draw one line a method with the band of its 95 % interval; a line ends where no wrong move was seen.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        Where to draw.
    summary : pandas.DataFrame
        The rows of one size, as `experiments.p_games.run.summary_of` returns them.
    """
    for place, (method, own) in enumerate(summary.groupby("method", sort=False)):
        x, rate, low, high = (
            own[name].to_numpy(np.float64) for name in ("iterations", "rate", "rate_low", "rate_high")
        )
        style = line_style(place)
        axes.fill_between(x, np.maximum(low, _LEAST / 10.0), high, color=style["color"], alpha=0.14, linewidth=0)
        axes.plot(x, np.where(rate > 0.0, rate, np.nan), label=str(method), linewidth=1.4, markersize=3.8, **style)
    first, last = float(summary["iterations"].min()), float(summary["iterations"].max())
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlim(first, last)
    axes.set_ylim(_LEAST, 1.0)
    axes.set_xlabel("iterations (simulations; evaluations of alpha-beta)")
    axes.set_ylabel("failure rate of the root move")
    branching, depth = (int(summary[name].iloc[0]) for name in ("branching", "depth"))
    trees = number(int(summary["trees"].iloc[0]))
    caption(axes, f"B = {branching}, D = {depth}; {trees} trees; bands: 95 % intervals; a line ends where none failed")
    plain(axes)
    ticks(axes.xaxis, first, last)
    ticks(axes.yaxis, _LEAST, 1.0)
