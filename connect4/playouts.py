"""Whole games of two uniformly random players, with their records: moves, lengths and results, one kernel call for all.

Game g has its own random stream and makes the draws that a rollout hook makes on that stream: a column is drawn until
it is open.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from connect4.board import Board
from connect4.kernels import bitboard_state, cells_state, fits_bitboard
from numerics import checks

PLAYOUTS = 210  # the purpose of random games' streams
MOST_GAMES = 100_000_000  # of one call, whose record must fit into memory


@dataclass(frozen=True)
class RandomGames:
    """The record of some games.

    Attributes
    ----------
    moves : int8[games, cells]
        The 0-based columns; -1 after the end.
    lengths : int64[games]
        Plies played.
    results : int8[games]
        1 where the player who began won, -1 where the other did, 0 for a draw.
    """

    moves: npt.NDArray[np.int8]
    lengths: npt.NDArray[np.int64]
    results: npt.NDArray[np.int8]


def random_games(
    width: int, height: int, connect: int, games: int, seed: int, first: int = 0, *, bits: bool | None = None
) -> RandomGames:
    """Play games number `first` ... `first + games - 1` of a seed from the empty board; each open column is as likely.

    Parameters
    ----------
    width, height, connect : int
        The board, as in `connect4.Board`.
    games : int
        At least 1.
    seed : int
        At least 0; with a game's number it decides all its moves, whatever else is played.
    first : int, default 0
        The number of the first game.
    bits : bool, optional
        Whether to play on a bitboard; where one fits unless given. Both give the same games.

    Raises
    ------
    ValueError
        A board or a number that is not allowed; one sentence that names it.

    Examples
    --------
    >>> record = random_games(7, 6, 4, games=1000, seed=0)
    >>> board = Board.from_moves(record.moves[5, : record.lengths[5]].tolist())
    >>> board.is_finished(), board.winner() == int(record.results[5])
    (True, True)
    """
    board = Board(width, height, connect)
    games = checks.whole("games", games, 1, most=MOST_GAMES)
    seed, first = checks.whole("seed", seed, 0), checks.whole("first", first, 0)

    from connect4 import playout_kernels
    from numerics.random import streams

    moves = np.full((games, board.width * board.height), -1, dtype=np.int8)
    lengths, results = np.empty(games, dtype=np.int64), np.empty(games, dtype=np.int8)
    on_bits = fits_bitboard(board.width, board.height) if bits is None else bits
    record: Any = playout_kernels.record_on_bits if on_bits else playout_kernels.record_on_cells
    state = bitboard_state(board) if on_bits else cells_state(board)
    record(state, board.width, streams(seed, (PLAYOUTS,), first, games), moves, lengths, results)
    return RandomGames(moves, lengths, results)
