"""Figures of root regret: a tree beside the two bandits that its root resembles at first and in the end."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from experiments.games.results import ground
from experiments.kinds.root_regret.arms import EXACT, PLAYOUTS, TREE
from experiments.kinds.root_regret.root_regret_tables import ALL, PLAYED, RIGHT, VALUES, WRONG, contenders, over_moves
from numerics.output import plots
from numerics.output.captions import Caption, called_all, caption, fill
from numerics.output.figures import Facts, Figure
from numerics.output.scales import Scale
from numerics.output.style import SMALL, line_style, number, width

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


def _panels_with_positions(panels: Sequence[Panel], positions: pd.DataFrame) -> list[Panel]:
    """Return the panels whose group holds positions."""
    return [panel for panel in panels if panel.group in _groups(positions)]


def _without_first(curves: pd.DataFrame) -> pd.DataFrame:
    """Return the curves without the first simulations, where they are long."""
    return curves[curves["n"] >= _FEW] if curves["n"].max() >= 10 * _FEW else curves


def size_of(
    curves: pd.DataFrame, positions: pd.DataFrame, facts: Facts, rows: Sequence[str], panels: Sequence[Panel]
) -> tuple[float, float]:
    """Return the width and height in inches for `draw`."""
    return 1.6 + 2.4 * len(_panels_with_positions(panels, positions)), 1.6 + 2.5 * len(rows)


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
    curves, groups, panels = _without_first(curves), _groups(positions), _panels_with_positions(panels, positions)
    grid = figure.subplots(len(rows), len(panels), sharex=True, sharey="row", squeeze=False)
    for axes_of_row, measure in zip(grid, rows, strict=True):
        _set_height(axes_of_row[0], measure, curves)
        for axes, panel in zip(axes_of_row, panels, strict=True):
            of_group = curves[curves["group"] == panel.group]
            _set_simulations(axes, curves)
            # Marks and whiskers of different policies are at different n.
            lines, look = (
                of_group[of_group["arms"] == panel.arms],
                {"linewidth": 1.6, "markersize": 3.6, "capsize": 1.5},
            )
            every = max(1, lines["n"].nunique() // _MARKS)
            plots.curves(axes, lines, "n", measure, by="policy", factor=_factor(measure), look=look, every=every)
            if measure == "regret":
                _draw_guides(axes, np.sort(curves["n"].unique()), groups[panel.group])
    for top, bottom, panel in zip(grid[0], grid[-1], panels, strict=True):
        caption(top, f"{panel.title}; {number(len(groups[panel.group]))} positions", legend=False)
        bottom.set_xlabel("n, simulations")
    plots.legend_below(figure, list(grid.flat))
    return Caption("Whiskers: 95 % intervals of the means over positions", f"{title} {ground(facts['settings'])}")


def draw_means(
    curves: pd.DataFrame, positions: pd.DataFrame, figure: matplotlib.figure.Figure, facts: Facts
) -> Caption:
    """Draw the means of two moves of each position: a row a panel, a column a policy."""
    curves, groups, panels = _without_first(curves), _groups(positions), _panels_with_positions(_MEANS, positions)
    policies = list(dict.fromkeys(curves["policy"]))
    names = called_all(policies, 20)
    grid = figure.subplots(len(panels), len(policies), sharex=True, sharey=True, squeeze=False)
    for axes_of_row, panel in zip(grid, panels, strict=True):
        of_panel = curves[(curves["group"] == panel.group) & (curves["arms"] == panel.arms)]
        exact, playouts = (over_moves(groups[panel.group], what) for what in (VALUES, PLAYED))
        levels = contenders(exact if panel.arms == EXACT else playouts, exact, playouts)
        for index, (axes, policy) in enumerate(zip(axes_of_row, policies, strict=True)):
            of_policy, colour = of_panel[of_panel["policy"] == policy], line_style(index)["color"]
            _set_simulations(axes, curves)
            Scale(log=False, low=0.0, high=1.0).set(axes.yaxis, [])
            for level, (name, (dashes, _, face)) in zip(levels, _MOVES.items(), strict=True):
                axes.axhline(float(level.mean()), linestyle=dashes, zorder=1.0, **_GREY)
                look = {"color": colour, "markerfacecolor": face or colour, "linestyle": dashes, "linewidth": 1.6}
                plots.curves(axes, of_policy, "n", name, look={**look, "markersize": 3.6}, every=5, whiskers=False)
        caption(axes_of_row[0], panel.title, legend=False)
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
    for dashes, label, face in _MOVES.values():
        look = {"label": label, "linestyle": dashes, "marker": "o", "markerfacecolor": face or _GREY["color"], **_GREY}
        grid[0, 0].plot([], [], **look)
    plots.legend_below(figure, [grid[0, 0]])
    text = "Level lines: what playouts, or the exact values, pay without a tree"
    return Caption(text, f"The means of two moves {ground(facts['settings'])}")


def _set_simulations(axes: Axes, curves: pd.DataFrame) -> None:
    """Make the x axis that of n, logarithmic."""
    first, last = float(curves["n"].min()), float(curves["n"].max())
    Scale(log=True, low=first, high=max(last, 2.0 * first)).set(axes.xaxis, [first, last])


def _set_height(axes: Axes, measure: str, curves: pd.DataFrame) -> None:
    """Make the y axis of a row that of its measure, for all of its panels."""
    middle, _, high = plots.estimates(curves, measure, _factor(measure))
    if measure == "regret":
        Scale(_ROWS[measure], log=True).set(axes.yaxis, middle[middle > 0.0], high[high > 0.0], measured=True)
    else:
        top = 100.0 if measure in _PERCENT else None
        Scale(_ROWS[measure], log=False, low=0.0, high=top).set(axes.yaxis, middle, measured=True)


def _factor(measure: str) -> float:
    return 100.0 if measure in _PERCENT else 1.0


def _draw_guides(axes: Axes, n: npt.NDArray[np.int64], positions: pd.DataFrame) -> None:
    """Draw what moves at random lose, and ln n as steep as that of a bandit that has lost each gap once."""
    exact = over_moves(positions, VALUES)
    gaps = np.nanmax(exact, axis=1, keepdims=True) - exact
    chance, each = float(np.nanmean(gaps, axis=1).mean()), float(np.nansum(gaps, axis=1).mean())
    logarithm = each * np.log(np.maximum(n, 2.0))
    axes.plot(n, chance * n, label="moves at random", linestyle=_RANDOM, zorder=1.0, **_GREY)
    axes.plot(n, logarithm, label="the shape of ln n", linestyle=_LOGARITHM, zorder=1.0, **_GREY)


_WIDEST = 11.0  # inches, of a figure: letters of a wider one are too small on a page
_MARKS = 6  # of a line, about


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
            1.6 + 2.0 * len(_panels_with_positions(_MEANS, positions)),
        ),
        panels=True,
    ),
)
