"""The judge's figure: an engine among known ones by time and by simulations; by kind, by ply; and its values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from experiments.graded_positions.choices import timed
from experiments.kinds.judge.reference import BESIDE, ENGINES, TOTAL
from experiments.kinds.judge.results import KINDS
from experiments.players.labels import short_columns
from numerics.output.captions import Caption, called
from numerics.output.figures import Facts
from numerics.output.figures import Figure as Declared
from numerics.output.line_ends import End, name_ends
from numerics.output.style import GREY, SMALL, draw_estimates, estimates, line_style, number, plain, ticks

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

Floats = npt.NDArray[np.float64]

_COLOURS = ("#000000", "#d55e00", "#882255", "#332288")  # of engines that are judged
_MARKS = "*DPX"
_LEFT = ("level 4",)  # engines whose name stands on the left of their marks, against time
_AT_EDGE = ("perfect",)  # and at the right edge, as the names of lines do
_GROUND = {"facecolor": "white", "edgecolor": "none", "alpha": 0.7, "pad": 0.0}  # a label on a line can be read


def size_of(*tables_and_facts: Any) -> tuple[float, float]:
    """Return the width and height in inches for `draw`: known engines, in the last table, are a row of panels."""
    *_, reference, _ = tables_and_facts
    return 9.6, 4.8 if reference is None or reference.empty else 8.4


def draw(
    summary: pd.DataFrame,
    timings: pd.DataFrame,
    kinds: pd.DataFrame,
    plies: pd.DataFrame,
    curves: pd.DataFrame,
    reference: pd.DataFrame | None,
    figure: Figure,
    facts: Facts,
) -> Caption:
    """Draw the engines among known ones, where there are some; by kind, by ply, and their values."""
    summary, timings, kinds, plies, curves = (
        short_columns(table, "player") for table in (summary, timings, kinds, plies, curves)
    )
    summary = timed(summary, timings)
    below: Figure | SubFigure = figure
    reference = None if reference is None or reference.empty else reference
    if reference is not None:
        above, below = np.asarray(figure.subfigures(2, 1, height_ratios=(1.0, 0.92)))
        by_time, by_simulations = above.subplots(1, 2, sharey=True, width_ratios=(1.25, 1.0))
        whole = reference[reference["kind"] == TOTAL]
        draw_against(by_time, summary, whole, "seconds")
        draw_against(by_simulations, summary, whole, "simulations")
        by_time.set_ylabel("value kept (% of the positions)")
    by_kind, by_ply, values = below.subplots(1, 3, width_ratios=(1.1, 1.0, 1.0))
    draw_kinds(by_kind, kinds, reference)
    draw_plies(by_ply, plies)
    draw_values(values, curves, list(summary["player"]))
    entries = by_kind.get_legend_handles_labels()
    below.legend(*entries, loc="outside lower center", ncols=4, frameon=False, fontsize=SMALL, handletextpad=0.4)
    text = (
        f"{number(facts['positions'])} positions; a move keeps the value if a win stays a win and a draw a draw; "
        "whiskers: 95 % intervals"
    )
    return Caption(text, f"{', '.join(called(str(name)) for name in summary['player'])}: judged by exact scores")


def _beside(engines: int, step: float) -> Floats:
    """Return how far beside a row or a ply each engine is drawn, so that the whiskers of several are seen."""
    shifts: Floats = min(step, 4.0 * step / engines) * (np.arange(engines, dtype=np.float64) - 0.5 * (engines - 1))
    return shifts


def judged_style(index: int) -> dict[str, Any]:
    """Return colour and mark of the n-th engine that is judged."""
    return {"color": _COLOURS[index % len(_COLOURS)], "marker": _MARKS[index % len(_MARKS)]}


def draw_against(axes: Axes, summary: pd.DataFrame, reference: pd.DataFrame, what: str) -> None:
    """Draw how often known engines keep the value against time or simulations, and the judged ones among them.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        Where to draw.
    summary : pandas.DataFrame
        player, seconds, simulations, keeps_value with the ends of its interval.
    reference : pandas.DataFrame
        engine, seconds, simulations, keeps_value with the ends of its interval, for all positions together.
    what : {"seconds", "simulations"}
        The horizontal axis, which is logarithmic. Against simulations, an engine without is a level line.
    """
    unit = 1e3 if what == "seconds" else 1.0
    x_all: list[float] = []
    ends: list[End] = []
    levels: list[tuple[float, float, float, dict[str, Any]]] = []
    for index, engine in enumerate(ENGINES):
        of_engine = reference[reference["engine"] == engine].sort_values("seconds")
        of_engine = of_engine.dropna(subset=[what])
        if of_engine.empty:
            continue
        x, y = unit * of_engine[what].to_numpy(np.float64), 100.0 * of_engine["keeps_value"].to_numpy(np.float64)
        x_all += list(x)
        style = line_style(index)
        axes.plot(x, y, linewidth=1.2, markersize=4.0, alpha=0.9, label=engine, **style)
        if len(x) > 1 or engine in _AT_EDGE:  # a name beside the end of a line would lie on another one
            ends.append(End(engine, float(y[-1]), style, joined=False))
            continue
        left = what == "seconds" and engine in _LEFT
        axes.annotate(
            engine,
            (x[0], y[0]),
            xytext=(-5.0 if left else 5.0, 0.0),
            va="center",
            ha="right" if left else "left",
            textcoords="offset points",
            fontsize=SMALL - 0.5,
            color=style["color"],
            annotation_clip=False,
            bbox=_GROUND,
            zorder=4,
        )
    for index, row in enumerate(summary.to_dict("records")):
        rate, low, high = (100.0 * row[f"keeps_value{end}"] for end in ("", "_low", "_high"))
        style = judged_style(index)
        if row[what] is None or row[what] != row[what]:  # no simulations
            axes.axhline(rate, color=style["color"], linewidth=1.2, linestyle=(0, (4, 2)))
            levels.append((rate, low, high, style))
            continue
        x_all.append(unit * float(row[what]))
        kept = np.array([rate]), np.array([low]), np.array([high])
        draw_estimates(axes, [x_all[-1]], kept, **style, markersize=11.0, capsize=3.0, linewidth=1.4, zorder=5)
        axes.annotate(
            called(str(row["player"]), 24),
            (x_all[-1], rate),
            xytext=(8.0, -3.0),
            va="top",
            textcoords="offset points",
            fontsize=SMALL,
            fontweight="bold",
            color=style["color"],
            bbox=_GROUND,
            zorder=6,
        )
    axes.set_xscale("log")
    low_end, high_end = min(x_all), max(x_all)
    axes.set_xlim(0.6 * low_end, 2.0 * high_end)
    axes.set_xlabel("time of a move (ms, median)" if what == "seconds" else "simulations of a move")
    plain(axes)
    ticks(axes.xaxis, low_end, high_end)
    for index, (rate, low, high, style) in enumerate(levels):
        kept, right = (np.array([rate]), np.array([low]), np.array([high])), [1.6 * high_end / 1.2**index]
        draw_estimates(axes, right, kept, **style, markersize=8.0, capsize=3.0, linewidth=1.4, zorder=5)
    name_ends(axes, ends)


def draw_kinds(axes: Axes, kinds: pd.DataFrame, reference: pd.DataFrame | None) -> None:
    """Draw how often the value is kept in each kind of positions, with known engines as grey marks."""
    shown = [kind for kind in KINDS if kind in set(kinds["kind"])]
    y = np.arange(len(shown))
    for index, (engine, simulations) in enumerate(BESIDE.items() if reference is not None else ()):
        assert reference is not None
        same = (reference["engine"] == engine) & (reference["simulations"] == simulations).fillna(False)
        rates = reference[same].set_index("kind")["keeps_value"]
        shares = [100.0 * rates.get(kind, np.nan) for kind in shown]
        axes.plot(
            shares,
            y,
            linestyle="",
            marker="ov"[index],
            color="0.6",
            markersize=5.0,
            label=f"{engine}, {simulations:,} simulations",
        )
    chance = kinds.drop_duplicates("kind").set_index("kind")["chance"].reindex(shown)
    axes.plot(100.0 * chance, y, linestyle="", marker="|", color="0.4", markersize=9.0, label="a random move")
    beside = _beside(kinds["player"].nunique(), 0.18)
    for index, (player, of_player) in enumerate(kinds.groupby("player", sort=False)):
        by_kind, style = of_player.set_index("kind").reindex(shown), judged_style(index)
        style |= {"capsize": 2.5, "linewidth": 1.3, "markersize": 7.0, "label": called(str(player))}
        kept = estimates(by_kind, "keeps_value", 100.0)
        draw_estimates(axes, y + beside[index], kept, across=True, linestyle="none", **style)
    axes.set_yticks(y, shown)
    axes.set_ylim(len(shown) - 0.5, -0.5)
    axes.set_xlim(0.0, 101.5)
    axes.set_xlabel("value kept (%)")
    axes.set_title("value kept, by kind of positions", loc="left", fontsize=SMALL, color=GREY)
    plain(axes, "x")


def draw_plies(axes: Axes, plies: pd.DataFrame) -> None:
    """Draw how often the value is kept against the stones on the board."""
    step = min(np.diff(sorted(set(plies["ply"]))), default=1)
    beside = 0.5 * (step - 1) + _beside(plies["player"].nunique(), 0.12 * step)
    for index, (_, of_player) in enumerate(plies.groupby("player", sort=False)):
        x = of_player["ply"].to_numpy(np.float64) + beside[index]
        style = judged_style(index) | {"linewidth": 1.2, "markersize": 4.5, "capsize": 2.0}
        draw_estimates(axes, x, estimates(of_player, "keeps_value", 100.0), **style)
    chance = plies.drop_duplicates("ply")
    axes.plot(
        chance["ply"] + 0.5 * (step - 1), 100.0 * chance["chance"], color="0.6", linewidth=1.0, linestyle=(0, (4, 2))
    )
    axes.set_ylim(0.0, 102.0)
    axes.set_xlabel("stones on the board")
    axes.set_title("value kept (%), by ply\n(dashed: by a random move)", loc="left", fontsize=SMALL, color=GREY)
    plain(axes)


def draw_values(axes: Axes, curves: pd.DataFrame, players: list[str]) -> None:
    """Draw the mean result of best play against the engine's values: the reliability curve."""
    axes.plot([0.0, 1.0], [0.0, 1.0], color="0.6", linewidth=0.9, linestyle=(0, (4, 2)))
    for index, player in enumerate(players):
        of_player = curves[curves["player"] == player]
        style = judged_style(index) | {"markersize": 5.0, "capsize": 2.0, "linewidth": 1.2}
        draw_estimates(axes, of_player["said"].to_numpy(np.float64), estimates(of_player, "got"), **style)
    if curves.empty:
        axes.text(0.5, 0.5, "it says no values", ha="center", va="center", color=GREY, fontsize=SMALL, bbox=_GROUND)
    axes.set_xlim(-0.03, 1.03)
    axes.set_ylim(-0.03, 1.03)
    axes.set_xlabel("value said")
    axes.set_title("result of best play, by value said\n(dashed: as said)", loc="left", fontsize=SMALL, color=GREY)
    plain(axes)


TABLES = ("summary.csv", "timings.parquet", "by_kind.csv", "by_plies.csv", "reliability.csv", "reference.csv")
FIGURES = (Declared("judge", TABLES, draw, size=size_of, panels=True),)
