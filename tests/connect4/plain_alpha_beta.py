"""Alpha-beta as in a textbook, on cells, with no table, no bits and no order of moves: a twin for the exact solver."""

from __future__ import annotations

import numpy as np

from tests.internals import kernel


@kernel()
def _wins(grid, column, row, side):
    for right, up in ((0, 1), (1, 0), (1, 1), (1, -1)):
        length = 1
        for way in (-1, 1):
            x, y = column + way * right, row + way * up
            while 0 <= x < grid.shape[0] and 0 <= y < grid.shape[1] and grid[x, y] == side:
                length, x, y = length + 1, x + way * right, y + way * up
        if length >= 4:
            return True
    return False


@kernel("int64(int64[:, ::1], int64, int64, int64)")
def _score(grid, side, alpha, beta):
    stones = np.count_nonzero(grid)
    if stones == grid.size:
        return np.int64(0)
    for column in range(grid.shape[0]):
        row = np.count_nonzero(grid[column])
        if row == grid.shape[1]:
            continue
        grid[column, row] = side
        if _wins(grid, column, row, side):
            score = np.int64((grid.size + 1 - stones) // 2)
        else:
            score = -_score(grid, -side, -beta, -alpha)
        grid[column, row] = 0
        if score >= beta:
            return score
        alpha = max(alpha, score)
    return alpha


@kernel("void(int64[:, :, ::1], int64[::1])")
def scores_of(grids, scores):
    """Write the score of each grid: columns of cells from the ground, 1 for the side to move, -1 for the other."""
    for number in range(len(grids)):
        scores[number] = _score(grids[number], np.int64(1), -np.int64(grids[number].size), np.int64(grids[number].size))
