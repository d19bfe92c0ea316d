"""The exact solver as a hook of the game, so that a search can ask for scores of its moves.

Its memory is a vector of words that a search makes once:

    question (4 words) | geometry | state of a stopped search | its stack | table of positions

A score of the hook counts plies: r - n + 1 for a side that wins with the n-th stone from here, of r that there is room
for; the solver's counts pairs of them.
"""

from __future__ import annotations

import functools

import numpy as np
import numpy.typing as npt

from connect4.kernels import negamax
from connect4.kernels.bitboard import BOARD, BOTTOM, CONNECT, FILLED, MINE, STRIDE, columns_of
from connect4.lines import lines_through_cells
from numerics.games import SIGNATURES, Words
from numerics.kernels.arrays import empty, same_bits
from numerics.kernels.elementary import popcount
from numerics.kernels.jit import kernel

_OF_MINE, _OF_FILLED, _OF_LEAST, _RUNNING = range(4)  # the question, and whether its search was stopped
_GEOMETRY = 4
_STATE = _GEOMETRY + negamax.GEOMETRY_WORDS
_STACK = _STATE + negamax.STATE_WORDS
_LEAST_BITS, _MOST_BITS = 10, 26  # of the table


@kernel(inline=True)
def _in_plies(score, left):
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
    width, cells, plies = columns_of(state[BOTTOM]), popcount(state[BOARD]), popcount(state[FILLED])
    left, frame = cells - plies, negamax.FRAME_WORDS + negamax.COLUMN_WORDS * width
    table = _STACK + (cells + 1) * frame
    words = memory[_STATE:_STACK]
    goes_on = memory[_RUNNING] == 1 and memory[_OF_LEAST] == least
    if not (goes_on and memory[_OF_MINE] == state[MINE] and memory[_OF_FILLED] == state[FILLED]):
        words[:] = 0
    score = _in_pairs(least, left)
    question, answer = empty((1, 3), np.int64), empty((1, 2), np.int64)
    question[0, 0], question[0, 1], question[0, 2] = state[MINE], state[FILLED], plies
    answer[0, 0], answer[0, 1] = score - 1, score
    before = words[negamax.NODES]
    words[negamax.STOPPED], words[negamax.MOST_NODES] = 0, before + positions
    negamax.solve(
        question,
        answer,
        words,
        same_bits(memory[table:], np.uint64),
        memory[_STACK:table].reshape((cells + 1, frame)),
        memory[_GEOMETRY:_STATE],
    )
    memory[_RUNNING] = words[negamax.STOPPED]
    memory[_OF_MINE], memory[_OF_FILLED], memory[_OF_LEAST] = state[MINE], state[FILLED], least
    if words[negamax.STOPPED] == 0:
        if answer[0, 0] == score:
            bounds[0] = max(bounds[0], _in_plies(score, left))
        else:
            bounds[1] = min(bounds[1], _in_plies(score - 1, left))
    return words[negamax.NODES] - before


def memory_for(state: Words, positions: int) -> Words:
    """Return the memory of searches of so many positions on the board of a state."""
    stride, width = int(state[STRIDE]), int(state[BOTTOM]).bit_count()
    height, connect = stride - 1, int(state[CONNECT])
    bits = min(max(int(positions).bit_length(), _LEAST_BITS), _MOST_BITS)
    table = _STACK + (width * height + 1) * (negamax.FRAME_WORDS + negamax.COLUMN_WORDS * width)
    memory = np.zeros(table + (1 << bits), dtype=np.int64)
    memory[_GEOMETRY:_STATE] = geometry(width, height, abs(connect), bits)
    return memory


@functools.lru_cache(maxsize=64)
def geometry(width: int, height: int, connect: int, table_bits: int) -> npt.NDArray[np.int64]:
    """Return the words that describe a board and a table of positions to `connect4.kernels.negamax`."""
    stride = height + 1
    bottom = sum(1 << (stride * column) for column in range(width))
    board = bottom * ((1 << height) - 1)
    last_rows = sum(bottom << row for row in range(height - 1, -1, -2))
    run = connect if connect <= min(width, height) else -connect
    words = np.zeros(negamax.GEOMETRY_WORDS, dtype=np.int64)
    words[: negamax.VALUES] = bottom, board, last_rows, stride, run, width * height, width, 64 - table_bits
    lines = lines_through_cells(width, height, connect)
    for column in range(width):
        edge = min(column, width - 1 - column)
        for row in range(height):
            worth = lines[height - 1 - row, column] + 2 * edge
            words[negamax.VALUES + column * stride + row] = worth + (column < width - 1 - column)
    return words
