"""The trial of an engine in a few positions: without a legal move there, it is refused."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from connect4 import Board
from experiments.games.results import TOO_LATE
from experiments.games.rules import Connect4, Rules
from numerics.output.progress import show_doing
from numerics.players import Player, why_lost

TRIED = 3  # positions
_CONNECT4 = Connect4()
_FLUSH = "does it flush its output after each line, by print(..., flush=True) or fflush(stdout)?"


def first_positions(width: int, height: int, connect: int) -> list[Board]:
    """Return early positions of a board, those with 0, 1, ... stones side by side."""
    return [Board.from_moves(range(stones), width, height, connect) for stones in range(min(TRIED, width))]


def try_out(player: Player, boards: Sequence[Any], key: str, rules: Rules = _CONNECT4) -> None:
    """Ask an engine until it gives a legal move.

    Parameters
    ----------
    player : Player
    boards : sequence of Board, or of positions of another game
        At least one.
    key : str
        The user's argument, for the error message.
    rules : Rules
        The game; Connect 4 is that of any board.

    Raises
    ------
    ValueError
        None of its moves is legal; the sentence has the reason in the first position.
    """
    whys = []
    with show_doing("waiting for the first move of the engine"):
        for number, board in enumerate(boards):
            try:
                player.reset(number)
                move = player.play(board)
                if move in rules.legal_moves(board):
                    return
                whys.append(rules.refusal(board, move))
            except Exception as error:  # a player may raise anything
                whys.append(why_lost(error))
    flush = f"; {_FLUSH}" if TOO_LATE in whys[0] else ""
    raise ValueError(
        f"{key} must give a legal move in one of the first {len(boards)} positions; got none ({whys[0]}){flush}"
    )
