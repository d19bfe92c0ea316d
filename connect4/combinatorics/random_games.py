"""Whole games of two uniformly random players in one kernel call, with their moves, lengths and results.

Each game has a random stream and makes the same draws as a playout hook on that stream: it draws columns until one is
open. The kernels take the state in which every game begins, its number of columns and a stream for each game. They
write the record: moves, which the caller has filled with -1, lengths and results.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from connect4.board import Board
from connect4.kernels.bitboard import BOARD, CONNECT, FILLED, MINE, STRIDE, connects
from connect4.kernels.encode import bitboard_state, form_of, is_wide
from numerics import checks
from numerics.kernels.jit import kernel
from numerics.kernels.words import as_int, bitboards_of, one_of
from numerics.random import Purpose, advance, streams

MOST_GAMES = 100_000_000  # a call, whose record must fit into memory


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
    width: int, height: int, connect: int, games: int, seed: int, first: int = 0, *, wide: bool | None = None
) -> RandomGames:
    """Play games number `first` ... `first + games - 1` of a seed from the empty board, uniformly at random.

    Parameters
    ----------
    width, height, connect : int
        The board, as in `connect4.Board`.
    games : int
        At least 1.
    seed : int
        At least 0; seed and number of a game decide all its moves.
    first : int, default 0
        The number of the first game.
    wide : bool, optional
        Whether to play on bitboards of two words; by default where one word is not enough. Both give the same games.

    Raises
    ------
    ValueError
        A board or a number out of range; the sentence names it.

    Examples
    --------
    >>> record = random_games(7, 6, 4, games=1000, seed=0)
    >>> board = Board.from_moves(record.moves[5, : record.lengths[5]].tolist())
    >>> board.is_finished(), board.winner() == int(record.results[5])
    (True, True)
    """
    board = Board(width, height, connect)
    games = checks.check_whole("games", games, 1, most=MOST_GAMES)
    seed, first = checks.check_whole("seed", seed, 0), checks.check_whole("first", first, 0)
    moves = np.full((games, board.width * board.height), -1, dtype=np.int8)
    lengths, results = np.empty(games, dtype=np.int64), np.empty(games, dtype=np.int8)
    wide = is_wide(board.width, board.height) if wide is None else wide
    record, state = form_of(record_games, wide=wide), bitboard_state(board, wide=wide)
    record(state, board.width, streams(seed, (Purpose.RANDOM_GAME,), first, games), moves, lengths, results)
    return RandomGames(moves, lengths, results)


_RECORD = "void(int64[::1], int64, uint64[:, ::1], int8[:, ::1], int64[::1], int8[::1])"
_32 = np.uint64(32)


@kernel(_RECORD)
def record_games(start, width, rng, moves, lengths, results):
    """Play a game on each stream from a state of `connect4.kernels.bitboard` and write the records."""
    bits = bitboards_of(start)
    board, stride, connect = bits[BOARD], as_int(bits[STRIDE]), as_int(bits[CONNECT])
    columns, column_cells = np.uint64(width), (one_of(board) << (stride - 1)) - 1
    for game in range(lengths.size):
        s0, s1, s2, s3 = rng[game, 0], rng[game, 1], rng[game, 2], rng[game, 3]
        mine, filled = bits[MINE], bits[FILLED]
        plies, winner = 0, 1
        while True:
            column, move = np.int64(0), board & 0
            while move == 0:
                word, s0, s1, s2, s3 = advance(s0, s1, s2, s3)
                column = np.int64(((word >> _32) * columns) >> _32)
                shift = column * stride
                move = (filled + (one_of(board) << shift)) & (column_cells << shift)
            mine |= move
            filled |= move
            moves[game, plies] = column
            plies += 1
            if connects(mine, stride, connect):
                break
            if filled == board:
                winner = 0
                break
            mine ^= filled
            winner = -winner
        lengths[game] = plies
        results[game] = winner
        rng[game, 0], rng[game, 1], rng[game, 2], rng[game, 3] = s0, s1, s2, s3
