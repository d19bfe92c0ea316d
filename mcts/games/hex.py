"""Hex of size 2 to 8: player 1 connects the top with the bottom, player -1 the left side with the right.

A rhombus of cells, as bits row after row from the top. A cell touches those beside it, two above (the same column and
the next) and two below (the same column and the one before). There is no draw, and no swap. A move is a cell; so is
OpenSpiel's.
"""

from __future__ import annotations

import functools

import numpy as np

from mcts.games.board import GameBoard
from numerics import checks
from numerics.games import SIGNATURES, UNDECIDED, WON, Game
from numerics.kernels.bits import place_of, popcount, shift
from numerics.kernels.jit import kernel
from numerics.random import next_word

# A state: stones of the side to move, of the other, the side to move (1 or -1), and of the board: its size, the cells
# of column 0, and all cells.
MINE, THEIRS, TO_MOVE, SIZE, LEFT, CELLS = range(6)
LARGEST = 8
_32 = np.uint64(32)


@kernel(inline=True)
def neighbours(cells, size, left):
    """Return the cells that touch some, on the board or below it."""
    not_left, not_right = cells & ~left, cells & ~shift(left, size - 1)
    beside = shift(not_left, -1) | shift(not_right, 1)
    return beside | shift(cells, size) | shift(cells, -size) | shift(not_left, size - 1) | shift(not_right, 1 - size)


@kernel(inline=True)
def sides(player, size, left):
    """Return the cells along the two sides that a player connects."""
    top = (np.int64(1) << size) - 1
    if player > 0:
        return top, shift(top, size * (size - 1))
    return left, shift(left, size - 1)


@kernel(inline=True)
def spread(group, stones, size, left):
    """Return the stones that are connected with some of them."""
    while True:
        larger = group | (neighbours(group, size, left) & stones)
        if larger == group:
            return group
        group = larger


@kernel(inline=True)
def connects(stones, player, size, left):
    """Return whether the stones of a player connect its sides."""
    one, other = sides(player, size, left)
    return spread(stones & one, stones, size, left) & other != 0


@kernel(SIGNATURES["legal"])
def legal(state, moves):
    """Write the empty cells, in increasing order."""
    count, empty = 0, state[CELLS] & ~(state[MINE] | state[THEIRS])
    while empty:
        cell = empty & -empty
        empty ^= cell
        moves[count] = place_of(cell)
        count += 1
    return count


@kernel(SIGNATURES["play"])
def play(state, move):
    """Put a stone of the side to move on a cell."""
    mine = state[MINE] | (np.int64(1) << move)
    state[MINE] = state[THEIRS]
    state[THEIRS] = mine
    state[TO_MOVE] = -state[TO_MOVE]


@kernel(SIGNATURES["outcome"])
def outcome(state):
    """Return the outcome for the side that moved last."""
    return WON if connects(state[THEIRS], -state[TO_MOVE], state[SIZE], state[LEFT]) else UNDECIDED


@kernel(SIGNATURES["playout"])
def uniform_playout(state, rng, r):
    """Fill the board at random, which has the winner of a game of moves with equal probability (up to 2^-26)."""
    mine, empty = state[MINE], state[CELLS] & ~(state[MINE] | state[THEIRS])
    left = popcount(empty)
    wanted = (left + 1) // 2  # stones of the side to move
    while 0 < wanted < left:
        cell = empty & -empty
        empty ^= cell
        if np.int64(((next_word(rng, r) >> _32) * np.uint64(left)) >> _32) < wanted:
            mine |= cell
            wanted -= 1
        left -= 1
    if wanted > 0:
        mine |= empty
    return 1.0 if connects(mine, state[TO_MOVE], state[SIZE], state[LEFT]) else 0.0


class Hex(GameBoard):
    """A position of Hex, with the moves that led to it.

    Parameters
    ----------
    size : int, default 8
        Rows and columns, from 2 to 8.

    Raises
    ------
    ValueError
        A size out of range; the sentence names it.

    Notes
    -----
    A move is a cell: row * size + column, from the top.

    Examples
    --------
    >>> board = Hex(3)
    >>> for cell in (4, 2, 1, 0, 6):
    ...     board.play(cell)
    >>> print(board)
    o x o
     . x .
      x . .
    >>> board.is_finished(), board.winner()
    (True, 1)
    """

    __slots__ = ()

    def __init__(self, size: int = LARGEST):
        super().__init__(_rules(checks.check_whole("size", size, 2, LARGEST)), TO_MOVE)

    @property
    def size(self) -> int:
        """Rows and columns."""
        return int(self._state[SIZE])

    def _most_plies(self) -> int:
        return self.size**2 - len(self._moves)

    def __str__(self) -> str:
        size, first, second = self.size, int(self._state[MINE]), int(self._state[THEIRS])
        if self.to_move < 0:
            first, second = second, first
        cells = ["x" if first >> cell & 1 else "o" if second >> cell & 1 else "." for cell in range(size * size)]
        return "\n".join(" " * row + " ".join(cells[row * size :][:size]) for row in range(size))


@functools.lru_cache(maxsize=16)
def _rules(size: int) -> Game:
    """Return the game of a size at its start."""
    left = sum(1 << row * size for row in range(size))
    words = [0, 0, 1, size, left, (1 << size * size) - 1]
    return Game(
        state=np.array(words, dtype=np.uint64).view(np.int64),
        most_moves=size * size,
        most_plies=size * size,
        legal=legal,
        play=play,
        outcome=outcome,
        playouts={"uniform": uniform_playout},
        to_move=TO_MOVE,
    )
