"""A board's position for kernels: bitboards of one word where (height + 1) * width <= 64, else of two."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from connect4.kernels import bitboard, exact, priors, tactics
from connect4.position import Position
from numerics.games import Exact, Game, Tactics, Words
from numerics.kernels.jit import wide_form
from numerics.kernels.words import WORD_BITS, bitboards_to_words


def is_wide(width: int, height: int) -> bool:
    """Return whether a board needs bitboards of two words."""
    return (height + 1) * width > WORD_BITS


def form_of(hook: Any, *, wide: bool) -> Any:
    """Return a kernel for bitboards of one word, or its form for bitboards of two."""
    return wide_form(hook) if wide else hook


def form_for(board: Position, hook: Any) -> Any:
    """Return the form of a kernel that plays on a board."""
    return form_of(hook, wide=is_wide(board.width, board.height))


def game_of(board: Position, *, wide: bool | None = None) -> Game:
    """Return a board's position and hooks.

    Parameters
    ----------
    board : Board
        Not changed.
    wide : bool, optional
        Whether to use bitboards of two words; by default where one word is not enough (tests compare the two).
    """
    wide = is_wide(board.width, board.height) if wide is None else wide
    left = board.width * board.height - board.plies
    return _rules(board.width, wide).at(bitboard_state(board, wide=wide), left)


@functools.cache
def _rules(width: int, wide: bool) -> Game:
    """Return the hooks of boards of a width, with a position that means nothing."""
    form = functools.partial(form_of, wide=wide)
    return Game(
        state=np.zeros(bitboard.BITBOARDS * (1 + wide), dtype=np.int64),
        most_moves=width,
        most_plies=0,
        legal=form(bitboard.legal),
        play=form(bitboard.play_move),
        outcome=form(bitboard.outcome),
        playouts={
            "uniform": form(bitboard.uniform_playout),
            "biased": form(bitboard.biased_playout),
            "careful": form(tactics.careful_playout),
        },
        priors={"lines": form(priors.lines)},
        tactics=Tactics(form(tactics.legal), form(tactics.outcome), form(tactics.plies)),
        exact=Exact(form(exact.narrow), exact.memory_for),
    )


def bitboard_state(board: Position, *, wide: bool | None = None) -> Words:
    """Return the six bitboards of `connect4.kernels.bitboard`, in one or two words each as in `game_of`."""
    stride = board.height + 1
    bottom = sum(1 << (stride * column) for column in range(board.width))
    mine, theirs = board.stones(board.to_move), board.stones(-board.to_move)
    connect = board.connect if board.connect <= min(board.width, board.height) else -board.connect
    words: Words = bitboards_to_words(
        [mine, mine | theirs, bottom, bottom * ((1 << board.height) - 1), stride, connect],
        wide=is_wide(board.width, board.height) if wide is None else wide,
    )
    return words
