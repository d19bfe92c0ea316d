"""`python -m experiments.annotate FOLDER`: each move of the games of a run judged by its exact score.

The tables and the figure lie in FOLDER/annotation, unless into= names another place. Which scores are found in time
depends on the machine; what is found is exact, and a run that was stopped goes on where it was.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from connect4 import Board, screen
from connect4.notation import SIGNS, number_of_column
from connect4.solver.results import with_sign
from experiments.engine import printing, runs
from experiments.engine.errors import guarded, leave
from experiments.engine.executors.threads import Threads
from experiments.engine.folders import existing
from experiments.games.judged_moves import FORFEIT, MOVE, START, judge_game
from experiments.games.results import ending_text, row_of
from experiments.kinds.annotation.experiment import Annotation
from experiments.players.proven import after_move
from numerics.commands import Command, word
from numerics.output import tables
from numerics.output.sheets import Column, Facts, Row, Sheet, is_known
from numerics.parameters import parameter

if TYPE_CHECKING:
    import pandas as pd

_VALUES = {1.0: "a win", 0.5: "a draw", 0.0: "a loss"}


class Annotate(Command, module="experiments.annotate"):
    """Which run is annotated, and how."""

    folder: str = word(help="of a match or tournament, such as results/match/latest")
    game: int | None = parameter(None, low=0, help="print this one game and its blunders instead")
    into: str | None = parameter(None, help="where; FOLDER/annotation unless given")
    seconds: float = parameter(Annotation.seconds, low=0.0, above=True, help="for a position at most")
    workers: int | None = parameter(None, low=1, help="threads; one a core unless given")


def main(words: Sequence[str] | None = None) -> None:
    """Read the command line, judge, and say what is found."""
    given = Annotate.read(words)
    folder = existing(Path(given.folder))
    annotation = Annotation(executor=Threads(workers=given.workers), run=str(folder), seconds=given.seconds)
    if given.game is not None:
        games, empty = annotation.games
        show_game(row_of(games, given.game), empty, annotation.seconds)
        return
    config = annotation.config
    try:
        runs.perform(annotation, config, Path(given.into) if given.into else folder / "annotation")
    except ValueError as error:
        raise ValueError(str(error).replace("hydra.run.dir", "into", 1)) from None


def show_game(game: Mapping[Any, Any], empty: Board, seconds: float) -> None:
    """Judge a row of games.parquet and print it: each move, and the board with all scores before each blunder."""
    rows, decision = judge_game(game, empty, seconds)
    players = {SIGNS[1]: game["player1"], SIGNS[-1]: game["player2"]}
    if game["first_player"] == 2:
        players = dict(zip(players, reversed(players.values()), strict=True))
    printing.say(f"game {game['game']}: {players[SIGNS[1]]} (X) moves first, {players[SIGNS[-1]]} (O) second")
    for filled in MOVES.of(tables.table_of(rows), {"opening": str(game["opening"])}):
        printing.show(filled)
    for row in rows:
        if row["keeps_value"] is False:
            board = Board.from_moves(str(game["moves"]), empty.width, empty.height, empty.connect)
            while board.plies > row["ply"]:
                board.undo()
            sign = SIGNS[board.to_move]
            printing.say(
                f"\nbefore move {row['ply'] + 1}, {row['player']} ({sign}) to move, with the score of each column:"
            )
            scores = [""] * board.width
            for column in board.legal_moves():
                bounds = after_move(board, column, seconds)
                upper = "" if bounds.score is not None else f"..{with_sign(bounds.high)}"
                scores[column] = f"{with_sign(bounds.low)}{upper}"
            printing.say_screen(screen.lines(board, scores, colour=True))
            printing.say(f"{sign} played column {number_of_column(row['column'])}; {_change(row)}")
    printing.say(f"\n{ending_text(game)}; {_describe_decision(decision)}")


def _title(frame: pd.DataFrame, facts: Facts) -> str:
    after = f" after the opening {facts['opening']}" if facts["opening"] else ""
    return f"exact scores for the side that moves{after}; columns from 1; empty: not solved"


def _score(row: Row, name: str) -> str:
    return with_sign(int(row[name])) if is_known(row[name]) else ""


MOVES = Sheet(
    "",
    _title,
    (
        Column("move", lambda row: str(row["ply"] + 1)),
        Column("side", lambda row: "XO"[row["ply"] % 2]),
        Column("column", lambda row: str(number_of_column(row["column"]))),
        Column("score before", functools.partial(_score, name="score_before")),
        Column("score after", functools.partial(_score, name="score_after")),
        Column("loss", lambda row: f"{row['loss']:.0f}" if is_known(row["loss"]) else ""),
        Column("", lambda row: _note(row), number=False),
    ),
)


def _note(row: Row) -> str:
    return _change(row) + ", decided the game" * row["decided"] if row["keeps_value"] is False else ""


def _change(row: Mapping[str, Any]) -> str:
    return f"blunder: {_VALUES[row['value_before']]} becomes {_VALUES[row['value_after']]}"


def _describe_decision(decision: Mapping[str, Any]) -> str:
    """Return what decided a game."""
    if decision["decided_by"] == MOVE:
        return f"{decision['player']} decided it by move {decision['ply'] + 1}"
    if decision["decided_by"] == START:
        return "that was the value of the position it began with, and nobody changed it"
    if decision["decided_by"] == FORFEIT:
        return "a forfeit decided it"
    return "what decided it is not known, because a position is not solved"


if __name__ == "__main__":
    leave(guarded(main))
