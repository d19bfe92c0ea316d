"""A game of Connect 4 as JSON: its moves, each blunder by exact scores, and the blunder that decided it."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from connect4 import Board
from connect4.solver.solver import check_solvable
from experiments.games.judged_moves import judge_game
from experiments.games.results import ending_text
from experiments.games.rules import Connect4
from experiments.players.proven import after_move
from experiments.recordings.packed import position_of

_QUICKLY, _PATIENTLY = 0.3, 3.0  # seconds for a position; the second if the first is too short for some
_LONGEST = 20.0  # seconds for a game that is judged patiently
_NOT_JUDGED: dict[str, Any] = {"blunders": [], "deciding": None, "decided_by": "unknown", "moves": []}


class _Enough(Exception):
    """Raised when judging a game takes too long."""


def game_recording(game: Mapping[str, Any], command: str) -> dict[str, Any]:
    """Return a described game as a recording, which `command` makes again."""
    title = f"{' against '.join(game['players'])}: {game['ending']}"
    return {"kind": "game", "version": 1, "title": title, "command": command, **game}


def row_of(
    board: Board, players: Sequence[str], result: int | None = None, ending: str | None = None, opening: str = ""
) -> dict[str, Any]:
    """Return a game as a row of games.parquet.

    Parameters
    ----------
    board : Board
        The last position.
    players : sequence of str
        X, who moves first, and O.
    result : int, optional
        1 if X has won, 0 for a draw, -1 if O has won; that of the board unless given.
    ending : str, optional
        "row", "full", or the forfeit that lost the game; that of the board unless given.
    opening : str
        Moves that nobody of the two chose.

    Examples
    --------
    >>> row = row_of(Board.from_moves("1212121"), ["uct", "random"])
    >>> row["winner"], row["ending"]
    ('uct', 'row')
    """
    result = board.winner() if result is None else result
    return {
        "moves": board.notation,
        "plies": board.plies,
        "result": result,
        "player1": players[0],
        "player2": players[1],
        "winner": {1: players[0], 0: "draw", -1: players[1]}[result],
        "first_player": 1,
        "opening": opening,
        "ending": ending or ("row" if result else "full"),
        "game": 0,
    }


def left_game(row: Mapping[Any, Any], board: Board) -> dict[str, Any]:
    """Return the description of a game that is not over, which is not judged."""
    ending = f"Left after {board.plies} {'ply' if board.plies == 1 else 'plies'}"
    return {**_describe_unjudged(row, board), "ending": ending, **_NOT_JUDGED, "why": "the game is not over"}


def judged_game(row: Mapping[Any, Any], board: Board, check: Callable[[], None] = lambda: None) -> dict[str, Any]:
    """Return the description of a game, judged if its positions can be solved.

    Parameters
    ----------
    row : mapping
        A row of games.parquet.
    board : Board
        The last position.
    check : callable
        Called before each move is judged; an exception that it raises ends the work.
    """
    described = _describe_unjudged(row, board)
    try:
        check_solvable(Board(board.width, board.height, board.connect))
    except ValueError as error:
        return {**described, **_NOT_JUDGED, "why": str(error)}
    rows, decision, seconds = judged_patiently(row, board, check)
    return {
        **described,
        "blunders": [_blunder(move, board, seconds) for move in rows if move["keeps_value"] is False],
        "deciding": decision["ply"],
        "decided_by": decision["decided_by"],
        "moves": [{name: move[name] for name in ("ply", "score_before", "score_after", "loss")} for move in rows],
        "why": None,
    }


def judged_patiently(
    row: Mapping[Any, Any], board: Board, check: Callable[[], None]
) -> tuple[list[dict[str, Any]], dict[str, Any], float]:
    """Judge a game, again with more time if some position needs it.

    Returns
    -------
    rows, decision, seconds
        The moves, what decided the game, and the seconds that a position took at most.
    """
    end, rules = time.monotonic() + _LONGEST, Connect4(board=f"{board.width}x{board.height}", connect=board.connect)

    def look() -> None:
        check()
        if time.monotonic() > end:
            raise _Enough

    judgement = (*judge_game(row, rules, _QUICKLY, check), _QUICKLY)
    if any(move["keeps_value"] is None for move in judgement[0]):
        with contextlib.suppress(_Enough):
            judgement = (*judge_game(row, rules, _PATIENTLY, look), _PATIENTLY)
    return judgement


def _describe_unjudged(row: Mapping[Any, Any], board: Board) -> dict[str, Any]:
    """Return the description of a game that is not judged."""
    names = (str(row["player1"]), str(row["player2"]))
    return {
        "position": position_of(board),
        "players": list(names if row["first_player"] == 1 else names[::-1]),  # X, who moves first, and O
        "result": int(row["result"]) * (1 if row["first_player"] == 1 else -1),  # of X: 1, 0 or -1
        "ending": ending_text(row),
        "opening": str(row["opening"]),
    }


def _blunder(row: Mapping[str, Any], game: Board, seconds: float) -> dict[str, Any]:
    """Return the description of a blunder: the played column and the best ones, 0-based."""
    before = game.copy()
    while before.plies > row["ply"]:
        before.undo()
    known = {column: after_move(before, column, seconds) for column in before.legal_moves()}
    best = max(known, key=lambda column: (known[column].low, known[column].high, -column))
    return {"ply": row["ply"], "played": row["column"], "best": best, "loss": row["loss"]}
