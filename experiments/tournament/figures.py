"""The figures of a tournament: the cross table as a heat map, and the ratings."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments.match.figures import LONG, draw_rows, draw_scores
from experiments.players.labels import short_columns
from numerics.output import tables
from numerics.output.style import called, caption, files, number, page, plain

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

_SHORT = 9  # letters of a name that fits under a column


def draw(folder: Path, facts: Mapping[str, Any]) -> list[Path]:
    """Draw the cross table and the ratings of a run folder."""
    pairs = short_columns(tables.read(folder / "pairs.csv"), "player", "opponent")
    standings = short_columns(tables.read(folder / "standings.csv"), "player")
    places = [folder / "figures" / name for name in ("crosstable", "ratings")]
    count = len(standings)
    beside = 0.6 + 0.065 * min(LONG, standings["player"].str.len().max())  # inches of the longest name
    with page(places[0], (beside + 1.6 + 0.72 * count, 1.4 + 0.5 * count)) as figure:
        draw_crosstable(figure.subplots(), pairs, list(standings["player"]))
    with page(places[1], (beside + 6.0, 1.5 + 0.38 * count)) as figure:
        draw_ratings(figure.subplots(), standings)
    return [file for place in places for file in files(place)]


def draw_crosstable(axes: Axes, pairs: pd.DataFrame, order: list[str]) -> None:
    """Draw every player's score against every other as a heat map."""
    scores = 100.0 * pairs.pivot(index="player", columns="opponent", values="score").loc[order, order]
    draw_scores(axes, scores, scores.map(lambda score: number(round(score, 1))))
    short = all(len(name) <= _SHORT for name in order)
    axes.set_yticklabels([called(name, LONG) + f"  {place}" * (not short) for place, name in enumerate(order, start=1)])
    axes.set_xticklabels([called(name) if short else str(place) for place, name in enumerate(order, start=1)])
    axes.set(xlabel="", ylabel="")
    caption(
        axes, f"Score of the row against the column, in %; {number(int(pairs['games'].iloc[0]))} games of each pair"
    )


def draw_ratings(axes: Axes, standings: pd.DataFrame) -> None:
    """Draw every player's Elo rating with its 95 % interval, the best on top."""
    axes.axvline(0.0, color="0.6", linewidth=0.8)
    names = [called(str(name), LONG) for name in standings["player"]]
    draw_rows(axes, standings[["elo", "elo_low", "elo_high"]], names, markersize=5.0)
    axes.set_xlabel("Elo rating (the players' mean is 0)")
    caption(axes, "Bradley-Terry fit with 95 % intervals; 400 points: odds of 10 to 1")
    plain(axes, "x")
