"""Figures of strength: moves that keep the value, by player, by ply, against simulations and against time."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from experiments.graded_positions.choices import from_best, timed
from experiments.players.labels import key_of, short_columns, short_labels
from numerics.output.captions import Caption, called, caption
from numerics.output.figures import Facts, Figure
from numerics.output.line_ends import End, name_ends
from numerics.output.style import PALETTE, SMALL, apart, draw_estimates, estimates, line_style, number, plain, ticks
from numerics.texts import split

if TYPE_CHECKING:
    import matplotlib.figure
    import pandas as pd
    from matplotlib.axes import Axes

_AXES = {"simulations": "simulations of a move", "seconds": "time of a move (ms; median, as measured)"}
_UNITS = {"simulations": 1.0, "seconds": 1e3}  # of an axis

_TITLES = {"simulations": "Simulations and moves that keep the value", "seconds": "Time and moves that keep the value"}
_STEP = 1.02  # factor from an error bar to that of the next line
_GROUP = 3  # plies in a cell
_SECONDS = r"\bseconds="

Floats = npt.NDArray[np.float64]


def draw_players(summary: pd.DataFrame, figure: matplotlib.figure.Figure, facts: Facts) -> Caption:
    """Draw each player's two rates and its mean loss with their 95 % intervals."""
    summary = short_columns(summary, "player")
    rates, losses = figure.subplots(1, 2, sharey=True, width_ratios=(1.7, 1.0))
    y = np.arange(len(summary))
    for index, (name, label) in enumerate((("keeps_value", "keeps the value"), ("best", "plays a best move"))):
        style = {"fmt": "os"[index], "color": PALETTE[index], "markersize": 4.5, "capsize": 2.5, "linewidth": 1.4}
        height = y + 0.14 * (2 * index - 1)
        draw_estimates(rates, height, _estimates(summary, name, 100.0), across=True, label=label, **style)
    rates.axvline(
        facts["chance"], color="0.55", linewidth=0.9, linestyle=(0, (4, 2)), label="value kept by a random move"
    )
    rates.set_yticks(y, [called(str(name)) for name in summary["player"]])
    rates.set_ylim(len(y) - 0.5, -0.5)
    rates.set_xlabel("share of the positions (%)")
    style = {"fmt": "D", "color": PALETTE[2], "markersize": 4.0, "capsize": 2.5, "linewidth": 1.4}
    draw_estimates(losses, y, _estimates(summary, "loss"), across=True, **style)
    losses.set_xlim(left=-0.02 * losses.get_xlim()[1])  # the mark of perfect play is whole
    losses.set_xlabel("mean loss of score")
    caption(rates, "")
    text = f"{_sample(summary)}; {key_of(summary['player'])}".removesuffix("; ")
    for axes in (rates, losses):
        plain(axes, "x")
    return Caption(text, f"{len(y)} players judged by exact scores")


def draw_differences(differences: pd.DataFrame, axes: Axes, facts: Facts) -> Caption:
    """Draw how much less often each player keeps the value than the best one does, on the same positions.

    Intervals that hold 0 are grey. The best one is that of the table of differences.

    Parameters
    ----------
    differences : pandas.DataFrame
        Of every pair: player_a, player_b, positions, and the difference of a minus b with the ends of its interval.
    axes : matplotlib.axes.Axes
        Where to draw.
    """
    shown = short_columns(from_best(differences), "player_a", "player_b")
    shown = shown.sort_values("difference", ascending=False, kind="stable")
    y, (middle, low, high) = np.arange(len(shown)), estimates(shown, "difference", 100.0)
    for among, color in (((low <= 0.0) & (high >= 0.0), "0.55"), ((low > 0.0) | (high < 0.0), PALETTE[0])):
        shown_of = (middle[among], low[among], high[among])
        draw_estimates(axes, y[among], shown_of, across=True, fmt="o", color=color, markersize=4.5, capsize=2.5)
    axes.axvline(0.0, color="0.55", linewidth=0.9, linestyle=(0, (4, 2)))
    axes.set_yticks(y, [called(str(name)) for name in shown["player_a"]])
    axes.set_ylim(len(y) - 0.5, -0.5)
    best = str(shown["player_b"].iloc[0])
    axes.set_xlabel(f"value kept more often than by {best} (percentage points)")
    plain(axes, "x")
    positions = number(int(shown["positions"].iloc[0]))
    text = f"against {best}, the same {positions} positions; whiskers: their 95 % intervals, grey with 0 inside"
    return Caption(text, "How much more often the value is kept")


def _estimates(table: pd.DataFrame, name: str, scale: float = 1.0) -> tuple[Floats, Floats, Floats]:
    """Return the numbers of a column and the ends of their intervals, the number itself where an end is not known."""
    middle, low, high = estimates(table, name, scale)
    return middle, np.fmin(low, middle), np.fmax(high, middle)


def draw_by_ply(choices: pd.DataFrame, axes: Axes, facts: Facts) -> Caption:
    """Draw how often each player keeps the value as a heat map over the stones on the board, some plies together."""
    import seaborn

    choices = short_columns(choices, "player")
    first, last = int(choices["ply"].min()), int(choices["ply"].max())
    start = choices["ply"] - (choices["ply"] - first) % _GROUP
    cells = choices.groupby(["player", start], sort=False)["keeps_value"]
    shares = 100.0 * cells.mean().unstack().sort_index(axis=1)
    starts = [int(str(column)) for column in shares.columns]
    seaborn.heatmap(
        shares,
        ax=axes,
        cmap="viridis",
        vmin=min(50.0, np.nanmin(shares)),
        vmax=100.0,
        annot=True,
        fmt=".0f",
        annot_kws={"fontsize": SMALL + 0.5},
        xticklabels=[str(start) if start == last else f"{start}–{min(start + _GROUP - 1, last)}" for start in starts],
        yticklabels=[called(str(name)) for name in shares.index],
        cbar_kws={"label": "keeps the value (%)", "fraction": 0.05, "pad": 0.03},
    )
    axes.set(xlabel="stones on the board", ylabel="")
    counted = sorted({int(cells.size().min()), int(cells.size().max())})
    text = f"{' to '.join(number(count) for count in counted)} positions in a cell; {key_of(shares.index)}"
    for part in (axes, axes.figure.axes[-1]):  # the scale
        part.tick_params(labelsize=SMALL, length=0.0)
        part.xaxis.label.set_fontsize(SMALL + 1.0)
        part.yaxis.label.set_fontsize(SMALL)
    axes.tick_params(rotation=0)
    title = "How often moves keep the value (%), by stones on the board"
    return Caption(text.removesuffix("; "), title, wide=True)


def draw_against(summary: pd.DataFrame, timings: pd.DataFrame, axes: Axes, facts: Facts, what: str) -> Caption:
    """Draw how often the value is kept against simulations or time; lines join what differs in the budget only.

    In the figure of simulations, players without a budget are level lines; those with seconds are left out.

    Parameters
    ----------
    summary : pandas.DataFrame
        player, name, simulations, positions, keeps_value with the ends of its interval.
    timings : pandas.DataFrame
        player, seconds of a move.
    axes : matplotlib.axes.Axes
        Where to draw.
    what : {"simulations", "seconds"}
        The horizontal axis, which is logarithmic.
    """
    from matplotlib.ticker import NullLocator

    shown = summary = timed(summary, timings)
    level = summary.iloc[:0]
    if what == "simulations":
        by_time = summary["name"].str.contains(_SECONDS)
        shown = summary[summary["simulations"].notna() & ~by_time]
        level = summary[summary["simulations"].isna() & ~by_time]
    family = shown["name"].map(without_budget)
    order = list(dict.fromkeys(summary["name"].map(without_budget)))  # in both figures a player has one style
    short = short_labels([*order, *summary["player"], *summary["player"].map(without_budget)])
    ends, several = [], list(dict.fromkeys(family))
    for index, kind in enumerate(several):
        line = shown[family == kind].sort_values(what)
        x = _UNITS[what] * line[what].to_numpy(np.float64)
        if what == "simulations":  # players have the same ones: error bars do not cover each other
            x = x * _STEP ** (index - (len(several) - 1) / 2.0)
        kept = _estimates(line, "keeps_value", 100.0)
        labels = list(line["player"]) if len(line) == 1 else list(dict.fromkeys(line["player"].map(without_budget)))
        label = short[str(labels[0] if len(labels) == 1 else kind)]
        style = line_style(order.index(kind))
        draw_estimates(axes, x, kept, label=called(label), capsize=3.0, linewidth=1.4, markersize=5.0, **style)
        at_edge = what == "simulations" and line[what].max() == shown[what].max()
        ends.append(End(called(label), float(kept[0][-1]), style, joined=at_edge))
    for row in level.to_dict("records"):
        style = {**line_style(order.index(without_budget(row["name"]))), "marker": ""}
        axes.axhline(100.0 * row["keeps_value"], linewidth=1.2, label=called(short[str(row["player"])]), **style)
        ends.append(End(called(short[str(row["player"])]), 100.0 * row["keeps_value"], style))
    axes.set_xscale("log")
    low, high = (_UNITS[what] * float(end) for end in (shown[what].min(), shown[what].max()))
    axes.set_xlim(0.7 * low, 1.4 * high)
    axes.set_xlabel(_AXES[what])
    axes.set_ylabel("moves that keep the value (%)")
    alone = "; level lines: players without simulations" if len(level) else ""
    plain(axes)
    if what == "simulations":
        axes.set_xticks(apart(np.unique(shown[what].to_numpy(np.float64)), True), minor=False)
        axes.xaxis.set_minor_locator(NullLocator())
    else:
        ticks(axes.xaxis, low, high)
    named = name_ends(axes, ends)
    return Caption(f"{_sample(summary)}{alone}", _TITLES[what], legend=not named)


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
