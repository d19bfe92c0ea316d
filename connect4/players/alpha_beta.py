"""Alpha-beta search to a fixed depth, on bitboards and on cells: one search for `minimax` and for `lookahead`.

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
from connect4.kernels.cells import HEAD, HEIGHT, LEFT, TO_MOVE, WIDTH, completes_row
from connect4.kernels.encode import bitboard_state, cells_state, fits_bitboard
from numerics.kernels.jit import kernel

WIN = 1 << 40  # more than any sum of weights
CLOSED = -2 * WIN  # the value of a full column, below every other

_SIGNATURE = "void(int64[::1], int64[:, ::1], int64[::1], int64, int64, int64, int64, boolean, int64[::1])"


def column_values(
    board: Board,
    player: int,
    weights: npt.NDArray[np.int64],
    depth: int,
    low: int = CLOSED,
    high: int = -CLOSED,
    *,
    only_best: bool = False,
    bits: bool | None = None,
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
    bits : bool, optional
        Whether to search on a bitboard; by default where one fits (tests compare the two).

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
    if fits_bitboard(board.width, board.height) if bits is None else bits:
        state = bitboard_state(board)
        if player != board.to_move:
            state[MINE] ^= state[FILLED]
        values_on_bits(state, weights, order, value, depth, low, high, only_best, values)
    else:
        state = cells_state(board)
        state[TO_MOVE] = player
        values_on_cells(state, weights, order, value, depth, low, high, only_best, values)
    return values


@functools.cache
def centre_first(width: int) -> npt.NDArray[np.int64]:
    """Return the columns from the centre outwards, the order in which a search prunes most."""
    return np.array(sorted(range(width), key=lambda column: (abs(2 * column - width + 1), column)), dtype=np.int64)


@kernel()
def _search_bits(mine, filled, heights, value, depth, stones, alpha, beta, state, weights, order):
    """Return the value of an undecided position, `stones` stones below the root, with heuristic `value`."""
    if depth == 0:
        return value
    board, stride, connect = state[BOARD], state[STRIDE], state[CONNECT]
    open_cells = (filled + state[BOTTOM]) & board
    if winning_cells(mine, filled, board, stride, connect) & open_cells:
        return WIN - (stones + 1)
    if depth >= 2:
        threats = winning_cells(mine ^ filled, filled, board, stride, connect) & open_cells
        if threats & (threats - 1):
            return (stones + 2) - WIN
        if threats:
            open_cells = threats
    best = CLOSED
    column_cells = (np.int64(1) << (stride - 1)) - 1
    for column in order:
        cell = open_cells & (column_cells << (column * stride))
        if cell == 0:
            continue
        if filled | cell == board:
            return np.int64(0)
        gain = weights[column, heights[column]]
        heights[column] += 1
        reply = -_search_bits(
            mine ^ filled,
            filled | cell,
            heights,
            -(value + gain),
            depth - 1,
            stones + 1,
            -beta,
            -max(alpha, best),
            state,
            weights,
            order,
        )
        heights[column] -= 1
        best = max(best, reply)
        if best >= beta:
            break
    return best


@kernel(_SIGNATURE)
def values_on_bits(state, weights, order, value, depth, low, high, only_best, values):
    """Write the value of each column for the side to move of a `connect4.kernels.bitboard` state."""
    mine, filled, board = state[MINE], state[FILLED], state[BOARD]
    stride, connect = state[STRIDE], state[CONNECT]
    column_cells = (np.int64(1) << (stride - 1)) - 1
    heights = np.zeros(order.size, np.int64)
    for column in range(order.size):
        while (filled >> (column * stride + heights[column])) & 1:
            heights[column] += 1
    wins = winning_cells(mine, filled, board, stride, connect)
    for column in order:
        cell = (filled + state[BOTTOM]) & board & (column_cells << (column * stride))
        if cell == 0:
            values[column] = CLOSED
        elif cell & wins:
            values[column] = WIN - 1
        elif filled | cell == board:
            values[column] = 0
        else:
            gain = weights[column, heights[column]]
            heights[column] += 1
            values[column] = -_search_bits(
                mine ^ filled,
                filled | cell,
                heights,
                -(value + gain),
                depth - 1,
                np.int64(1),
                -high,
                -low,
                state,
                weights,
                order,
            )
            heights[column] -= 1
        if only_best:
            low = max(low, values[column] - 1)  # an equal value is still exact


@kernel()
def _search_cells(state, value, depth, stones, alpha, beta, weights, order):
    """Return the value of an undecided position, as `_search_bits` does; restores the state before it returns."""
    if depth == 0:
        return value
    width, height, player = state[WIDTH], state[HEIGHT], state[TO_MOVE]
    for column in order:
        row = state[HEAD + column]
        if row < height and completes_row(state, column, row, player):
            return WIN - (stones + 1)
    forced = np.int64(-1)
    if depth >= 2:
        for column in order:
            row = state[HEAD + column]
            if row < height and completes_row(state, column, row, -player):
                if forced >= 0:
                    return (stones + 2) - WIN
                forced = column
    best = CLOSED
    for column in order:
        row = state[HEAD + column]
        if row == height or (forced >= 0 and column != forced):
            continue
        if state[LEFT] == 1:
            return np.int64(0)
        cell = HEAD + width + column * height + row
        _change(state, column, cell, player, 1)
        reply = -_search_cells(
            state, -(value + weights[column, row]), depth - 1, stones + 1, -beta, -max(alpha, best), weights, order
        )
        _change(state, column, cell, 0, -1)
        best = max(best, reply)
        if best >= beta:
            break
    return best


@kernel()
def _change(state, column, cell, stone, count):
    """Put a stone on a cell (count 1) or take it away (stone 0, count -1), and pass the turn."""
    state[cell] = stone
    state[HEAD + column] += count
    state[LEFT] -= count
    state[TO_MOVE] = -state[TO_MOVE]


@kernel(_SIGNATURE)
def values_on_cells(state, weights, order, value, depth, low, high, only_best, values):
    """Write the value of each column for the side to move of a `connect4.kernels.cells` state."""
    width, height, player = state[WIDTH], state[HEIGHT], state[TO_MOVE]
    for column in order:
        row = state[HEAD + column]
        if row == height:
            values[column] = CLOSED
        elif completes_row(state, column, row, player):
            values[column] = WIN - 1
        elif state[LEFT] == 1:
            values[column] = 0
        else:
            cell = HEAD + width + column * height + row
            _change(state, column, cell, player, 1)
            values[column] = -_search_cells(
                state, -(value + weights[column, row]), depth - 1, np.int64(1), -high, -low, weights, order
            )
            _change(state, column, cell, 0, -1)
        if only_best:
            low = max(low, values[column] - 1)  # an equal value is still exact
