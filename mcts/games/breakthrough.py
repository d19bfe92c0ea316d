"""Breakthrough of any size up to 64 cells: pieces go forward, straight or diagonally, and capture diagonally.

Who first brings a piece to the last row, or captures all pieces, wins. Player 1 begins, on top, and moves down. Cells
are bits, row after row from the top. Dan Troyka invented the game in 2000; it is played on 8 x 8.

A move is 3 * cell + direction: 0 toward column 0, 1 straight, 2 toward the last column. OpenSpiel's number of the same
move is 2 * (6 * cell + direction + 3 * (the mover is player -1)) + (it captures).
"""

from __future__ import annotations

import functools

import numpy as np

from mcts.games.board import GameBoard
from numerics import checks
from numerics.games import SIGNATURES, UNDECIDED, WON, Game
from numerics.kernels.bits import nth_bit, place_of, popcount, shift
from numerics.kernels.jit import kernel
from numerics.random import next_word

# A state: pieces of the side to move, of the other, the side to move (1 or -1), and of the board: rows, columns, the
# cells of column 0, and all cells.
MINE, THEIRS, TO_MOVE, ROWS, COLUMNS, LEFT, CELLS = range(7)
MOST_CELLS = 64
_32 = np.uint64(32)


@kernel(inline=True)
def targets(mine, theirs, step, columns, left, cells):
    """Return where pieces can go: toward column 0, straight, and toward the last column; `step` is the side to move."""
    ahead = step * columns
    straight = shift(mine, ahead) & cells & ~(mine | theirs)
    to_left = shift(mine & ~left, ahead - 1) & cells & ~mine
    to_right = shift(mine & ~shift(left, columns - 1), ahead + 1) & cells & ~mine
    return to_left, straight, to_right


@kernel(inline=True)
def last_row(step, rows, columns):
    """Return the cells where a side wins."""
    top = (np.int64(1) << columns) - 1
    return shift(top, (rows - 1) * columns) if step > 0 else top


@kernel(SIGNATURES["legal"])
def legal(state, moves):
    """Write the legal moves, in increasing order."""
    step, columns, pieces = state[TO_MOVE], state[COLUMNS], state[MINE]
    to_left, straight, to_right = targets(pieces, state[THEIRS], step, columns, state[LEFT], state[CELLS])
    count, ahead = 0, step * columns
    while pieces:
        piece = pieces & -pieces
        pieces ^= piece
        move = 3 * place_of(piece)
        if shift(piece & ~state[LEFT], ahead - 1) & to_left:
            moves[count] = move
            count += 1
        if shift(piece, ahead) & straight:
            moves[count] = move + 1
            count += 1
        if shift(piece & ~shift(state[LEFT], columns - 1), ahead + 1) & to_right:
            moves[count] = move + 2
            count += 1
    return count


@kernel(SIGNATURES["play"])
def play(state, move):
    """Move a piece, and capture what stands there."""
    step, piece = state[TO_MOVE], np.int64(1) << (move // 3)
    target = shift(piece, step * state[COLUMNS] + move % 3 - 1)
    mine = state[MINE] ^ (piece | target)
    state[MINE] = state[THEIRS] & ~target
    state[THEIRS] = mine
    state[TO_MOVE] = -step


@kernel(SIGNATURES["outcome"])
def outcome(state):
    """Return the outcome for the side that moved last."""
    if state[MINE] == 0 or state[THEIRS] & last_row(-state[TO_MOVE], state[ROWS], state[COLUMNS]):
        return WON
    return UNDECIDED


@kernel(SIGNATURES["playout"])
def uniform_playout(state, rng, r):
    """Play to the end, every legal move with equal probability (up to 2^-25)."""
    mine, theirs, step, columns = state[MINE], state[THEIRS], state[TO_MOVE], state[COLUMNS]
    left, cells = state[LEFT], state[CELLS]
    goal, other_goal = last_row(step, state[ROWS], columns), last_row(-step, state[ROWS], columns)
    value = 1.0
    while True:
        to_left, straight, to_right = targets(mine, theirs, step, columns, left, cells)
        lefts, ahead = popcount(to_left), popcount(straight)
        count = np.uint64(lefts + ahead + popcount(to_right))
        k = np.int64(((next_word(rng, r) >> _32) * count) >> _32)
        if k < lefts:
            target, aside = nth_bit(to_left, k), -1
        elif k < lefts + ahead:
            target, aside = nth_bit(straight, k - lefts), 0
        else:
            target, aside = nth_bit(to_right, k - lefts - ahead), 1
        mine ^= target | shift(target, -(step * columns + aside))
        theirs &= ~target
        if target & goal or theirs == 0:
            return value
        mine, theirs, goal, other_goal, step = theirs, mine, other_goal, goal, -step
        value = 1.0 - value


class Breakthrough(GameBoard):
    """A position of Breakthrough, with the moves that led to it.

    Parameters
    ----------
    rows, columns : int, default 8
        At least 2 each, and 64 cells at most.
    ranks : int, default 2
        Rows of pieces of each side, from 1 on; a row stays free between the two sides or not, as `rows` has it.

    Raises
    ------
    ValueError
        A size out of range; the sentence names it.

    Notes
    -----
    A move is 3 * cell + direction, as `mcts.games.breakthrough` has it. OpenSpiel has one rank of pieces where there
    are fewer than six rows.

    Examples
    --------
    >>> board = Breakthrough(5, 4)
    >>> board.play(3 * 4 + 1)
    >>> print(board)
    x x x x
    . x x x
    x . . .
    o o o o
    o o o o
    """

    __slots__ = ()

    def __init__(self, rows: int = 8, columns: int = 8, ranks: int = 2):
        rows, columns = (
            checks.check_whole("rows", rows, 2, MOST_CELLS // 2),
            checks.check_whole("columns", columns, 2, MOST_CELLS // 2),
        )
        if rows * columns > MOST_CELLS:
            raise ValueError(f"rows and columns must give at most {MOST_CELLS} cells; got {rows} and {columns}")
        super().__init__(_rules(rows, columns, checks.check_whole("ranks", ranks, 1, rows // 2)), TO_MOVE)

    @property
    def rows(self) -> int:
        """Rows of cells."""
        return int(self._state[ROWS])

    @property
    def columns(self) -> int:
        """Columns of cells."""
        return int(self._state[COLUMNS])

    def pieces(self, player: int) -> list[int]:
        """Return the cells with pieces of a player, 1 or -1."""
        word = int(self._state[MINE if player == self.to_move else THEIRS])
        return [cell for cell in range(self.rows * self.columns) if word >> cell & 1]

    def open_spiel_action(self, move: int) -> int:
        """Return the number of a legal move in OpenSpiel's ``breakthrough``."""
        cell, direction = divmod(move, 3)
        target = cell + self.to_move * self.columns + direction - 1
        captures = target in self.pieces(-self.to_move)
        return 2 * (6 * cell + direction + 3 * (self.to_move < 0)) + captures

    def _most_plies(self) -> int:
        down = (self.rows - 1 - cell // self.columns for cell in self.pieces(1))
        return sum(down) + sum(cell // self.columns for cell in self.pieces(-1))

    def __str__(self) -> str:
        cells = ["."] * (self.rows * self.columns)
        for player, sign in ((1, "x"), (-1, "o")):
            for cell in self.pieces(player):
                cells[cell] = sign
        return "\n".join(" ".join(cells[row * self.columns :][: self.columns]) for row in range(self.rows))


@functools.lru_cache(maxsize=64)
def _rules(rows: int, columns: int, ranks: int) -> Game:
    """Return the game of a size at its start."""
    cells, home = (1 << rows * columns) - 1, (1 << ranks * columns) - 1
    left = sum(1 << row * columns for row in range(rows))
    words = [home, home << (rows - ranks) * columns, 1, rows, columns, left, cells]
    return Game(
        state=np.array(words, dtype=np.uint64).view(np.int64),
        most_moves=3 * ranks * columns,
        most_plies=sum(2 * columns * (rows - 1 - rank) for rank in range(ranks)),
        legal=legal,
        play=play,
        outcome=outcome,
        playouts={"uniform": uniform_playout},
        to_move=TO_MOVE,
    )
