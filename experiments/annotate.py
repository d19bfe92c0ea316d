"""`python -m experiments.annotate FOLDER`: each move of the games of a run judged by its exact score.

The tables and the figure are in FOLDER/annotation, or in the folder given by into=. Which scores are found in time
depends on the machine, but each score is exact. The same command resumes an interrupted run.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from connect4 import Board, notation, screen
from connect4.notation import SIGNS, number_of_column
from connect4.solver.results import with_sign
from experiments.engine import printing, runs
from experiments.engine.errors import guarded, leave
from experiments.engine.executors.threads import Threads
from experiments.engine.folders import existing
from experiments.games.judged_moves import FORFEIT, MOVE, START, judge_game
from experiments.games.positions import PositionRules
from experiments.games.referee import text_of, words_of
from experiments.games.results import ending_text, row_of
from experiments.games.rules import Connect4, Rules
from experiments.kinds.annotation.experiment import Annotation
from experiments.players.proven import after_move
from numerics.commands import Command, word
from numerics.output import tables
from numerics.output.sheets import Column, Facts, Row, Sheet, is_known
from numerics.parameters import parameter
from numerics.positions import moves_of, scores_of

if TYPE_CHECKING:
    import pandas as pd

_VALUES = {1.0: "a win", 0.5: "a draw", 0.0: "a loss"}


class Annotate(Command, module="experiments.annotate"):
    """Which run is annotated, and how."""

    folder: str = word(help="folder of a match or tournament, such as results/match/latest")
    game: int | None = parameter(None, low=0, help="number of a game to print, with its blunders")
    into: str | None = parameter(None, help="output folder; default: FOLDER/annotation")
    seconds: float = parameter(
        Annotation.seconds, low=0.0, above=True, help="time limit for a position of Connect 4, in seconds"
    )
    workers: int | None = parameter(None, low=1, help="number of threads; default: one per core")


def main(words: Sequence[str] | None = None) -> None:
    """Read the command line, judge, and say what is found."""
    given = Annotate.read(words)
    folder = existing(Path(given.folder))
    annotation = Annotation(executor=Threads(workers=given.workers), run=str(folder), seconds=given.seconds)
    if given.game is not None:
        games, rules = annotation.played
        show_game(row_of(games, given.game), rules, annotation.seconds)
        return
    config = annotation.config
    try:
        runs.perform(annotation, config, Path(given.into) if given.into else folder / "annotation")
    except ValueError as error:
        raise ValueError(str(error).replace("hydra.run.dir", "into", 1)) from None


def show_game(game: Mapping[Any, Any], rules: Rules, seconds: float) -> None:
    """Judge a row of games.parquet and print it: each move, and the position with all scores before each blunder."""
    rows, decision = judge_game(game, rules, seconds)
    first, second = (game[name] for name in ("player1", "player2")[:: 1 if game["first_player"] == 1 else -1])
    if isinstance(rules, Connect4):
        printing.say(f"game {game['game']}: {first} (X) moves first, {second} (O) second")
    else:
        printing.say(f"game {game['game']} {rules.title}: {first} moves first, {second} second")
    for filled in MOVES.of(tables.table_of(rows), {"opening": str(game["opening"])}):
        printing.show(filled)
    positions = _positions(game, rules)
    for row in rows:
        if row["keeps_value"] is False:
            if isinstance(rules, Connect4):
                _show_board(row, positions[row["ply"]], seconds)
            else:
                _show_position(row, positions[row["ply"]])
    printing.say(f"\n{ending_text(game)}; {_describe_decision(decision)}")


def _positions(game: Mapping[Any, Any], rules: Rules) -> list[Any]:
    """Return the position before each move of a game."""
    if isinstance(rules, PositionRules):
        return [position for _, _, position in rules.replayed(str(game["moves"]), int(game["seed"]))]
    assert isinstance(rules, Connect4)
    columns = tuple(notation.parse(str(game["moves"]), rules.empty.width))
    return [rules.reached(columns[:ply]) for ply in range(len(columns))]


def _show_board(row: Mapping[str, Any], board: Board, seconds: float) -> None:
    """Print a blunder of Connect 4, below the board before it."""
    sign = SIGNS[board.to_move]
    printing.say(f"\nbefore move {row['ply'] + 1}, {row['player']} ({sign}) to move, scores of the columns:")
    scores = [""] * board.width
    for column in board.legal_moves():
        bounds = after_move(board, column, seconds)
        upper = "" if bounds.score is not None else f"..{with_sign(bounds.high)}"
        scores[column] = f"{with_sign(bounds.low)}{upper}"
    printing.say_screen(screen.lines(board, scores, colour=True))
    printing.say(f"{sign} played column {number_of_column(row['column'])}; {_change(row)}")


def _show_position(row: Mapping[str, Any], position: Any) -> None:
    """Print a blunder of another game, below the position before it."""
    printing.say(f"\nbefore move {row['ply'] + 1}, {row['player']} to move, moves by score:")
    if text := text_of(position):
        printing.say(text)
    words: dict[int, list[str]] = {}
    for written, score in zip(words_of(moves_of(position)), scores_of(position), strict=True):
        words.setdefault(score, []).append(written)
    for score in sorted(words, reverse=True):
        printing.say(f"{with_sign(score)}: {', '.join(words[score])}")
    printing.say(f"{row['player']} played {row['move']}; {_change(row)}")


def _title(frame: pd.DataFrame, facts: Facts) -> str:
    after = f" after the opening {facts['opening']}" if facts["opening"] else ""
    counted = "; columns from 1; empty: not solved" if "column" in frame else ""
    return f"exact scores for the side to move{after}{counted}"


def _score(row: Row, name: str) -> str:
    return with_sign(int(row[name])) if is_known(row[name]) else ""


def _columns(frame: pd.DataFrame, facts: Facts) -> Sequence[Column]:
    """Return the columns; sides and columns are those of a board of Connect 4."""
    if "column" in frame:
        moved = (
            Column("side", lambda row: "XO"[row["ply"] % 2]),
            Column("column", lambda row: str(number_of_column(row["column"]))),
        )
    else:
        moved = Column("player", lambda row: row["player"], number=False), Column("played", lambda row: row["move"])
    return (
        Column("move", lambda row: str(row["ply"] + 1)),
        *moved,
        Column("score before", functools.partial(_score, name="score_before")),
        Column("score after", functools.partial(_score, name="score_after")),
        Column("loss", lambda row: f"{row['loss']:.0f}" if is_known(row["loss"]) else ""),
        Column("", lambda row: _note(row), number=False),
    )


MOVES = Sheet("", _title, _columns)


def _note(row: Row) -> str:
    return _change(row) + ", decided the game" * row["decided"] if row["keeps_value"] is False else ""


def _change(row: Mapping[str, Any]) -> str:
    return f"blunder: {_VALUES[row['value_before']]} becomes {_VALUES[row['value_after']]}"


def _describe_decision(decision: Mapping[str, Any]) -> str:
    """Return what decided a game."""
    if decision["decided_by"] == MOVE:
        return f"{decision['player']} decided the game with move {decision['ply'] + 1}"
    if decision["decided_by"] == START:
        return "the starting position already had this value"
    if decision["decided_by"] == FORFEIT:
        return "the game was decided by forfeit"
    return "the deciding move is unknown because a position was not solved"


if __name__ == "__main__":
    leave(guarded(main))
