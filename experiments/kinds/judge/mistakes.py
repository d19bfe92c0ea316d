"""The moves by which an engine lost value or points, the worst first: a table, and how people read it."""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from connect4 import Board, drawing, notation
from connect4.solver.results import with_sign
from experiments.games.referee import text_of
from experiments.games.rules import Connect4
from experiments.graded_positions.positions import Graded, sign
from experiments.kinds.judge.results import kind_of, result_of
from numerics.output import tables
from numerics.output.sheets import Column, Facts, Row, Sheet, number, word

if TYPE_CHECKING:
    import pandas as pd

TABLE = "mistakes.csv"
MISTAKES = {
    "player": "str",
    "position": "int64",
    "kind": "str",
    "moves": "str",
    "played": "str",
    "best": "str",
    "before": "str",
    "after": "str",
    "value_lost": "float64",
    "points_lost": "float64",
    "engine_value": "float64",
    "scores": "str",
    "failure": "str",
}
"""The columns of mistakes.csv, a row for each move that is not a best one.

player, position, kind
    The label, the number of the position in the set, and its kind as the report calls it.
moves
    That lead to the position, columns from 1, as every command reads them; moves of another game separated by spaces.
played, best
    The engine's move, empty without a legal one, and all moves of the highest score, separated by spaces; columns
    from 1.
before, after
    What the side to move gets under best play: win, draw or loss; a move that is missing or illegal loses.
value_lost
    1 from a win to a loss, 0.5 for half of it, 0 where only the score falls.
points_lost
    The best score minus that of the move; NaN without a legal move.
engine_value
    The engine's value of the position for the side to move, from 0 to 1; NaN if it gives none.
scores
    Of the columns from left to right, separated by commas; empty for a full column. In another game of the legal moves.
failure
    Why there is no legal move; else empty.
"""
ELSEWHERE = {"drawn": "str"}
"""The column of mistakes.csv that only another game than Connect 4 has: the position as its class writes it."""
_RESULTS = {1: "win", 0: "draw", -1: "loss"}
_SHOWN, _FEW = 12, 5  # mistakes of a player in the report, and in a terminal
_PICTURE = '<svg style="display:block;width:12rem;height:auto" '


def mistakes_of(choices: pd.DataFrame, chosen: Sequence[tuple[Graded, str]]) -> pd.DataFrame:
    """Return the moves of each player that are not best ones, those that lost most first: value, then points.

    Parameters
    ----------
    choices : pandas.DataFrame
        As `experiments.graded_positions.choices.CHOICES` describes it.
    chosen : sequence of (Graded, str)
        The positions by their numbers, each with its kind.

    Returns
    -------
    pandas.DataFrame
        As `MISTAKES` describes it; players in the order of the choices.
    """
    wrong = choices[~choices["best"]].to_dict("records")
    columns = MISTAKES if isinstance(chosen[0][0].rules, Connect4) else {**MISTAKES, **ELSEWHERE}
    table = tables.table_of([_mistake(choice, *chosen[choice["position"]]) for choice in wrong], list(columns))
    order = {player: index for index, player in enumerate(choices["player"].unique())}
    worst = table.astype(columns).assign(order=table["player"].map(order))
    keys = ["order", "value_lost", "points_lost", "position"]
    return worst.sort_values(keys, ascending=[True, False, False, True], ignore_index=True)[list(columns)]


def _mistake(choice: Row, graded: Graded, kind: str) -> dict[str, Any]:
    rules = graded.rules
    place = choice["column"] if isinstance(rules, Connect4) else choice["place"]
    score = graded.scores[place] if place >= 0 else None
    before, after = sign(graded.top), -1 if score is None else sign(score)
    words = rules.words(graded.options)
    return {
        **{name: choice[name] for name in ("player", "position", "failure")},
        "kind": kind_of(graded, kind),
        "moves": rules.write_opening(graded.moves),
        "played": "" if score is None else words[place],
        "best": " ".join(word for word, value in zip(words, graded.scores, strict=True) if value == graded.top),
        "before": _RESULTS[before],
        "after": _RESULTS[after],
        "value_lost": result_of(before) - result_of(after),
        "points_lost": np.nan if score is None else graded.top - score,
        "engine_value": choice["value"],
        "scores": ",".join("" if value is None else str(value) for value in graded.scores),
        "drawn": "" if isinstance(rules, Connect4) else text_of(graded.board),
    }


def _worst_moves(frame: pd.DataFrame, facts: Facts) -> Iterator[tuple[Facts, pd.DataFrame]]:
    """Yield the worst moves of each player, with its name and how many there are of each sort."""
    if "game" not in facts:
        width, height = notation.size_of(facts["board"])
        frame = frame.assign(width=width, height=height, connect=facts["connect"])
    for player, of_player in frame.groupby("player", sort=False):
        lost = int((of_player["value_lost"] > 0).sum())
        counts = {"player": player, "lost": lost, "slower": len(of_player) - lost}
        yield {**facts, **counts}, of_player.head(_SHOWN)


def _picture(row: Row) -> str:
    """Return the position with the score of each column below it, the best in bold, that of the move in brackets.

    A position of another game is as its class writes it.
    """
    if "drawn" in row:
        return f"<pre>{html.escape(row['drawn'])}</pre>"
    board = Board.from_moves(row["moves"], row["width"], row["height"], row["connect"])
    best, played = ([int(text) - 1 for text in row[name].split()] for name in ("best", "played"))
    scores = [with_sign(int(text)) if text else "" for text in row["scores"].split(",")]
    below = [f"({text})" if column in played else text for column, text in enumerate(scores)]
    return drawing.svg(board, drawing.Notes(below=below, bold=best)).strip().replace("<svg ", _PICTURE, 1)


def _cost(row: Row) -> str:
    return f"{row['before']} to {row['after']}" if row["value_lost"] else f"still a {row['before']}"


WORST = Sheet(
    TABLE,
    lambda frame, facts: (
        f"{facts['player']}: {facts['lost']:,} of {facts['positions']:,} moves lost value and {facts['slower']:,} more "
        f"lost points; the worst moves{'' if 'game' in facts else ', columns from 1'}"
    ),
    (
        Column("position, as moves", lambda row: row["moves"], number=False, whole=True, picture=_picture),
        Column("played", lambda row: row["played"] or row["failure"], number=False),
        word("best"),
        Column("result", _cost, number=False),
        number("points lost", "points_lost", ",.0f"),
        number("engine's value", "engine_value", ".2f", optional=1),
    ),
    blocks=_worst_moves,
    few=_FEW,
)


def notes(folder: Path, facts: Facts) -> list[str]:
    """Say where all mistakes are, and which commands open the worst position."""
    table = tables.read(folder / TABLE)
    if table.empty:
        return ["every move is optimal"]
    everything = f"all {len(table):,} suboptimal moves, worst first: {TABLE} in the run folder"
    if "game" in facts:
        return [f"{everything}; the report shows the worst positions"]
    size = "" if (facts["board"], facts["connect"]) == ("7x6", 4) else f" board={facts['board']}"
    size += f" connect={facts['connect']}" if facts["connect"] != 4 else ""
    moves = table["moves"].iloc[0]
    return [
        f"{everything}; the report shows boards of the worst ones with the scores (bold: best, brackets: played)",
        f"the first position with its scores: python -m connect4.solver {moves}{size}; to play from it: "
        f"python -m experiments.play moves={moves}{size} player=perfect",
    ]
