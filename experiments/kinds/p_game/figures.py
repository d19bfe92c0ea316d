"""The figure of P-games: failure rate of the root move against iterations, both logarithmic."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from experiments.kinds.p_game.summary import summary_of
from numerics.output import tables
from numerics.output.captions import caption
from numerics.output.style import files, line_style, number, page, plain, ticks

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

_STEP = 0.16  # doublings from an error bar to that of the next line
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
    """Draw one line a method with error bars of 95 %; a triangle is the upper end where no wrong move was seen.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        Where to draw.
    summary : pandas.DataFrame
        The rows of one size, as `experiments.kinds.p_game.summary.summary_of` returns them.
    """
    methods = list(dict.fromkeys(summary["method"]))
    for place, method in enumerate(methods):
        own = summary[summary["method"] == method]
        x, rate, low, high = (
            own[name].to_numpy(np.float64) for name in ("iterations", "rate", "rate_low", "rate_high")
        )
        x = x * 2.0 ** (_STEP * (place - (len(methods) - 1) / 2.0))  # error bars of one number do not cover each other
        style, seen = line_style(place), rate > 0.0
        label = str(method)
        axes.plot(x[seen], rate[seen], label=label, linewidth=1.3, markersize=4.5, **style)
        axes.vlines(x[seen], np.maximum(low[seen], _LEAST / 10.0), high[seen], color=style["color"], linewidth=0.9)
        axes.plot(x[~seen], high[~seen], "v", color=style["color"], markerfacecolor="white", markersize=5.0)
    first, last = float(summary["iterations"].min()), float(summary["iterations"].max())
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlim(0.75 * first, 1.33 * last)
    axes.set_ylim(_LEAST, 1.0)
    axes.set_xlabel("iterations (simulations; evaluations of alpha-beta)")
    axes.set_ylabel("share of wrong moves at the root")
    branching, depth = (int(summary[name].iloc[0]) for name in ("branching", "depth"))
    trees = number(int(summary["trees"].iloc[0]))
    none = "; triangle: none failed, upper end" if bool((summary["rate"] == 0.0).any()) else ""
    title = f"Trees of {branching} moves a position, {depth} deep"
    caption(axes, f"{trees} random trees; bars: 95 % intervals{none}", title=title)
    plain(axes)
    ticks(axes.xaxis, first, last)
    ticks(axes.yaxis, _LEAST, 1.0)
