"""Figures of strength: moves that keep the value, by player, by ply, against simulations and against time."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from experiments.graded_positions.choices import from_best, with_times
from experiments.graded_positions.moves import plies_in
from numerics.output.captions import Caption, End, caption, label_of
from numerics.output.figures import Facts, Figure
from numerics.output.plots import curves, estimates, heat_map, rows
from numerics.output.scales import Scale
from numerics.output.style import PALETTE, line_style, number
from numerics.texts import split

if TYPE_CHECKING:
    import matplotlib.figure
    import pandas as pd
    from matplotlib.axes import Axes

_AXES = {"simulations": "simulations per move", "seconds": "time per move (ms, measured median)"}
_UNITS = {"simulations": 1.0, "seconds": 1e3}  # of an axis

_TITLES = {"simulations": "Simulations and moves that keep the value", "seconds": "Time and moves that keep the value"}
_STEP = 0.006  # of the axis, from an error bar to that of the next line
_LEVEL: dict[str, Any] = {"color": "0.55", "linewidth": 0.9, "linestyle": (0, (4, 2))}
_GROUP = 3  # plies in a cell
_SECONDS = r"\bseconds="


def draw_players(summary: pd.DataFrame, figure: matplotlib.figure.Figure, facts: Facts) -> Caption:
    """Draw each player's two rates and its mean loss with their 95 % intervals."""
    names = [label_of(str(name)) for name in summary["player"]]
    rates, losses = figure.subplots(1, 2, sharey=True, width_ratios=(1.7, 1.0))
    labels = {"keeps_value": "keeps the value", "best": "plays a best move"}
    series = [
        (estimates(summary, name, 100.0), {"fmt": "os"[index], "color": PALETTE[index], "label": label})
        for index, (name, label) in enumerate(labels.items())
    ]
    rows(rates, names, *series, scale=Scale("share of the positions (%)", log=False))
    rates.axvline(facts["chance"], label="value kept by a random move", **_LEVEL)
    loss = estimates(summary, "loss"), {"fmt": "D", "color": PALETTE[2]}
    rows(losses, names, loss, scale=Scale("mean loss of score", log=False))
    caption(rates, "")
    return Caption(_sample(summary), f"{len(names)} players judged by exact scores")


def draw_differences(differences: pd.DataFrame, axes: Axes, facts: Facts) -> Caption:
    """Draw how much less often each player keeps the value than the best one does, on the same positions.

    Intervals that hold 0 are grey. The best one is that of the table of differences.
    """
    shown = from_best(differences)
    shown = shown.sort_values("difference", ascending=False, kind="stable")
    numbers = estimates(shown, "difference", 100.0)
    sure = (numbers[1] > 0.0) | (numbers[2] < 0.0)
    best, series = str(shown["player_b"].iloc[0]), []
    for among, color in ((~sure, "0.55"), (sure, PALETTE[0])):
        middle, low, high = (np.where(among, part, np.nan) for part in numbers)
        series.append(((middle, low, high), {"color": color}))
    label = f"value kept, minus that of {best} (percentage points)"
    names = [label_of(str(name)) for name in shown["player_a"]]
    rows(axes, names, *series, apart=0.0, scale=Scale(label, log=False))
    axes.axvline(0.0, **_LEVEL)
    positions = number(int(shown["positions"].iloc[0]))
    text = f"against {best}, the same {positions} positions; whiskers: 95 % intervals, grey if they contain 0"
    return Caption(text, "Difference in the share of values kept")


def draw_by_ply(choices: pd.DataFrame, axes: Axes, facts: Facts) -> Caption:
    """Draw how often each player keeps the value as a heat map over the stones on the board, some plies together."""
    first, last = int(choices["ply"].min()), int(choices["ply"].max())
    start = choices["ply"] - (choices["ply"] - first) % _GROUP
    cells = choices.groupby(["player", start], sort=False)["keeps_value"]
    shares = 100.0 * cells.mean().unstack().sort_index(axis=1)
    shares.columns = [
        f"{low}–{min(low + _GROUP - 1, last)}" if low < last else f"{low}" for low in map(int, map(str, shares))
    ]
    shares.index = [label_of(str(name)) for name in shares.index]
    lowest = min(50.0, float(np.nanmin(shares)))
    heat_map(axes, shares, shares.map("{:.0f}".format), norm=(lowest, 100.0), cmap="viridis", bar="keeps the value (%)")
    axes.set_xlabel(plies_in(facts))
    counted = sorted({int(cells.size().min()), int(cells.size().max())})
    text = f"{' to '.join(number(count) for count in counted)} positions in a cell"
    title = f"How often moves keep the value (%), by {plies_in(facts)}"
    return Caption(text, title, wide=True)


def draw_against(summary: pd.DataFrame, timings: pd.DataFrame, axes: Axes, facts: Facts, what: str) -> Caption:
    """Draw how often the value is kept against simulations or time; lines join what differs in the budget only.

    In the figure of simulations, players without a budget are level lines; those with seconds are left out.
    """
    summary = with_times(summary, timings)
    summary = summary.assign(family=summary["name"].map(without_budget), at=_UNITS[what] * summary[what])
    order = list(dict.fromkeys(summary["family"]))  # in both figures a player has one style
    shown, level = summary, summary.iloc[:0]
    if what == "simulations":
        by_time = summary["name"].str.contains(_SECONDS)
        shown, level = (summary[known & ~by_time] for known in (summary[what].notna(), summary[what].isna()))
    ends = curves(
        axes,
        shown,
        "at",
        "keeps_value",
        by="family",
        factor=100.0,
        x_scale=Scale(_AXES[what], log=True, at_values=what == "simulations"),
        y_scale=Scale("moves that keep the value (%)", log=False),
        names={kind: label_of(_label(str(kind), line)) for kind, line in shown.groupby("family", sort=False)},
        looks={kind: line_style(index) for index, kind in enumerate(order)},
        apart=_STEP if what == "simulations" else 0.0,  # players have the same ones
        view=100.0 * level["keeps_value"],
    )
    for name, family, kept in zip(level["player"], level["family"], 100.0 * level["keeps_value"], strict=True):
        look = {**line_style(order.index(family)), "marker": "", "linewidth": 1.2}
        axes.axhline(kept, **look)
        ends.append(End(label_of(str(name)), kept, look))
    alone = "; level lines: players without simulations" if len(level) else ""
    return Caption(f"{_sample(summary)}{alone}", _TITLES[what], ends=ends)


def _label(family: str, line: pd.DataFrame) -> str:
    """Return what a line is called: its only player, or what all of its players have in common."""
    labels = list(line["player"]) if len(line) == 1 else list(dict.fromkeys(line["player"].map(without_budget)))
    return str(labels[0]) if len(labels) == 1 else family


def _sample(summary: pd.DataFrame) -> str:
    return f"{number(int(summary['positions'].iloc[0]))} positions; whiskers: 95 % intervals"


def without_budget(name: str) -> str:
    """Return a player's name without its simulations and seconds, which players on one line may differ in.

    Examples
    --------
    >>> without_budget("uct simulations=1000 c=0.5"), without_budget("uct seconds=0.01")
    ('uct c=0.5', 'uct')
    """
    return " ".join(word for word in split(name) if not word.startswith(("simulations=", "seconds=")))


def _page(wide: float, high: float, each: float) -> Callable[[pd.DataFrame, Facts], tuple[float, float]]:
    """Return what gives the width and height in inches of a page with a row for each player of its table."""
    # The players are those of the column player, or of player_a and player_b.
    return lambda table, facts: (wide, high + each * len({*table.filter(like="player").to_numpy().ravel()}))


_SUMMARY, _TIMINGS = "summary.csv", "timings.parquet"
FIGURES = (
    Figure("players", _SUMMARY, draw_players, size=_page(8.6, 1.8, 0.38), panels=True),
    Figure("differences", "differences.csv", draw_differences, size=_page(7.6, 1.6, 0.27)),
    Figure("by_ply", "choices.parquet", draw_by_ply, size=_page(8.6, 1.9, 0.36)),
    Figure("seconds", (_SUMMARY, _TIMINGS), partial(draw_against, what="seconds"), size=(7.6, 4.6)),
    Figure(
        "simulations",
        (_SUMMARY, _TIMINGS),
        partial(draw_against, what="simulations"),
        size=(7.6, 4.6),
        when=lambda summary, timings, facts: summary["simulations"].nunique() > 1,
    ),
)
