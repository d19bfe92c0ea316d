"""Figures of root regret: a tree beside the two bandits that its root resembles at first and in the end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from experiments.kinds.root_regret.arms import EXACT, PLAYOUTS, TREE
from experiments.kinds.root_regret.tables import ALL, PLAYED, RIGHT, VALUES, WRONG, contenders
from numerics.output.captions import Caption, called, called_all, caption, fill
from numerics.output.figures import Facts, Figure
from numerics.output.style import SMALL, estimates, line_style, measured_width, number, plain, ticks, width

if TYPE_CHECKING:
    import matplotlib.figure
    import pandas as pd
    from matplotlib.axes import Axes

_ROWS = {
    "regret": "cumulative regret $L_n$",
    "simple_regret": "simple regret",
    "optimal_share": "simulations on\noptimal moves (%)",
    "recommended_optimal": "recommended move\nis optimal (%)",
}
_PERCENT = ("optimal_share", "recommended_optimal")
_KEY = 6.0  # of a legend's column beside its text, over the font size
_FEW = 10  # n from which long searches are drawn: until then every move has its first simulations
_GREY: dict[str, Any] = {"color": "0.45", "linewidth": 1.0}
_RANDOM, _LOGARITHM = (0, (4, 2)), ":"
_MOVES: dict[str, tuple[str, str, str | None]] = {  # dashes, label, and the marker's face where not that of the line
    "optimal_mean": ("-", "best playouts among optimal moves", None),
    "wrong_mean": ("--", "best playouts among moves that lose the value", "white"),
}


class Panel(NamedTuple):
    """A column of axes: one kind of arms, over a group of positions."""

    title: str
    arms: str
    group: str = ALL


_RIGHT, _WRONG = "playouts rank an optimal move first", "playouts rank a losing move first"
_TREE_AND_BANDIT = (
    Panel(f"Tree: {_RIGHT}", TREE, RIGHT),
    Panel(f"Bandit: {_RIGHT}", PLAYOUTS, RIGHT),
    Panel(f"Tree: {_WRONG}", TREE, WRONG),
    Panel(f"Bandit: {_WRONG}", PLAYOUTS, WRONG),
)
_KINDS = (
    Panel("Tree: the arms drift as it grows", TREE),
    Panel("Bandit that pays what playouts pay on average", PLAYOUTS),
    Panel("Bandit that pays the exact values", EXACT),
)
_MEANS = (
    Panel(f"Tree: {_RIGHT}", TREE, RIGHT),
    Panel(f"Tree: {_WRONG}", TREE, WRONG),
    Panel("Bandit of exact values", EXACT),
)


def _groups(positions: pd.DataFrame) -> dict[Any, pd.DataFrame]:
    return {ALL: positions, **dict(tuple(positions.groupby("group")))}


def _shown(panels: Sequence[Panel], positions: pd.DataFrame) -> list[Panel]:
    """Return the panels whose group holds positions."""
    return [panel for panel in panels if panel.group in _groups(positions)]


def _long(curves: pd.DataFrame) -> pd.DataFrame:
    """Return the curves without the first simulations, where they are long."""
    return curves[curves["n"] >= _FEW] if curves["n"].max() >= 10 * _FEW else curves


def size_of(
    curves: pd.DataFrame, positions: pd.DataFrame, facts: Facts, rows: Sequence[str], panels: Sequence[Panel]
) -> tuple[float, float]:
    """Return the width and height in inches for `draw`."""
    return 1.6 + 2.4 * len(_shown(panels, positions)), 1.6 + 2.5 * len(rows)


def draw(
    curves: pd.DataFrame,
    positions: pd.DataFrame,
    figure: matplotlib.figure.Figure,
    facts: Facts,
    *,
    title: str,
    rows: Sequence[str],
    panels: Sequence[Panel],
) -> Caption:
    """Draw one column of axes a panel, one row a measure, and one legend for all."""
    curves, groups, panels = _long(curves), _groups(positions), _shown(panels, positions)
    grid = figure.subplots(len(rows), len(panels), sharex=True, sharey="row", squeeze=False)
    for axes_of_row, measure in zip(grid, rows, strict=True):
        for axes, panel in zip(axes_of_row, panels, strict=True):
            _draw_panel(axes, panel, measure, curves[curves["group"] == panel.group], groups[panel.group])
        axes_of_row[0].set_ylabel(_ROWS[measure])
        if measure == "simple_regret":
            highest = max(float(np.max(line.get_ydata())) for axes in axes_of_row for line in axes.lines)
            axes_of_row[0].set_ylim(0.0, 1.05 * (highest or 1.0))
    for top, bottom, panel in zip(grid[0], grid[-1], panels, strict=True):
        caption(top, f"{panel.title}; {number(len(groups[panel.group]))} positions")
        bottom.set_xlabel("n, simulations")
    lines = [
        {"label": called(policy), "linewidth": 1.4, **line_style(index)}
        for index, policy in enumerate(dict.fromkeys(curves["policy"]))
    ]
    guides = {"moves at random": _RANDOM, "the shape of ln n": _LOGARITHM}
    lines += [{"label": label, "linestyle": dashes, **_GREY} for label, dashes in guides.items()]
    _legend_below(figure, lines)
    return Caption("Whiskers: 95 % intervals of the means over positions", title)


def draw_means(
    curves: pd.DataFrame, positions: pd.DataFrame, figure: matplotlib.figure.Figure, facts: Facts
) -> Caption:
    """Draw the means of two moves of each position: a row a panel, a column a policy."""
    curves, groups, panels = _long(curves), _groups(positions), _shown(_MEANS, positions)
    policies = list(dict.fromkeys(curves["policy"]))
    names = called_all(policies, 20)
    grid = figure.subplots(len(panels), len(policies), sharex=True, sharey=True, squeeze=False)
    for axes_of_row, panel in zip(grid, panels, strict=True):
        of_panel = curves[(curves["group"] == panel.group) & (curves["arms"] == panel.arms)]
        exact, playouts = (groups[panel.group][names].to_numpy(np.float64) for names in (VALUES, PLAYED))
        levels = contenders(exact if panel.arms == EXACT else playouts, exact, playouts)
        for index, (axes, policy) in enumerate(zip(axes_of_row, policies, strict=True)):
            of_policy, style = (
                of_panel[of_panel["policy"] == policy],
                {"color": line_style(index)["color"], "marker": "o"},
            )
            n = of_policy["n"].to_numpy(np.float64)
            for level, (name, (dashes, _, face)) in zip(levels, _MOVES.items(), strict=True):
                axes.axhline(float(level.mean()), linestyle=dashes, zorder=1.0, **_GREY)
                axes.plot(
                    n,
                    of_policy[name].to_numpy(np.float64),
                    markerfacecolor=face or style["color"],
                    markersize=3.6,
                    markevery=5,
                    linewidth=1.6,
                    linestyle=dashes,
                    **style,
                )
            _number_axis(axes, curves)
            axes.set_ylim(0.0, 1.0)
        caption(axes_of_row[0], panel.title)
        axes_of_row[0].set_ylabel("mean result")
    for top, bottom, policy in zip(grid[0], grid[-1], policies, strict=True):
        top.annotate(
            fill(names[policy], 0.95 * width(top), SMALL + 1.0),
            (1.0, 1.0),
            xycoords="axes fraction",
            xytext=(0.0, -4.0),
            textcoords="offset points",
            ha="right",
            va="top",
            fontsize=SMALL + 1.0,
            fontweight="bold",
        )
        bottom.set_xlabel("n, simulations")
    moves: list[dict[str, Any]] = [
        {"label": label, "linestyle": dashes, "marker": "o", "markerfacecolor": face or _GREY["color"], **_GREY}
        for dashes, label, face in _MOVES.values()
    ]
    _legend_below(figure, moves)
    return Caption("Level lines: what playouts, or the exact values, pay without a tree", "The means of two moves")


def _legend_below(figure: matplotlib.figure.Figure, lines: Sequence[Mapping[str, Any]]) -> None:
    from matplotlib.lines import Line2D

    handles = [Line2D([], [], markersize=4.5, **line) for line in lines]
    widths = np.array([measured_width(str(line["label"]), SMALL) for line in lines]) + _KEY * SMALL
    fits = [
        count
        for count in range(1, min(len(handles), 7) + 1)
        if sum(column.max() for column in np.array_split(widths, count)) < 72.0 * figure.get_figwidth()
    ]
    figure.legend(
        handles=handles,
        loc="outside lower center",
        ncols=max(fits, default=1),
        frameon=False,
        fontsize=SMALL,
        handlelength=3.0,
    )


def _number_axis(axes: Axes, curves: pd.DataFrame) -> None:
    """Make the x axis that of n, logarithmic."""
    n = np.sort(curves["n"].unique()).astype(np.float64)
    axes.set_xscale("log")
    plain(axes)
    axes.set_xlim(n[0], max(n[-1], 2.0 * n[0]))
    ticks(axes.xaxis, n[0], n[-1])


def _draw_panel(axes: Axes, panel: Panel, measure: str, curves: pd.DataFrame, positions: pd.DataFrame) -> None:
    """Draw one measure of one panel."""
    _draw_lines(axes, curves[curves["arms"] == panel.arms], measure)
    _number_axis(axes, curves)
    if measure == "regret":
        # What moves at random lose, and ln n as steep as that of a bandit that has lost each gap once.
        n = np.sort(curves["n"].unique()).astype(np.float64)
        exact = positions[VALUES].to_numpy(np.float64)
        gaps = np.nanmax(exact, axis=1, keepdims=True) - exact
        chance, each = float(np.nanmean(gaps, axis=1).mean()), float(np.nansum(gaps, axis=1).mean())
        axes.plot(n, chance * n, linestyle=_RANDOM, zorder=1.0, **_GREY)
        axes.plot(n, each * np.log(np.maximum(n, 2.0)), linestyle=_LOGARITHM, zorder=1.0, **_GREY)
        axes.set_yscale("log")
        plain(axes)
        ticks(axes.yaxis, *axes.get_ylim())
    elif measure in _PERCENT:
        axes.set_ylim(0.0, 100.0)


_WIDEST = 11.0  # inches, of a figure: letters of a wider one are too small on a page
_MARKS = 6  # of a line, about


def _draw_lines(axes: Axes, curves: pd.DataFrame, measure: str) -> None:
    """Draw one line a policy, with marks and whiskers of 95 % intervals, those of different policies at different n."""
    for index, (_, line) in enumerate(curves.groupby("policy", sort=False)):
        style = line_style(index) | {"linewidth": 1.6, "markersize": 3.6}
        n, scale = line["n"].to_numpy(np.float64), 100.0 if measure in _PERCENT else 1.0
        mean, low, high = estimates(line, measure, scale)
        every = max(1, len(n) // _MARKS)
        marked = (index % every, every)
        whiskers = np.maximum([mean - np.maximum(low, 1e-3), high - mean], 0.0)  # the axis may be logarithmic
        axes.errorbar(n, mean, whiskers, errorevery=marked, markevery=marked, elinewidth=1.0, capsize=1.5, **style)


_TABLES = ("curves.parquet", "positions.parquet")


def _figure(name: str, title: str, rows: Sequence[str], panels: Sequence[Panel]) -> Figure:
    drawn, size = partial(draw, title=title, rows=rows, panels=panels), partial(size_of, rows=rows, panels=panels)
    return Figure(name, _TABLES, drawn, size=size, panels=True)


FIGURES = (
    _figure("root_regret", "A tree beside the bandit of its playouts", ("regret", "optimal_share"), _TREE_AND_BANDIT),
    _figure(
        "kinds",
        "A tree beside two bandits, over all positions",
        ("regret", "simple_regret", "recommended_optimal"),
        _KINDS,
    ),
    Figure(
        "means",
        _TABLES,
        draw_means,
        size=lambda curves, positions, _: (
            min(_WIDEST, 1.2 + 2.0 * max(curves["policy"].nunique(), 2)),
            1.6 + 2.0 * len(_shown(_MEANS, positions)),
        ),
        panels=True,
    ),
)
