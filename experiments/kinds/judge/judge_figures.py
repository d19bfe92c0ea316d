"""The judge's figure: an engine among known ones by time and by simulations; by kind, by ply; and its values."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from experiments.graded_positions.choices import with_times
from experiments.graded_positions.moves import plies_in
from experiments.kinds.judge.reference import BESIDE, ENGINES, TOTAL
from experiments.kinds.judge.results import KINDS
from numerics.output.captions import Caption, End, caption, label_of, name_ends
from numerics.output.figures import Facts
from numerics.output.figures import Figure as Declared
from numerics.output.plots import curves, draw_whiskers, estimates, legend_below, rows
from numerics.output.scales import Scale
from numerics.output.style import GREY, SMALL, line_style, number, plain

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

_COLOURS = ("#000000", "#d55e00", "#882255", "#332288")  # of engines that are judged
_MARKS = "*DPX"
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
    reliability: pd.DataFrame,
    reference: pd.DataFrame | None,
    figure: Figure,
    facts: Facts,
) -> Caption:
    """Draw the engines among known ones, where there are some; by kind, by ply, and their values."""
    summary = with_times(summary, timings)
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
    draw_plies(by_ply, plies, plies_in(facts))
    draw_values(values, reliability, list(summary["player"]))
    legend_below(below, [by_kind])
    text = (
        f"{number(facts['positions'])} positions; a move keeps the value if a win stays a win and a draw a draw; "
        "whiskers: 95 % intervals"
    )
    return Caption(text, f"{', '.join(label_of(str(name)) for name in summary['player'])}: judged by exact scores")


def _between(engines: int, step: float) -> float:
    """Return how far apart the engines of a row or a ply are, so that the whiskers of several are seen."""
    return min(step, 4.0 * step / engines)


def judged_style(index: int) -> dict[str, Any]:
    """Return colour and mark of the n-th engine that is judged."""
    return {"color": _COLOURS[index % len(_COLOURS)], "marker": _MARKS[index % len(_MARKS)], "linestyle": "-"}


def draw_against(axes: Axes, summary: pd.DataFrame, reference: pd.DataFrame, what: str) -> None:
    """Draw how often known engines keep the value against time or simulations, and the judged ones among them."""
    unit, known = (1e3 if what == "seconds" else 1.0), reference.dropna(subset=[what])
    known = known.assign(at=unit * known[what], engine_keeps=known["keeps_value"])
    judged = summary.assign(at=unit * summary[what])
    all_of = np.concatenate([known["at"], judged["at"].dropna()])
    plain(axes)
    label = "time per move (ms, median)" if what == "seconds" else "simulations per move"
    Scale(label, log=True, low=0.6 * all_of.min(), high=2.0 * all_of.max()).set(axes.xaxis, all_of)
    ends = _draw_known(axes, known)
    for index, (name, row) in enumerate(judged.groupby("player", sort=False)):
        look = {"markersize": 11.0, "zorder": 5.0, **judged_style(index)}
        if row[what].isna().all():  # no simulations
            kept, look["markersize"] = estimates(row, "keeps_value", 100.0), 8.0
            axes.axhline(kept[0][0], color=look["color"], linewidth=1.2, linestyle=(0, (4, 2)))
            draw_whiskers(axes, [1.6 * all_of.max() / 1.2**index], kept, **look)
            continue
        curves(axes, row, "at", "keeps_value", factor=100.0, look=look)
        at = float(row["at"].iloc[0]), 100.0 * float(row["keeps_value"].iloc[0])
        looks = {"color": look["color"], "fontsize": SMALL, "fontweight": "bold", "va": "top", "zorder": 6}
        _annotate(axes, label_of(str(name), 24), at, (8.0, -3.0), **looks)
    name_ends(axes, ends)


def _draw_known(axes: Axes, known: pd.DataFrame) -> list[End]:
    """Draw known engines, with a name beside each mark; return the ends of those that are lines."""
    looks = {engine: {"alpha": 0.9, "markersize": 4.0, **line_style(index)} for index, engine in enumerate(ENGINES)}
    ends = curves(axes, known, "at", "engine_keeps", by="engine", factor=100.0, looks=looks)
    points = dict(list(known.groupby("engine")))
    kept = []
    for end in ends:
        if len(points[end.name]) > 1:  # a name beside the end of a line would lie on another
            kept.append(end._replace(joined=False))
        else:
            at = (float(points[end.name]["at"].iloc[0]), end.value)
            look = {"color": end.style["color"], "fontsize": SMALL - 0.5, "zorder": 4}
            _annotate(axes, end.name, at, (5.0, 0.0), va="center", **look)
    return kept


def _annotate(axes: Axes, text: str, at: tuple[float, float], beside: tuple[float, float], **look: Any) -> None:
    axes.annotate(text, at, xytext=beside, textcoords="offset points", annotation_clip=False, bbox=_GROUND, **look)


def draw_kinds(axes: Axes, kinds: pd.DataFrame, reference: pd.DataFrame | None) -> None:
    """Draw how often the value is kept in each kind of positions, with known engines as grey marks."""
    shown = [kind for kind in KINDS if kind in set(kinds["kind"])]
    players = kinds.groupby("player", sort=False)
    series = [
        (
            estimates(of_player.set_index("kind").reindex(shown), "keeps_value", 100.0),
            {"fmt": _MARKS[index % len(_MARKS)], "color": judged_style(index)["color"], "label": label_of(str(player))},
        )
        for index, (player, of_player) in enumerate(players)
    ]
    between = _between(len(series), 0.18)
    rows(axes, shown, *series, apart=between, scale=Scale("value kept (%)", log=False, low=0.0, high=101.5))
    marks: dict[str, Any] = {"linestyle": "", "color": "0.6", "markersize": 5.0}
    for index, (engine, simulations) in enumerate(BESIDE.items() if reference is not None else ()):
        assert reference is not None
        same = (reference["engine"] == engine) & (reference["simulations"] == simulations).fillna(False)
        rates = 100.0 * reference[same].set_index("kind")["keeps_value"].reindex(shown)
        axes.plot(rates, range(len(shown)), marker="ov"[index], label=f"{engine}, {simulations:,} simulations", **marks)
    chance = 100.0 * kinds.drop_duplicates("kind").set_index("kind")["chance"].reindex(shown)
    marks |= {"color": "0.4", "markersize": 9.0}
    axes.plot(chance, range(len(shown)), marker="|", label="a random move", **marks)
    caption(axes, "value kept, by kind of positions", legend=False)


def draw_plies(axes: Axes, plies: pd.DataFrame, what: str) -> None:
    """Draw how often the value is kept against what the plies are, such as the stones on the board."""
    middle = 0.5 * (min(np.diff(sorted(set(plies["ply"]))), default=1) - 1)
    players = list(dict.fromkeys(plies["player"]))
    curves(
        axes,
        plies.assign(ply=plies["ply"] + middle),
        "ply",
        "keeps_value",
        by="player",
        factor=100.0,
        x_scale=Scale(what, log=False),
        y_scale=Scale(log=False, low=0.0, high=102.0),
        looks={player: judged_style(index) for index, player in enumerate(players)},
        apart=_between(len(players), 0.02),
    )
    chance = plies.drop_duplicates("ply")
    axes.plot(chance["ply"] + middle, 100.0 * chance["chance"], color="0.6", linewidth=1.0, linestyle=(0, (4, 2)))
    caption(axes, "value kept (%), by ply (dashed: by a random move)", legend=False)


def draw_values(axes: Axes, reliability: pd.DataFrame, players: list[str]) -> None:
    """Draw the mean result of best play against the engine's values: the reliability curve."""
    scale = Scale(log=False, low=-0.03, high=1.03)
    axes.plot([0.0, 1.0], [0.0, 1.0], color="0.6", linewidth=0.9, linestyle=(0, (4, 2)))
    looks = {player: judged_style(index) for index, player in enumerate(players)}
    x_scale = replace(scale, label="value said")
    curves(axes, reliability, "said", "got", by="player", x_scale=x_scale, y_scale=scale, looks=looks)
    if reliability.empty:
        axes.text(
            0.5, 0.5, "the engine gives no values", ha="center", va="center", color=GREY, fontsize=SMALL, bbox=_GROUND
        )
    caption(axes, "reliability: result of best play by predicted value (dashed: perfect)", legend=False)


TABLES = ("summary.csv", "timings.parquet", "by_kind.csv", "by_plies.csv", "reliability.csv", "reference.csv")
FIGURES = (Declared("judge", TABLES, draw, size=size_of, panels=True),)
