"""One game of two players under the rules: an illegal move or an exception loses."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral
from typing import Any, TypeVar

from connect4 import notation
from connect4.notation import SIGNS
from connect4.position import Position
from numerics import checks
from numerics.players import Player, Plays, chooser_of, why_lost

Board = TypeVar("Board", bound=Position)
LONGEST_ENDING = 80  # characters, to fit a cell of a table


@dataclass(frozen=True)
class GameRecord:
    """How a game went.

    Attributes
    ----------
    result : int
        1, -1, or 0 for a draw.
    moves : tuple of int
        0-based columns, including the opening.
    ending : str
        "row" or "full"; for a game lost otherwise the reason, such as "illegal move: column 1 is full".
    seconds : tuple of two floats
        The thinking time of player 1 and of player -1.
    """

    result: int
    moves: tuple[int, ...]
    ending: str
    seconds: tuple[float, float]


def play_game(
    player1: Plays[Board] | Callable[[Board], int], player2: Plays[Board] | Callable[[Board], int], board: Board
) -> GameRecord:
    """Play a game to its end, `player1` moving for 1, and return its record.

    Parameters
    ----------
    player1, player2 : player
        Anything with ``play(board) -> column``, or a function of a board.
    board : Board
        The position to begin from; holds the final position when this returns.
    """
    players = {1: player1, -1: player2}
    seconds = {1: 0.0, -1: 0.0}
    given_up = None
    while given_up is None and not board.is_finished():
        mover = board.to_move
        choose = chooser_of(players[mover])
        start = time.perf_counter()
        try:
            column = choose(board.copy())  # a player may play on its board without changing the game's
        except Exception as error:
            given_up = why_lost(error)
        finally:
            seconds[mover] += time.perf_counter() - start
        if given_up is None:
            try:
                board.play(column)
            except ValueError:
                given_up = refusal_of(column, board.width)
    result = board.winner() if given_up is None else -board.to_move
    ending = ("row" if result else "full") if given_up is None else one_line(given_up)
    ending_text = "the board is full: a draw."
    if result != 0:
        ending_text = (
            f"{SIGNS[result]} wins." if ending == "row" else f"{SIGNS[result]} wins ({SIGNS[-result]}: {ending})."
        )
    for player in players.values():
        if isinstance(player, Player):
            player.watch(board.copy(), ending_text)
    return GameRecord(result, board.moves, ending, (seconds[1], seconds[-1]))


def refusal_of(column: Any, width: int) -> str:
    """Return what is wrong with an answer that cannot be played in an unfinished game.

    Examples
    --------
    >>> refusal_of(0, 7), refusal_of(7, 7)
    ('illegal move: column 1 is full', 'illegal move: returned 7; columns count from 0 to 6')
    """
    try:
        column = checks.check_whole("column", column, 0, width - 1)
    except ValueError:
        hint = f"; columns count from 0 to {width - 1}" if isinstance(column, Integral) and column == width else ""
        return f"illegal move: returned {column!r}{hint}"
    return f"illegal move: column {notation.number_of_column(column)} is full"


def one_line(text: str) -> str:
    """Return a text on one line, cut to fit a cell of a table."""
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_ENDING else f"{line[: LONGEST_ENDING - 3]}..."
