"""The exact solver's kernel: null-window negamax on bitboards with a transposition table.

Scores are Pons's: 0 for a draw; a side that wins with its stone on a board of p stones gets (cells + 1 - p) // 2, so
that a sooner win is worth more; the loser gets the negative. Inside, p is `plies` and a position is never one that the
side to move can win at once: that is seen a move before.

    moves    only those after which the other side cannot win at once; one that must be blocked is the only one
    order    most open winning cells made, then nearest the centre
    table    both bounds of a score; a reply whose bound is enough ends the search of a position at once

An entry of the table is one word. The key of a position is turned by a bijection of 64 bits (an odd factor and a
shift); its upper bits are the place, the lower ones are stored, so that an entry is never taken for another's:

    tag ........................... | lower + 64 (7 bits) | upper + 64 (7 bits)

Ideas: Pascal Pons, "Solving Connect 4: how to build a perfect AI", parts 3 to 11; John Tromp, Fhourstones.
"""

from __future__ import annotations

import numpy as np
from numba import int64, uint64

from connect4.bitboard import winning_cells
from numerics.jit import kernel

BOTTOM, BOARD, STRIDE, CONNECT, CELLS, WIDTH, SHIFT = range(7)  # words of the geometry
NODES, MOST_NODES, STOPPED = range(3)

_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_BOUND_BITS, _BOUND_MASK, _ZERO = np.uint64(7), np.uint64(127), 64
_DATA_BITS = np.uint64(14)
_NEAR_END = 8  # plies before the end from which on looking at replies costs more than it saves
_M1, _M2, _M4 = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333), np.uint64(0x0F0F0F0F0F0F0F0F)
_H01 = np.uint64(0x0101010101010101)


@kernel(inline=True)
def popcount(bits):
    """Return the number of set bits (the compiler knows this idiom as one instruction)."""
    x = np.uint64(bits)
    x = x - ((x >> np.uint64(1)) & _M1)
    x = (x & _M2) + ((x >> np.uint64(2)) & _M2)
    x = (x + (x >> np.uint64(4))) & _M4
    return int64((x * _H01) >> np.uint64(56))


@kernel(inline=True)
def _mixed(mine, filled, bottom):
    """Return a position's key, which no other has, turned by a bijection: the upper bits are its place in the table."""
    key = np.uint64(mine + filled + bottom) * _FACTOR
    return key ^ (key >> np.uint64(32))


@kernel(inline=True)
def _holds(entry, mixed):
    """Return whether an entry of the table belongs to a key."""
    return ((entry ^ (mixed << _DATA_BITS)) >> _DATA_BITS) == 0


_SEARCH = int64(int64, int64, int64, int64, int64, int64[::1], uint64[::1], int64[:, ::1], int64[::1])


@kernel(_SEARCH)
def search(mine, filled, plies, alpha, beta, geometry, table, stack, counters):
    """Return a bound of the score: at most alpha, at least beta, or the score itself in between.

    The side to move must not be able to win at once. `stack` is scratch, [cells + 1, 2 * width].
    """
    counters[NODES] += 1
    bottom, board, stride, connect = geometry[BOTTOM], geometry[BOARD], geometry[STRIDE], geometry[CONNECT]
    cells = geometry[CELLS]
    theirs = mine ^ filled
    possible = (filled + bottom) & board
    danger = winning_cells(theirs, filled, board, stride, connect)
    forced = possible & danger
    if forced:
        if forced & (forced - 1):
            return -((cells - plies) // 2)
        possible = forced
    possible &= ~(danger >> 1)  # below a cell where the other side wins
    if possible == 0:
        return -((cells - plies) // 2)
    if plies >= cells - 2:
        return 0

    least, most = -((cells - 2 - plies) // 2), (cells - 1 - plies) // 2
    mixed, shift = _mixed(mine, filled, bottom), np.uint64(geometry[SHIFT])
    place = mixed >> shift
    entry = table[place]
    if _holds(entry, mixed):
        least = max(least, int64((entry >> _BOUND_BITS) & _BOUND_MASK) - _ZERO)
        most = min(most, int64(entry & _BOUND_MASK) - _ZERO)
    if alpha < least:
        alpha = least
        if alpha >= beta:
            return alpha
    if beta > most:
        beta = most
        if alpha >= beta:
            return beta

    # Insertion sort of the moves, the most promising last; equal ones keep the order of the columns from outside in.
    row = stack[plies]
    count = 0
    width = geometry[WIDTH]
    column_cells = (int64(1) << (stride - 1)) - 1
    for near in range(width - 1, -1, -1):
        column = width // 2 - (near + 1) // 2 if near % 2 == 1 else width // 2 + near // 2
        move = possible & (column_cells << (column * stride))
        if move:
            worth = popcount(winning_cells(mine | move, filled | move, board, stride, connect))
            j = count
            while j > 0 and row[width + j - 1] > worth:
                row[j], row[width + j] = row[j - 1], row[width + j - 1]
                j -= 1
            row[j], row[width + j] = move, worth
            count += 1

    if plies < cells - _NEAR_END:
        for j in range(count):  # a reply that the table already refutes for the other side
            after = _mixed(theirs, filled | row[j], bottom)
            entry = table[after >> shift]
            if _holds(entry, after):
                score = _ZERO - int64(entry & _BOUND_MASK)
                if score >= beta:
                    return score

    low = alpha
    best = -cells
    for j in range(count - 1, -1, -1):
        move = row[j]
        score = -search(theirs, filled | move, plies + 1, -beta, -low, geometry, table, stack, counters)
        if counters[STOPPED]:
            return 0
        if score > best:
            best = score
            if best > low:
                low = best
                if low >= beta:
                    break
    if best <= alpha:
        most = min(most, best)
    elif best >= beta:
        least = max(least, best)
    else:
        least = most = best
    table[place] = mixed << _DATA_BITS | np.uint64(least + _ZERO) << _BOUND_BITS | np.uint64(most + _ZERO)
    if counters[MOST_NODES] and counters[NODES] >= counters[MOST_NODES]:
        counters[STOPPED] = 1
    return best
