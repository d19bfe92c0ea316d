"""Alpha-beta search to a fixed depth on bitboards: one search for `minimax` and for `lookahead`.

Values are whole numbers from the side to move's point of view (negamax). A position at the last depth is worth the
weights of the mover's stones minus those of the other side's, a full board 0, and

    WIN - p     a row of the side to move, completed by the p-th stone from the root: the sooner, the more
    p - WIN     a row of the other side: the later, the more

The search is fail-soft on a window (alpha, beta). A value inside is exact; one of at most alpha is an upper bound, one
of at least beta a lower bound. Three more cuts change no value:

    the side to move can complete a row                      -> A win with the next stone.
    the other side threatens to, on a single open cell       -> Only that cell is searched. Other moves lose at once.
    the other side threatens to, on two open cells           -> A loss in two stones.

Source: Knuth and Moore, "An analysis of alpha-beta pruning", Artificial Intelligence 6 (1975), section 4.
"""

from __future__ import annotations

import functools

import numpy as np
import numpy.typing as npt

from connect4.board import Board
from connect4.kernels.bitboard import BOARD, BOTTOM, CONNECT, FILLED, MINE, STRIDE, winning_cells
from connect4.kernels.encode import bitboard_state, form_of, is_wide
from numerics.kernels.jit import kernel
from numerics.kernels.words import as_int, bitboards_of, one_of

WIN = 1 << 40  # more than any sum of weights
CLOSED = -2 * WIN  # the value of a full column, below every other

_SIGNATURE = "void(int64[::1], int64[:, ::1], int64[::1], int64, int64, int64, int64, boolean, boolean, int64[::1])"


def column_values(
    board: Board,
    player: int,
    weights: npt.NDArray[np.int64],
    depth: int,
    low: int = CLOSED,
    high: int = -CLOSED,
    *,
    only_best: bool = False,
    wide: bool | None = None,
) -> npt.NDArray[np.int64]:
    """Return the value for `player` of a stone on each column of an undecided board, int64[width].

    Parameters
    ----------
    board : Board
        Not changed. It need not be the player's turn.
    player : int
        1 or -1.
    weights : int64[width, height]
        The worth of a stone on each cell; row 0 at the bottom.
    depth : int
        Stones to look ahead, at least 1.
    low, high : int
        The window: values inside are exact, values outside are bounds on their side of it.
    only_best : bool, default False
        Give exact values of the best columns only; those of the others are upper bounds, below the best. Faster.
    wide : bool, optional
        Whether to search on bitboards of two words; by default where one word is not enough (tests compare the two).

    Returns
    -------
    ndarray of int64, shape (width,)
        `CLOSED` for a full column.

    Examples
    --------
    >>> from connect4 import Board
    >>> board = Board.from_moves("112233")
    >>> values = column_values(board, 1, np.zeros((7, 6), dtype=np.int64), depth=2)
    >>> [int(value) for value in values] == [0, 0, 0, WIN - 1, 0, 0, 0]
    True
    """
    values = np.empty(board.width, dtype=np.int64)
    cells = board.grid[::-1].T
    value = int((weights * cells).sum()) * player
    depth = min(depth, board.width * board.height)
    order = centre_first(board.width)
    wide = is_wide(board.width, board.height) if wide is None else wide
    search = form_of(search_columns, wide=wide)
    state = bitboard_state(board, wide=wide)
    search(state, weights, order, value, depth, low, high, only_best, player != board.to_move, values)
    return values


@functools.cache
def centre_first(width: int) -> npt.NDArray[np.int64]:
    """Return the columns from the centre outwards, the order in which a search prunes most."""
    return np.array(sorted(range(width), key=lambda column: (abs(2 * column - width + 1), column)), dtype=np.int64)


@kernel()
def _search(mine, filled, heights, value, depth, stones, alpha, beta, bits, weights, order):
    """Return the value of an undecided position, `stones` stones below the root, with heuristic `value`."""
    if depth == 0:
        return value
    board, stride, connect = bits[BOARD], as_int(bits[STRIDE]), as_int(bits[CONNECT])
    open_cells = (filled + bits[BOTTOM]) & board
    if winning_cells(mine, filled, board, stride, connect) & open_cells:
        return WIN - (stones + 1)
    if depth >= 2:
        threats = winning_cells(mine ^ filled, filled, board, stride, connect) & open_cells
        if threats & (threats - 1):
            return (stones + 2) - WIN
        if threats:
            open_cells = threats
    best = CLOSED
    column_cells = (one_of(board) << (stride - 1)) - 1
    for column in order:
        cell = open_cells & (column_cells << (column * stride))
        if cell == 0:
            continue
        if filled | cell == board:
            return np.int64(0)
        gain = weights[column, heights[column]]
        heights[column] += 1
        reply = -_search(
            mine ^ filled,
            filled | cell,
            heights,
            -(value + gain),
            depth - 1,
            stones + 1,
            -beta,
            -max(alpha, best),
            bits,
            weights,
            order,
        )
        heights[column] -= 1
        best = max(best, reply)
        if best >= beta:
            break
    return best


@kernel(_SIGNATURE)
def search_columns(state, weights, order, value, depth, low, high, only_best, swapped, values):
    """Write the value of each column of a `connect4.kernels.bitboard` state.

    For the side to move, or for the other one where `swapped` holds.
    """
    bits = bitboards_of(state)
    mine, filled, board = bits[MINE], bits[FILLED], bits[BOARD]
    stride, connect = as_int(bits[STRIDE]), as_int(bits[CONNECT])
    if swapped:
        mine = mine ^ filled
    column_cells = (one_of(board) << (stride - 1)) - 1
    heights = np.zeros(order.size, np.int64)
    for column in range(order.size):
        while (filled >> (column * stride + heights[column])) & 1:
            heights[column] += 1
    wins = winning_cells(mine, filled, board, stride, connect)
    for column in order:
        cell = (filled + bits[BOTTOM]) & board & (column_cells << (column * stride))
        if cell == 0:
            values[column] = CLOSED
        elif cell & wins:
            values[column] = WIN - 1
        elif filled | cell == board:
            values[column] = 0
        else:
            gain = weights[column, heights[column]]
            heights[column] += 1
            values[column] = -_search(
                mine ^ filled,
                filled | cell,
                heights,
                -(value + gain),
                depth - 1,
                np.int64(1),
                -high,
                -low,
                bits,
                weights,
                order,
            )
            heights[column] -= 1
        if only_best:
            low = max(low, values[column] - 1)  # an equal value is still exact
