"""A board's position for kernels: a bitboard where (height + 1) * width <= 64, cells on larger boards."""

from __future__ import annotations

import functools

import numpy as np

from connect4.kernels import bitboard, cells, exact, priors, tactics
from connect4.position import Position
from numerics.games import Exact, Game, Tactics, Words


def fits_bitboard(width: int, height: int) -> bool:
    """Return whether a board fits a bitboard of 64 bits."""
    return (height + 1) * width <= 64


def game_of(board: Position, *, bits: bool | None = None) -> Game:
    """Return a board's position and hooks.

    Parameters
    ----------
    board : Board
        Not changed.
    bits : bool, optional
        Whether to use a bitboard; by default where one fits (tests compare the two).

    Raises
    ------
    ValueError
        A bitboard for a board that does not fit one.
    """
    fits = fits_bitboard(board.width, board.height)
    if bits and not fits:
        raise ValueError(f"bits must be False on a board of {board.width} x {board.height}, which has no bitboard")
    on_bits = fits if bits is None else bits
    state = bitboard_state(board) if on_bits else cells_state(board)
    return _rules(board.width, on_bits).at(state, board.width * board.height - board.plies)


@functools.cache
def _rules(width: int, on_bits: bool) -> Game:
    """Return the hooks of boards of a width, with a position that means nothing."""
    if on_bits:
        return Game(
            state=np.zeros(bitboard.WORDS, dtype=np.int64),
            most_moves=width,
            most_plies=0,
            legal=bitboard.legal,
            play=bitboard.play_move,
            outcome=bitboard.outcome,
            playouts={
                "uniform": bitboard.uniform_playout,
                "biased": bitboard.biased_playout,
                "careful": tactics.careful_playout,
            },
            priors={"lines": priors.lines_on_bits},
            tactics=Tactics(tactics.legal, tactics.outcome, tactics.plies),
            exact=Exact(exact.narrow, exact.memory_for),
        )
    return Game(
        state=np.zeros(0, dtype=np.int64),
        most_moves=width,
        most_plies=0,
        legal=cells.legal,
        play=cells.play,
        outcome=cells.outcome,
        playouts={"uniform": cells.uniform_playout, "biased": cells.biased_playout},
        priors={"lines": priors.lines_on_cells},
    )


def bitboard_state(board: Position) -> Words:
    """Return the six words of `connect4.kernels.bitboard`."""
    stride = board.height + 1
    bottom = sum(1 << (stride * column) for column in range(board.width))
    mine, theirs = board.stones(board.to_move), board.stones(-board.to_move)
    connect = board.connect if board.connect <= min(board.width, board.height) else -board.connect
    return np.array([mine, mine | theirs, bottom, bottom * ((1 << board.height) - 1), stride, connect], dtype=np.int64)


def cells_state(board: Position) -> Words:
    """Return the words of `connect4.kernels.cells`."""
    empty = board.width * board.height - board.plies
    head = [board.width, board.height, board.connect, board.to_move, empty, int(board.winner() != 0)]
    return np.concatenate([head, board.heights, board.grid[::-1].T.ravel()]).astype(np.int64)
