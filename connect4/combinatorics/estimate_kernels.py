"""Kernels of `combinatorics.estimates`: weights of random paths, orders of a position's stones, random fillings."""

from __future__ import annotations

import math

import numpy as np

from numerics.kernels.jit import kernel
from numerics.random import next_uniform


@kernel()
def holds_row(colours, part, column, connect):
    """Return whether the top stone of a column of a part of a position lies in a row of `connect` stones."""
    top = part[column] - 1
    for direction in range(4):
        right, up = (0 if direction == 0 else 1), (1 if direction == 0 else direction - 2)
        length = 1
        for sign in (1, -1):
            c, r = column + sign * right, top + sign * up
            while 0 <= c < part.size and 0 <= r < part[c] and colours[c, r] == colours[column, top]:
                length += 1
                c += sign * right
                r += sign * up
        if length >= connect:
            return True
    return False


@kernel()
def count_orders(colours, heights, radix, winning, connect, orders):
    """Count the orders of moves that lead to each part of a position, by dynamic programming over column heights.

    The part with heights h, 0 <= h_c <= heights[c], is word sum h_c * radix[c] of `orders`; column 0 counts fastest.
    Its last stone must belong to the side whose turn it was, and it follows from the parts with one stone less. A part
    that is already won does not count, unless it is the whole. No position before a game's last move is won. So only
    parts with the last stone can be won; it is on top of column `winning` (-1: nobody has won).
    """
    width = heights.size
    part = np.zeros(width, np.int64)
    stones, lead = 0, 0  # lead: stones of the first player minus those of the second
    size = radix[width - 1] * (heights[width - 1] + 1)
    orders[0] = 1.0
    for index in range(1, size):
        column = 0
        while part[column] == heights[column]:
            for row in range(heights[column]):
                lead -= colours[column, row]
            stones -= part[column]
            part[column] = 0
            column += 1
        lead += colours[column, part[column]]
        part[column] += 1
        stones += 1
        total = 0.0
        if lead == stones % 2 and not (
            winning >= 0
            and part[winning] == heights[winning]
            and index < size - 1
            and holds_row(colours, part, winning, connect)
        ):
            mover = 2 * (stones % 2) - 1
            for column in range(width):
                if part[column] > 0 and colours[column, part[column] - 1] == mover:
                    total += orders[index - radix[column]]
        orders[index] = total


@kernel("void(int8[:, ::1], int64[::1], int64, int64, float64[:, ::1])")
def weigh_paths(moves, lengths, width, height, weights):
    """Write the logarithm of W_p for every ply p of every path; the caller has filled the rest of `weights`."""
    heights = np.zeros(width, np.int64)
    for path in range(lengths.size):
        heights[:] = 0
        weight, open_columns = 0.0, width
        weights[path, 0] = 0.0
        for ply in range(lengths[path]):
            weight += math.log(open_columns)
            weights[path, ply + 1] = weight
            column = moves[path, ply]
            heights[column] += 1
            open_columns -= heights[column] == height


@kernel("void(int8[:, ::1], int64[::1], int8[::1], int64[::1], float64[:, ::1])")
def divide_by_orders(moves, lengths, results, shape, weights):
    """Turn log W_p into log (W_p / N) for every ply p of every path, as far as `weights` goes.

    shape: width, height, connect.
    """
    width, height, connect = shape[0], shape[1], shape[2]
    colours = np.zeros((width, height), np.int8)
    heights, radix = np.zeros(width, np.int64), np.zeros(width, np.int64)
    orders = np.ones(1)
    for path in range(lengths.size):
        counted = min(lengths[path], weights.shape[1] - 1)
        heights[:] = 0
        for ply in range(counted):
            column = moves[path, ply]
            colours[column, heights[column]] = 1 - 2 * (ply % 2)
            heights[column] += 1
        states = 1
        for column in range(width):
            radix[column] = states
            states *= heights[column] + 1
        if orders.size < states:
            orders = np.empty(states)
        won = results[path] != 0 and counted == lengths[path]
        count_orders(colours, heights, radix, moves[path, counted - 1] if won else -1, connect, orders)
        index = 0
        for ply in range(counted):
            index += radix[moves[path, ply]]
            weights[path, ply + 1] -= math.log(orders[index])


@kernel("int64(int64[:, ::1], int64, uint64[:, ::1])")
def count_mixed(lines, cells, rng):
    """Shuffle the colours of a full board once for each stream; return how often no line has one colour."""
    board = np.empty(cells, np.int8)
    mixed = 0
    for filling in range(rng.shape[0]):
        for cell in range(cells):
            board[cell] = 1 if 2 * cell < cells else -1
        for cell in range(cells - 1, 0, -1):  # Fisher and Yates
            other = min(np.int64(next_uniform(rng, filling) * (cell + 1)), cell)
            board[cell], board[other] = board[other], board[cell]
        draw = True
        for line in range(lines.shape[0]):
            total = 0
            for position in range(lines.shape[1]):
                total += board[lines[line, position]]
            if abs(total) == lines.shape[1]:
                draw = False
                break
        mixed += draw
    return mixed
