"""Dots and Boxes of any size up to 63 edges: who closes a box owns it and moves again; most boxes win.

An edge is a bit, row after row of boxes, each with its upper edges before its upright ones (2 x 2):

    + 0 + 1 +
    2   3   4        stride = 2 columns + 1 edges from a box to the one below it
    + 5 + 6 +
    7   8   9        the box whose upper edge is bit b has the others at b + columns, b + columns + 1 and b + stride
    + 10+ 11+

Sides alternate in a search. After a side has closed a box, the other passes, by the move with the number of edges.
OpenSpiel numbers all level edges first, row by row, then all upright ones: `open_spiel_action` has its number of ours.
"""

from __future__ import annotations

import functools

import numpy as np

from mcts.games.board import GameBoard
from numerics import checks
from numerics.games import DRAWN, LOST, SIGNATURES, UNDECIDED, WON, Game
from numerics.kernels.bits import nth_bit, place_of, popcount
from numerics.kernels.jit import kernel
from numerics.random import next_word

# A state: the edges that are drawn, boxes of the side to move less those of the other, whether the side to move passes,
# the side to move, the upper edges of all boxes, all edges, and the columns.
EDGES, MARGIN, PASSES, TO_MOVE, TOPS, ALL, COLUMNS = range(7)
MOST_EDGES = 63
_32 = np.uint64(32)


@kernel(inline=True)
def boxes(edges, tops, columns):
    """Return the upper edges of the boxes that are closed."""
    return edges & (edges >> columns) & (edges >> (columns + 1)) & (edges >> (2 * columns + 1)) & tops


@kernel(SIGNATURES["legal"])
def legal(state, moves):
    """Write the edges that are not drawn, or the pass."""
    if state[PASSES]:
        moves[0] = popcount(state[ALL])
        return 1
    count, free = 0, state[ALL] ^ state[EDGES]
    while free:
        bit = free & -free
        moves[count] = place_of(bit)
        count += 1
        free ^= bit
    return count


@kernel(SIGNATURES["play"])
def play(state, move):
    """Draw an edge, or pass."""
    if state[PASSES]:
        state[PASSES] = 0
    else:
        edges = state[EDGES]
        after = edges | (np.int64(1) << move)
        closed = boxes(edges, state[TOPS], state[COLUMNS]) ^ boxes(after, state[TOPS], state[COLUMNS])
        state[EDGES] = after
        state[MARGIN] += popcount(closed)
        state[PASSES] = closed != 0 and after != state[ALL]
    state[MARGIN] = -state[MARGIN]
    state[TO_MOVE] = -state[TO_MOVE]


@kernel(SIGNATURES["outcome"])
def outcome(state):
    """Return the outcome for the side that moved last: whoever has more boxes once all edges are drawn."""
    if state[EDGES] != state[ALL]:
        return UNDECIDED
    return WON if state[MARGIN] < 0 else LOST if state[MARGIN] > 0 else DRAWN


@kernel(SIGNATURES["playout"])
def uniform_playout(state, rng, r):
    """Play to the end, every edge with equal probability (up to 2^-26)."""
    tops, columns = state[TOPS], state[COLUMNS]
    edges, margin = state[EDGES], state[MARGIN]
    free, side = state[ALL] ^ edges, 1 - 2 * state[PASSES]
    closed = boxes(edges, tops, columns)
    for left in range(popcount(free), 0, -1):
        bit = nth_bit(free, np.int64(((next_word(rng, r) >> _32) * np.uint64(left)) >> _32))
        free ^= bit
        edges |= bit
        now = boxes(edges, tops, columns)
        if now != closed:
            margin += side * popcount(now ^ closed)
            closed = now
        else:
            side = -side
    return 1.0 if margin > 0 else 0.0 if margin < 0 else 0.5


class DotsAndBoxes(GameBoard):
    """A position of Dots and Boxes, with the edges that led to it.

    Parameters
    ----------
    rows, columns : int, default 3
        Boxes, from 1 on; 2 * rows * columns + rows + columns, the number of edges, is at most 63.

    Raises
    ------
    ValueError
        A size out of range; the sentence names it.

    Notes
    -----
    A move is the number of an edge: row after row of boxes, the upper edges of a row before its upright ones.

    Examples
    --------
    >>> board = DotsAndBoxes(1, 2)
    >>> for edge in (0, 2, 3, 5):
    ...     board.play(edge)
    >>> board.to_move, board.margin, board.legal_moves()
    (-1, -1, [1, 4, 6])
    >>> print(board)
    +--+  +
    |2 |
    +--+  +
    """

    __slots__ = ()

    def __init__(self, rows: int = 3, columns: int = 3):
        rows, columns = (
            checks.check_whole("rows", rows, 1, MOST_EDGES),
            checks.check_whole("columns", columns, 1, MOST_EDGES),
        )
        edges = 2 * rows * columns + rows + columns
        if edges > MOST_EDGES:
            raise ValueError(
                f"rows and columns must give at most {MOST_EDGES} edges; got {rows} and {columns}, which give {edges}"
            )
        super().__init__(_rules(rows, columns), TO_MOVE)

    @property
    def rows(self) -> int:
        """Rows of boxes."""
        return int(self._state[TOPS]).bit_count() // self.columns

    @property
    def columns(self) -> int:
        """Columns of boxes."""
        return int(self._state[COLUMNS])

    @property
    def margin(self) -> int:
        """Boxes of player 1 less those of player -1."""
        return int(self._state[MARGIN]) * self.to_move

    def open_spiel_action(self, move: int) -> int:
        """Return the number of an edge in OpenSpiel's ``dots_and_boxes``."""
        row, place = divmod(move, 2 * self.columns + 1)
        if place < self.columns:
            return row * self.columns + place
        return (self.rows + 1) * self.columns + row * (self.columns + 1) + place - self.columns

    def _make(self, move: int) -> None:
        self._rules.play(self._state, move)
        if self._state[PASSES]:
            self._rules.play(self._state, int(self._state[ALL]).bit_count())

    def _most_plies(self) -> int:
        left, tops, columns = ~self._state[EDGES] & self._state[ALL], self._state[TOPS], self.columns
        closed = int(boxes(self._state[EDGES], tops, columns))
        return int(left).bit_count() + int(tops).bit_count() - closed.bit_count()  # each edge, and a pass for each box

    def __str__(self) -> str:
        edges, columns, owners = int(self._state[EDGES]), self.columns, self._owners()
        stride, lines = 2 * columns + 1, list[str]()
        for row in range(self.rows + 1):
            first = row * stride
            level = ("--" if edges >> (first + column) & 1 else "  " for column in range(columns))
            lines.append("+" + "".join(f"{each}+" for each in level))
            if row < self.rows:
                bars = ("|" if edges >> (first + columns + column) & 1 else " " for column in range(columns + 1))
                names = (*(owners.get(first + column, " ") for column in range(columns)), "")
                lines.append("".join(f"{bar}{name:2}" for bar, name in zip(bars, names, strict=True)).rstrip())
        return "\n".join(lines)

    def _owners(self) -> dict[int, str]:
        """Return the players who own the closed boxes, 1 or 2, by upper edges."""
        replay, owners = type(self)(self.rows, self.columns), dict[int, str]()
        tops, closed = int(self._state[TOPS]), 0
        for move in self._moves:
            mover = "1" if replay.to_move > 0 else "2"
            replay._make(move)
            now = int(boxes(replay._state[EDGES], tops, self.columns))
            owners |= {bit: mover for bit in range(now.bit_length()) if (now ^ closed) >> bit & 1}
            closed = now
        return owners


@functools.lru_cache(maxsize=64)
def _rules(rows: int, columns: int) -> Game:
    """Return the game of a size at its start."""
    stride, edges = 2 * columns + 1, 2 * rows * columns + rows + columns
    tops = sum(((1 << columns) - 1) << (row * stride) for row in range(rows))
    return Game(
        state=np.array([0, 0, 0, 1, tops, (1 << edges) - 1, columns], dtype=np.int64),
        most_moves=edges,
        most_plies=edges + rows * columns,
        legal=legal,
        play=play,
        outcome=outcome,
        playouts={"uniform": uniform_playout},
        to_move=TO_MOVE,
    )
