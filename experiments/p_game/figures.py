"""The figure of P-games: failure rate of the root move against iterations, both logarithmic."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from experiments.p_game.summary import summary_of
from numerics.output import tables
from numerics.output.style import caption, files, line_style, number, page, plain, ticks

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

_LEAST = 1e-3  # the lowest rate that the axis shows


def draw(folder: Path, facts: Mapping[str, Any]) -> list[Path]:
    """Draw the failure rates of a run folder, a panel for each size."""
    summary = summary_of(tables.read(folder / "failures.parquet"))
    place = folder / "figures" / "failures"
    sizes = list(dict.fromkeys(zip(summary["branching"], summary["depth"], strict=True)))
    with page(place, (1.2 + 4.4 * len(sizes), 4.6)) as figure:
        panels = np.atleast_1d(figure.subplots(1, len(sizes), sharey=True))
        for axes, (branching, depth) in zip(panels, sizes, strict=True):
            draw_failures(axes, summary[(summary["branching"] == branching) & (summary["depth"] == depth)])
    return files(place)


def draw_failures(axes: Axes, summary: pd.DataFrame) -> None:
    """Draw one line a method with the band of its 95 % interval; a line ends where no wrong move was seen.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        Where to draw.
    summary : pandas.DataFrame
        The rows of one size, as `experiments.p_game.summary.summary_of` returns them.
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
