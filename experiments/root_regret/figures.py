"""Figures of root regret: a tree beside the bandits that its root begins as and should end as."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from experiments.root_regret.arms import EXACT, PLAYOUTS, TREE
from experiments.root_regret.tables import ALL, RIGHT, VALUES, WRONG, contenders, labels_of
from numerics.output.style import SMALL, called, caption, line_style, number, plain, ticks

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_ROWS = {
    "regret": "cumulative regret $L_n$",
    "simple_regret": "simple regret",
    "optimal_share": "simulations on optimal moves (%)",
    "recommended_optimal": "recommended move is optimal (%)",
    "means": "means of two moves (grey: no tree)",
}
_FEW = 10  # n from which long searches are drawn: until then every move has its first simulations
_GUIDES: dict[str, Any] = {"uniform": ((0, (4, 2)), "moves at random"), "logarithm": (":", "the shape of ln n")}
_GREY = "0.45"
_MOVES: dict[str, Any] = {
    "optimal_mean": (True, "-", "best playouts among optimal moves"),
    "wrong_mean": (False, "--", "best playouts among moves that lose the value"),
}

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Panel:
    """A column of axes: curves of one kind of arms, those of another behind them, and their positions."""

    title: str
    curves: pd.DataFrame
    behind: pd.DataFrame | None
    positions: pd.DataFrame
    level: str  # the columns of the means that are drawn as level lines


def draw(figure: Figure, name: str, curves: pd.DataFrame, positions: pd.DataFrame) -> None:
    """Draw one of FIGURES, a column of axes a panel, with one legend for all.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        Where to draw.
    name : str
        A key of FIGURES.
    curves, positions : pandas.DataFrame
        As in a run's folder.
    """
    rows, panels = FIGURES[name]
    _draw(figure, rows, panels(curves, positions))


def _by_first_sight(curves: pd.DataFrame, positions: pd.DataFrame) -> list[Panel]:
    """Return the tree beside a bandit, by what playouts say at first; and the bandit of the truth, over all."""
    titles = {
        RIGHT: "Tree (thick) where playouts rank an optimal move first",
        WRONG: "Tree (thick) where playouts rank a move first that loses the value",
    }
    panels = [
        Panel(
            f"{title}. Thin: the same rule on a bandit of the playouts' means",
            _curves(curves, TREE, group), _curves(curves, PLAYOUTS, group),
            positions[positions["group"] == group], PLAYOUTS,
        )
        for group, title in titles.items()
        if (positions["group"] == group).any()
    ]  # fmt: skip
    truth = "Bandit without a tree, whose arms pay the exact values; all positions"
    return [*panels, Panel(truth, _curves(curves, EXACT, ALL), None, positions, "value")]


def _by_kind(curves: pd.DataFrame, positions: pd.DataFrame) -> list[Panel]:
    """Return what the rules do in a tree and on the two bandits, over all positions."""
    titles = {
        TREE: "Tree: the arms drift as it grows",
        PLAYOUTS: "Bandit without a tree, whose arms pay what playouts pay on average",
        EXACT: "Bandit without a tree, whose arms pay the exact values",
    }
    return [
        Panel(title, _curves(curves, kind, ALL), None, positions, "value" if kind == EXACT else PLAYOUTS)
        for kind, title in titles.items()
    ]


FIGURES: dict[str, tuple[tuple[str, ...], Callable[[pd.DataFrame, pd.DataFrame], list[Panel]]]] = {
    "root_regret": (("regret", "optimal_share", "simple_regret", "means"), _by_first_sight),
    "kinds": (("regret", "optimal_share", "recommended_optimal", "means"), _by_kind),
}
"""The figures of a run by name: the measures of their rows, and what makes the panels that are their columns."""


def _curves(curves: pd.DataFrame, kind: str, group: str) -> pd.DataFrame:
    """Return the curves of one kind of arms and group, from where they are drawn."""
    first = _FEW if curves["n"].max() >= 10 * _FEW else 1
    return curves[(curves["arms"] == kind) & (curves["group"] == group) & (curves["n"] >= first)]


def _draw(figure: Figure, rows: Sequence[str], panels: Sequence[Panel]) -> None:
    """Draw one column of axes a panel, one row a measure, and one legend for all."""
    grid = figure.subplots(len(rows), len(panels), sharex=True, sharey="row", squeeze=False)
    for axes_of_row, measure in zip(grid, rows, strict=True):
        for axes, panel in zip(axes_of_row, panels, strict=True):
            _draw_panel(axes, panel, measure)
            axes.set_ylabel(_ROWS[measure] if axes is axes_of_row[0] else "")
            axes.set_xlabel("n, simulations" if measure == rows[-1] else "")
            if measure == rows[0]:
                caption(axes, f"{panel.title}; {number(len(panel.positions))} positions")
        if measure == "simple_regret":
            axes_of_row[0].set_ylim(0.0, 1.05 * max(_highest(axes) for axes in axes_of_row))
    policies, _ = labels_of(panels[0].curves)
    figure.legend(
        handles=_handles(policies), loc="outside upper left", ncols=4, frameon=False, fontsize=SMALL, handlelength=3.0
    )


def _highest(axes: Axes) -> float:
    """Return the highest point of the lines."""
    return max(float(np.max(line.get_ydata())) for line in axes.lines) or 1.0


def _handles(policies: Sequence[str]) -> list[Any]:
    """Return the entries of the legend: the rules, the grey lines, and the moves whose means are drawn."""
    from matplotlib.lines import Line2D

    found = [
        Line2D([], [], label=called(policy), linewidth=1.4, markersize=4.5, **line_style(place))
        for place, policy in enumerate(policies)
    ]
    found += [
        Line2D([], [], label=label, color=_GREY, linewidth=1.0, linestyle=dashes) for dashes, label in _GUIDES.values()
    ]
    found += [
        Line2D(
            [], [], label=label, color=_GREY, linewidth=1.0, linestyle=dashes, marker="o", markersize=4.5,
            markerfacecolor=_GREY if filled else "white",
        )
        for filled, dashes, label in _MOVES.values()
    ]  # fmt: skip
    return found


def _draw_panel(axes: Axes, panel: Panel, measure: str) -> None:
    """Draw one measure of one panel."""
    if panel.behind is not None and measure != "means":
        _draw_lines(axes, panel.behind, measure, thin=True)
    _draw_lines(axes, panel.curves, measure, thin=False)
    n = np.sort(panel.curves["n"].unique()).astype(np.float64)
    axes.set_xscale("log")
    plain(axes)
    axes.set_xlim(n[0], max(n[-1], 2.0 * n[0]))
    ticks(axes.xaxis, n[0], n[-1])
    if measure == "regret":
        _draw_guides(axes, panel.positions, n)
        axes.set_yscale("log")
        plain(axes)
        ticks(axes.yaxis, *axes.get_ylim())
    elif measure == "means":
        for column, (_, dashes, _) in zip(contenders(panel.positions, panel.level), _MOVES.values(), strict=True):
            axes.axhline(float(column.mean()), color=_GREY, linewidth=1.0, linestyle=dashes, zorder=1.0)
        axes.set_ylim(0.0, 1.0)
    elif measure != "simple_regret":
        axes.set_ylim(0.0, 100.0)


def _draw_lines(axes: Axes, curves: pd.DataFrame, measure: str, *, thin: bool) -> None:
    """Draw one line a rule with the band of its 95 % interval; thin ones without a band."""
    for place, (_, line) in enumerate(curves.groupby("policy", sort=False)):
        style = line_style(place) | ({"linewidth": 0.8, "marker": "", "alpha": 0.9} if thin else {"linewidth": 1.6})
        if measure == "means":
            for name, (filled, _, _) in _MOVES.items():
                axes.plot(
                    line["n"].to_numpy(np.float64), line[name].to_numpy(np.float64), markersize=3.6, markevery=5,
                    markerfacecolor=style["color"] if filled else "white", **style,
                )  # fmt: skip
            continue
        scale = 100.0 if measure in ("optimal_share", "recommended_optimal") else 1.0
        n = line["n"].to_numpy(np.float64)
        mean, low, high = (scale * line[f"{measure}{end}"].to_numpy(np.float64) for end in ("", "_low", "_high"))
        if not thin:
            axes.fill_between(n, np.maximum(low, 1e-3), high, color=style["color"], alpha=0.14, linewidth=0)
        axes.plot(n, mean, markersize=3.6, markevery=5, **style)


def _draw_guides(axes: Axes, positions: pd.DataFrame, n: Floats) -> None:
    """Draw what moves at random lose, and ln n as steep as that of a bandit that has lost each gap once."""
    values = positions[VALUES].to_numpy(np.float64)
    gaps = np.nanmax(values, axis=1, keepdims=True) - values
    chance, each = float(np.nanmean(gaps, axis=1).mean()), float(np.nansum(gaps, axis=1).mean())
    lines = {"uniform": chance * n, "logarithm": each * np.log(np.maximum(n, 2.0))}
    for name, line in lines.items():
        axes.plot(n, line, color=_GREY, linewidth=1.0, linestyle=_GUIDES[name][0], zorder=1.0)
