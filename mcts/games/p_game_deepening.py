"""Alpha-beta with iterative deepening on P-games, the rival of UCT in the paper that introduced it.

A position at the depth limit is worth the sum so far. An unfinished level gives no move; each level tries the best move
of the previous level first.
"""

from __future__ import annotations

import numpy as np

from mcts.games.p_game_kernels import BRANCHING, LEFT, SUM, TO_MOVE, WORD, child
from numerics.kernels.jit import kernel

_INFINITE = 1 << 40


@kernel("int64(int64, int64, int64, int64, int64, int64, int64, int64[::1])")
def _value(word, levels, branching, total, to_move, low, high, left):
    """Return the sum for the side to move under best play over some levels; `left` counts down the evaluations."""
    if levels == 0:
        left[0] -= 1
        return to_move * total
    for move in range(branching):
        word_after = child(word, move)
        total_after = total + to_move * (word_after & 127)
        low = max(low, -_value(word_after, levels - 1, branching, total_after, -to_move, -high, -low, left))
        if low >= high or left[0] < 0:
            break
    return low


@kernel("int64(int64[::1], int64, int64[::1], int64[::1])")
def deepen(root, evaluations, moves, spent):
    """Search level after level with a limited number of evaluations of positions.

    Writes the best move of each finished level, and the evaluations up to it; returns the number of finished levels.
    """
    branching, to_move = root[BRANCHING], root[TO_MOVE]
    left = np.full(1, evaluations, np.int64)
    first = 0
    for level in range(root[LEFT]):
        best, best_move = -_INFINITE, first
        for turn in range(branching):
            move = first if turn == 0 else turn - (turn <= first)
            word = child(root[WORD], move)
            total = root[SUM] + to_move * (word & 127)
            value = -_value(word, level, branching, total, -to_move, -_INFINITE, -best, left)
            if left[0] < 0:
                return level
            if value > best:
                best, best_move = value, move
        moves[level], spent[level] = best_move, evaluations - left[0]
        first = best_move
    return root[LEFT]
