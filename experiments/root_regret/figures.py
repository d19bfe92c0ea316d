"""Figures of root regret: a tree beside the bandits that its root begins as and should end as."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from experiments.root_regret.arms import EXACT, PLAYOUTS, TREE
from experiments.root_regret.tables import ALL, PLAYED, RIGHT, VALUES, WRONG, contenders
from numerics.output import tables
from numerics.output.style import SMALL, called, caption, files, line_style, number, page, plain, ticks

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
    behind: bool = False  # whether the bandit of playouts is drawn behind it, thin


_THIN = "Thin: the same rule on a bandit of the playouts' means"
FIGURES = {
    "root_regret": (
        ("regret", "optimal_share", "simple_regret", "means"),
        (
            Panel(f"Tree (thick) where playouts rank an optimal move first. {_THIN}", TREE, RIGHT, behind=True),
            Panel(
                f"Tree (thick) where playouts rank a move first that loses the value. {_THIN}", TREE, WRONG, behind=True
            ),
            Panel("Bandit without a tree, whose arms pay the exact values; all positions", EXACT),
        ),
    ),
    "kinds": (
        ("regret", "optimal_share", "recommended_optimal", "means"),
        (
            Panel("Tree: the arms drift as it grows", TREE),
            Panel("Bandit without a tree, whose arms pay what playouts pay on average", PLAYOUTS),
            Panel("Bandit without a tree, whose arms pay the exact values", EXACT),
        ),
    ),
}
"""The figures of a run by name: the measures that are their rows, and the panels that are their columns."""


def draw(folder: Path, facts: Mapping[str, Any]) -> list[Path]:
    """Draw the figures of a run folder."""
    curves, positions = (tables.read(folder / f"{name}.parquet") for name in ("curves", "positions"))
    if curves["n"].max() >= 10 * _FEW:
        curves = curves[curves["n"] >= _FEW]
    place = folder / "figures"
    for name, (rows, panels) in FIGURES.items():
        with page(place / name, (10.6, 11.4)) as figure:
            _draw(figure, rows, panels, curves, positions)
    return [file for name in FIGURES for file in files(place / name)]


def _draw(
    figure: Figure, rows: Sequence[str], panels: Sequence[Panel], curves: pd.DataFrame, positions: pd.DataFrame
) -> None:
    """Draw one column of axes a panel that has positions, one row a measure, and one legend for all."""
    groups = {ALL: positions, **dict(tuple(positions.groupby("group")))}
    shown = [panel for panel in panels if panel.group in groups]
    grid = figure.subplots(len(rows), len(shown), sharex=True, sharey="row", squeeze=False)
    for axes_of_row, measure in zip(grid, rows, strict=True):
        for axes, panel in zip(axes_of_row, shown, strict=True):
            _draw_panel(axes, panel, measure, curves[curves["group"] == panel.group], groups[panel.group])
        axes_of_row[0].set_ylabel(_ROWS[measure])
        if measure == "simple_regret":
            highest = max(float(np.max(line.get_ydata())) for axes in axes_of_row for line in axes.lines)
            axes_of_row[0].set_ylim(0.0, 1.05 * (highest or 1.0))
    for top, bottom, panel in zip(grid[0], grid[-1], shown, strict=True):
        caption(top, f"{panel.title}; {number(len(groups[panel.group]))} positions")
        bottom.set_xlabel("n, simulations")
    handles = _handles(curves["policy"].unique().tolist())
    figure.legend(handles=handles, loc="outside upper left", ncols=4, frameon=False, fontsize=SMALL, handlelength=3.0)


def _handles(policies: Sequence[str]) -> list[Any]:
    """Return the entries of the legend: the policies, the grey lines, and the moves whose means are drawn."""
    from matplotlib.lines import Line2D

    lines = [{"label": called(policy), "linewidth": 1.4, **line_style(place)} for place, policy in enumerate(policies)]
    guides = {"moves at random": _RANDOM, "the shape of ln n": _LOGARITHM}
    lines += [{"label": label, "linestyle": dashes, **_GREY} for label, dashes in guides.items()]
    lines += [
        {"label": label, "linestyle": dashes, "marker": "o", "markerfacecolor": face or _GREY["color"], **_GREY}
        for dashes, label, face in _MOVES.values()
    ]
    return [Line2D([], [], markersize=4.5, **line) for line in lines]


def _draw_panel(axes: Axes, panel: Panel, measure: str, curves: pd.DataFrame, positions: pd.DataFrame) -> None:
    """Draw one measure of one panel."""
    if panel.behind and measure != "means":
        _draw_lines(axes, curves[curves["arms"] == PLAYOUTS], measure, thin=True)
    _draw_lines(axes, curves[curves["arms"] == panel.arms], measure, thin=False)
    n = np.sort(curves["n"].unique()).astype(np.float64)
    axes.set_xscale("log")
    plain(axes)
    axes.set_xlim(n[0], max(n[-1], 2.0 * n[0]))
    ticks(axes.xaxis, n[0], n[-1])
    exact, playouts = (positions[names].to_numpy(np.float64) for names in (VALUES, PLAYED))
    if measure == "regret":
        # What moves at random lose, and ln n as steep as that of a bandit that has lost each gap once.
        gaps = np.nanmax(exact, axis=1, keepdims=True) - exact
        chance, each = float(np.nanmean(gaps, axis=1).mean()), float(np.nansum(gaps, axis=1).mean())
        axes.plot(n, chance * n, linestyle=_RANDOM, zorder=1.0, **_GREY)
        axes.plot(n, each * np.log(np.maximum(n, 2.0)), linestyle=_LOGARITHM, zorder=1.0, **_GREY)
        axes.set_yscale("log")
        plain(axes)
        ticks(axes.yaxis, *axes.get_ylim())
    elif measure == "means":
        levels = contenders(exact if panel.arms == EXACT else playouts, exact, playouts)
        for level, (dashes, _, _) in zip(levels, _MOVES.values(), strict=True):
            axes.axhline(float(level.mean()), linestyle=dashes, zorder=1.0, **_GREY)
        axes.set_ylim(0.0, 1.0)
    elif measure in _PERCENT:
        axes.set_ylim(0.0, 100.0)


def _draw_lines(axes: Axes, curves: pd.DataFrame, measure: str, *, thin: bool) -> None:
    """Draw one line a policy with the band of its 95 % interval; thin ones without a band."""
    for place, (_, line) in enumerate(curves.groupby("policy", sort=False)):
        style = line_style(place) | ({"linewidth": 0.8, "marker": "", "alpha": 0.9} if thin else {"linewidth": 1.6})
        style |= {"markersize": 3.6, "markevery": 5}
        n = line["n"].to_numpy(np.float64)
        if measure == "means":
            for name, (_, _, face) in _MOVES.items():
                axes.plot(n, line[name].to_numpy(np.float64), **style, markerfacecolor=face or style["color"])
            continue
        scale = 100.0 if measure in _PERCENT else 1.0
        mean, low, high = (scale * line[f"{measure}{end}"].to_numpy(np.float64) for end in ("", "_low", "_high"))
        if not thin:
            axes.fill_between(n, np.maximum(low, 1e-3), high, color=style["color"], alpha=0.14, linewidth=0)
        axes.plot(n, mean, **style)
