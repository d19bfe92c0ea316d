"""The exact solver as a hook of the game, so that a search can ask for scores of its moves.

Its memory is a vector of words that a search makes once:

    question | geometry | state of a stopped search | its stack | its bitboards | those of the question | table

A score of the hook counts plies: r - n + 1 for a side that wins with the n-th stone from here, on a board with room for
r more. The solver's score counts pairs of plies.
"""

from __future__ import annotations

import functools

import numpy as np
import numpy.typing as npt

from connect4.kernels import negamax
from connect4.kernels.bitboard import BITBOARDS, BOARD, BOTTOM, CONNECT, FILLED, MINE, STRIDE, columns_of
from connect4.lines import lines_through_cells
from numerics.games import SIGNATURES, Words
from numerics.kernels.arrays import empty, same_bits
from numerics.kernels.jit import kernel
from numerics.kernels.words import WORD_BITS, bitboards_of, bitboards_to_words, count_bits, size_of

_OF_LEAST, _RUNNING = range(2)  # the question beside its position, and whether its search was stopped
_GEOMETRY = 2
_STATE = _GEOMETRY + negamax.GEOMETRY_WORDS
_STACK = _STATE + negamax.STATE_WORDS
_LEAST_BITS, _MOST_BITS = 10, 26  # of the table
_LEAST_WIDE_BITS = 14  # of the table of a board of more than 64 bits


@kernel(inline=True)
def in_plies(score, left):
    """Return a score of the solver in plies, where `left` more stones have room."""
    if score > 0:  # the winner moves at an odd distance, the loser at an even one
        return 2 * score - (left & 1)
    return 2 * score + (1 - (left & 1)) if score < 0 else np.int64(0)


@kernel(inline=True)
def _in_pairs(least, left):
    """Return the least score of the solver that is at least so many plies."""
    if least > 0:
        return (least + (left & 1) + 1) // 2
    return -((1 - (left & 1) - least) // 2)


@kernel(SIGNATURES["exact"])
def narrow(state, bounds, least, positions, memory):
    """Search until the score is known to be at least, or below, `least`, or for so many positions; return how many."""
    bits = bitboards_of(state)
    mine, filled = bits[MINE], bits[FILLED]
    width, cells, words = columns_of(bits[BOTTOM]), count_bits(bits[BOARD]), size_of(mine) // WORD_BITS
    left, frame, row = (
        cells - count_bits(filled),
        negamax.FRAME_WORDS + negamax.COLUMN_WORDS * width,
        words * (negamax.ROW + negamax.COLUMN_BITBOARDS * width),
    )
    rows = _STACK + (cells + 1) * frame
    question = rows + (cells + 2) * row
    table = question + 2 * words
    counters, asked = memory[_STATE:_STACK], bitboards_of(memory[question:table])
    goes_on = memory[_RUNNING] == 1 and memory[_OF_LEAST] == least
    if not (goes_on and asked[0] == mine and asked[1] == filled):
        counters[:] = 0
    score, answer = _in_pairs(least, left), empty((1, 2), np.int64)
    asked[0], asked[1], memory[_OF_LEAST] = mine, filled, least
    answer[0, 0], answer[0, 1] = score - 1, score
    before = counters[negamax.NODES]
    counters[negamax.STOPPED], counters[negamax.MOST_NODES] = 0, before + positions
    negamax.narrow_bounds(
        bitboards_of(memory[question:table].reshape((1, 2 * words))),
        answer,
        counters,
        same_bits(memory[table:], np.uint64),
        memory[_STACK:rows].reshape((cells + 1, frame)),
        bitboards_of(memory[rows:question].reshape((cells + 2, row))),
        memory[_GEOMETRY:_STATE],
    )
    memory[_RUNNING] = counters[negamax.STOPPED]
    if counters[negamax.STOPPED] == 0:
        if answer[0, 0] == score:
            bounds[0] = max(bounds[0], in_plies(score, left))
        else:
            bounds[1] = min(bounds[1], in_plies(score - 1, left))
    return counters[negamax.NODES] - before


def memory_for(state: Words, positions: int) -> Words:
    """Return the memory of searches of so many positions on the board of a state."""
    wide = state.size > BITBOARDS
    stride, connect = int(state[STRIDE << wide]), int(state[CONNECT << wide])
    width = sum(int(word).bit_count() for word in state[BOTTOM << wide : BOTTOM + 1 << wide].view(np.uint64))
    height = stride - 1
    bits = min(max(int(positions).bit_length(), _LEAST_WIDE_BITS if wide else _LEAST_BITS), _MOST_BITS)
    stack, rows = stack_of(width, height, wide=wide)
    start = _STACK + stack.size
    question = start + rows.size
    memory = np.zeros(question + (2 << wide) + (1 << bits), dtype=np.int64)
    memory[_GEOMETRY:_STATE] = geometry(width, height, abs(connect), bits)
    memory[start:question] = rows.ravel()
    return memory


def stack_of(width: int, height: int, *, wide: bool) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the stack and the bitboards of a search of a board, for `connect4.kernels.negamax`."""
    stride, cells = height + 1, width * height
    bottom = sum(1 << (stride * column) for column in range(width))
    board = bottom * ((1 << height) - 1)
    last_rows = sum(bottom << row for row in range(height - 1, -1, -2))
    of_board = bitboards_to_words([bottom, board, last_rows], wide=wide)
    rows = np.zeros((cells + 2, (negamax.ROW + negamax.COLUMN_BITBOARDS * width) << wide), dtype=np.int64)
    rows[-1, : of_board.size] = of_board
    return np.zeros((cells + 1, negamax.FRAME_WORDS + negamax.COLUMN_WORDS * width), dtype=np.int64), rows


@functools.lru_cache(maxsize=64)
def geometry(width: int, height: int, connect: int, table_bits: int) -> npt.NDArray[np.int64]:
    """Return the words that describe a board and a table of positions to `connect4.kernels.negamax`."""
    stride = height + 1
    run = connect if connect <= min(width, height) else -connect
    words = np.zeros(negamax.GEOMETRY_WORDS, dtype=np.int64)
    words[: negamax.VALUES] = stride, run, width * height, width, 64 - table_bits
    lines = lines_through_cells(width, height, connect)
    for column in range(width):
        edge = min(column, width - 1 - column)
        for row in range(height):
            worth = lines[height - 1 - row, column] + 2 * edge
            words[negamax.VALUES + column * stride + row] = worth + (column < width - 1 - column)
    return words
