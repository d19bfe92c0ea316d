"""The exact score that every move of a played game gave away, and the move that decided the game.

A game is judged from its end to its beginning, because each solved position helps to solve the one before. Only proven
facts are stored: a position that is not solved in time has no score, and has a value only if the proven bounds decide
it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from connect4 import Board, notation
from experiments.games.results import forfeit
from experiments.players import proven
from experiments.players.proven import Bounds
from numerics.output import tables

if TYPE_CHECKING:
    import pandas as pd

MOVE, START, FORFEIT, UNKNOWN = "move", "start", "forfeit", "unknown"  # what decided a game
PHASES = ("early", "middle", "late")

MOVES = {
    "game": "int64",
    "ply": "int64",
    "player": "str",
    "column": "int64",
    "score_before": "Int64",
    "score_after": "Int64",
    "loss": "Int64",
    "value_before": "Float64",
    "value_after": "Float64",
    "keeps_value": "boolean",
    "decided": "bool",
}
"""The columns of moves.parquet, one row a move of a player; moves of the opening have none.

game, ply
    The game's number, and the stones on the board before the move.
player, column
    Who made it (a label), and the 0-based column.
score_before, score_after
    The exact score of the position for the player, before and after the move; empty where it is not proven.
loss
    By how much the score fell, at least 0; one point is a win two plies later, or a loss two plies sooner.
value_before, value_after
    1 for a win, 1/2 for a draw, 0 for a loss of the player, if both sides play their best; empty if not proven.
keeps_value
    Whether the two are equal; a move that does not keep the value is a blunder.
decided
    Whether it is the blunder that decided the game: the last one, after which the value was the result to the end.
"""
DECISIONS = {"game": "int64", "decided_by": "str", "ply": "Int64", "player": "str"}
"""The columns of decisions.parquet, one row a game.

decided_by
    "move" (a blunder), "start" (the result is the value of the position that the players began with, which nobody
    changed), "forfeit" (an illegal move, an error or the time), or "unknown" (a position is not solved that may have
    been changed in value last).
ply, player
    Of the blunder; empty where none decided the game.
"""


def judge(path: Path, games: pd.DataFrame, empty: Board, seconds: float) -> None:
    """Judge games, and store their decisions and then their moves."""
    judgements = [judge_game(game, empty, seconds) for game in games.to_dict("records")]
    moves = [row for rows, _ in judgements for row in rows]
    tables.write(tables.table_of([decision for _, decision in judgements]).astype(DECISIONS), _decisions_of(path))
    tables.write(tables.table_of(moves, columns=list(MOVES)).astype(MOVES), path)


def read(path: Path) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the moves and the decisions that `judge` stored."""
    return tables.read(path), tables.read(_decisions_of(path))


def _decisions_of(path: Path) -> Path:
    return path.with_name(f"decided_{path.name}")


def judge_game(
    game: Mapping[Any, Any], empty: Board, seconds: float, before_each: Callable[[], None] = lambda: None
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Judge a game.

    Parameters
    ----------
    game : mapping
        A row of games.parquet.
    empty : Board
        The board it was played on, without stones.
    seconds : float
        At most, for each position.
    before_each : callable
        Called before each move is judged; an exception that it raises ends the work.

    Returns
    -------
    rows, decision
        The rows of moves.parquet, and the row of decisions.parquet.
    """
    moves = notation.parse(str(game["moves"]), empty.width)
    given = len(notation.parse(str(game["opening"]), empty.width))
    players = (str(game["player1"]), str(game["player2"]))
    players = players if game["first_player"] == 1 else players[::-1]
    board = Board.from_moves(moves, empty.width, empty.height, empty.connect)
    rows: list[dict[str, Any]] = []
    for ply in reversed(range(given, len(moves))):
        before_each()
        board.undo()
        after = proven.after_move(board, moves[ply], seconds)
        before = proven.bounds_of(board.copy(), seconds)
        if before.low < after.low:  # the move itself proves this bound
            before = Bounds(after.low, max(before.high, after.low))
        rows.append(_row(int(game["game"]), ply, players[ply % 2], moves[ply], before, after))
    rows.reverse()
    decision = _decision(rows, int(game["game"]), str(game["ending"]))
    return rows, decision


def _row(game: int, ply: int, player: str, column: int, before: Bounds, after: Bounds) -> dict[str, Any]:
    """Return a row of moves.parquet; None for a fact that is not proven."""
    scores, values = (before.score, after.score), (before.value, after.value)
    return {
        "game": game,
        "ply": ply,
        "player": player,
        "column": column,
        "score_before": scores[0],
        "score_after": scores[1],
        "loss": None if None in scores else before.low - after.low,
        "value_before": values[0],
        "value_after": values[1],
        "keeps_value": None if None in values else values[0] == values[1],
        "decided": False,
    }


def _decision(rows: Sequence[dict[str, Any]], game: int, ending: str) -> dict[str, Any]:
    """Find the last blunder, mark it, and return the row of decisions.parquet."""
    decision = {"game": game, "decided_by": START, "ply": None, "player": ""}
    if forfeit(ending):
        return {**decision, "decided_by": FORFEIT}
    for row in reversed(rows):
        if row["keeps_value"] is None:
            return {**decision, "decided_by": UNKNOWN}
        if not row["keeps_value"]:
            row["decided"] = True
            return {**decision, "decided_by": MOVE, "ply": row["ply"], "player": row["player"]}
    return decision


def phase(ply: int, cells: int) -> str:
    """Return the third of the board that is being filled when a move is made after so many stones.

    Examples
    --------
    >>> phase(0, 42), phase(13, 42), phase(14, 42), phase(41, 42)
    ('early', 'early', 'middle', 'late')
    """
    return PHASES[3 * ply // cells]
