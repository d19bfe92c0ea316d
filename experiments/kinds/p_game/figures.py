"""The figure of P-games: failure rate of the root move against iterations, both logarithmic."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from experiments.kinds.p_game.searches import summary_of
from numerics.output.figures import Caption, Facts, Figure
from numerics.output.style import estimates, line_style, number, plain, ticks

if TYPE_CHECKING:
    import matplotlib.figure
    import pandas as pd
    from matplotlib.axes import Axes

_STEP = 0.16  # doublings from an error bar to that of the next line
_LEAST = 1e-3  # the lowest rate that the axis shows


def _sizes(failures: pd.DataFrame) -> list[tuple[int, int]]:
    return list(dict.fromkeys(zip(failures["branching"], failures["depth"], strict=True)))


def draw(failures: pd.DataFrame, figure: matplotlib.figure.Figure, facts: Facts) -> None:
    """Draw the failure rates, a panel for each size of trees."""
    summary = summary_of(failures)
    sizes = _sizes(summary)
    panels = np.atleast_1d(figure.subplots(1, len(sizes), sharey=True))
    for axes, (branching, depth) in zip(panels, sizes, strict=True):
        of_size = summary[(summary["branching"] == branching) & (summary["depth"] == depth)]
        draw_failures(of_size, axes).write(axes)


def draw_failures(summary: pd.DataFrame, axes: Axes) -> Caption:
    """Draw one line a method with error bars of 95 %; a triangle is the upper end where no wrong move was seen.

    Parameters
    ----------
    summary : pandas.DataFrame
        The rows of one size, as `experiments.kinds.p_game.searches.summary_of` returns them.
    axes : matplotlib.axes.Axes
        Where to draw.
    """
    methods = list(dict.fromkeys(summary["method"]))
    for index, method in enumerate(methods):
        of_method = summary[summary["method"] == method]
        rate, low, high = estimates(of_method, "rate")
        beside = _STEP * (index - (len(methods) - 1) / 2.0)  # error bars of one number do not cover each other
        x = of_method["iterations"].to_numpy(np.float64) * 2.0**beside
        style, seen = line_style(index), rate > 0.0
        axes.plot(x[seen], rate[seen], label=str(method), linewidth=1.3, markersize=4.5, **style)
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
    plain(axes)
    ticks(axes.xaxis, first, last)
    ticks(axes.yaxis, _LEAST, 1.0)
    return Caption(f"{trees} random trees; bars: 95 % intervals{none}", title)


FIGURES = (
    Figure(
        "failures",
        "failures.parquet",
        draw,
        size=lambda failures, facts: (1.2 + 4.4 * len(_sizes(failures)), 4.6),
        panels=True,
    ),
)
