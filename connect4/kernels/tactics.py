"""Threats as hooks of the game: which moves a search tries, and which positions threats decide two plies ahead.

In place of the hooks of `connect4.kernels.bitboard`:

    legal     An immediate win, if there is one. Else the moves after which the other side cannot win at once (a single
              move if a threat must be blocked). Else all moves, since the game is lost.
    outcome   The side that moved has lost if the side to move wins at once, or can leave the other side no safe
              move. The side that moved has won if the side to move has no safe move. Else what follow-up play proves.
    plies     The number of plies to the end of a position that is decided in this way.
    playout   Wins at once, else plays a safe move at random, below its winning cells only if it must. It ends as soon
              as there is no safe move.

So nodes are decided plies earlier, and playouts give no game away. docs/measured/search.md has the worth of each hook.
"""

from __future__ import annotations

import numpy as np

from connect4.kernels.bitboard import (
    BOARD,
    BOTTOM,
    CONNECT,
    FILLED,
    MINE,
    STRIDE,
    columns_of,
    connects,
    draw_cell,
    shift_down,
)
from connect4.kernels.follow_up import follow_up, plies_to_win, rows_of_the_last
from connect4.kernels.threats import gaps_that_win, safe_moves
from numerics.games import DRAWN, LOST, SIGNATURES, UNDECIDED, WON
from numerics.kernels.jit import kernel
from numerics.kernels.words import as_int, bitboards_of, count_bits, one_of


@kernel(SIGNATURES["legal"])
def legal(state, moves):
    """Write the columns worth a look to the front of `moves`; return their number."""
    bits = bitboards_of(state)
    mine, filled, board, bottom = bits[MINE], bits[FILLED], bits[BOARD], bits[BOTTOM]
    stride, connect = as_int(bits[STRIDE]), as_int(bits[CONNECT])
    playable = (filled + bottom) & board
    cells = gaps_that_win(mine, filled, board, stride, connect) & playable
    if cells == 0:
        threats = gaps_that_win(mine ^ filled, filled, board, stride, connect)
        cells = safe_moves(threats, filled, bottom, board)
        if cells == 0:
            cells = playable & threats
            if cells == 0:
                cells = playable
    column_cells, count, column = (one_of(board) << (stride - 1)) - 1, 0, 0
    while cells != 0:
        if cells & column_cells:
            moves[count] = column
            count += 1
        cells = shift_down(cells, stride)  # of a single column it may be all
        column += 1
    return count


@kernel(inline=True)
def _can_force(mine, filled, safe, bottom, board, stride, connect):
    """Return whether some safe move leaves the other side neither a win nor a safe move, and so wins."""
    while safe:
        cell = safe & -safe
        safe ^= cell
        threats = gaps_that_win(mine | cell, filled | cell, board, stride, connect)
        if safe_moves(threats, filled | cell, bottom, board) == 0:
            return True
    return False


@kernel(inline=True)
def _decide(bits):
    """Return the outcome for the side that made the last move, as far as it is decided, and the plies to the end.

    A win of follow-up play may come sooner.
    """
    mine, filled, board, bottom = bits[MINE], bits[FILLED], bits[BOARD], bits[BOTTOM]
    stride, connect = as_int(bits[STRIDE]), as_int(bits[CONNECT])
    theirs = mine ^ filled
    if connects(theirs, stride, connect):
        return WON, 0
    if filled == board:
        return DRAWN, 0
    wins = gaps_that_win(mine, filled, board, stride, connect)
    if wins & ((filled + bottom) & board) != 0:
        return LOST, 1
    danger = gaps_that_win(theirs, filled, board, stride, connect)
    safe = safe_moves(danger, filled, bottom, board)
    if safe == 0:
        return WON, 2
    cells, plies = count_bits(board), count_bits(filled)
    if plies >= cells - 2:
        return DRAWN, cells - plies  # neither side wins with the last two stones
    if _can_force(mine, filled, safe, bottom, board, stride, connect):
        return LOST, 3
    least, most = follow_up(
        mine,
        theirs,
        filled,
        plies,
        wins,
        danger,
        -((cells - 2 - plies) // 2),
        (cells - 1 - plies) // 2,
        bottom,
        board,
        rows_of_the_last(bottom, stride),
        stride,
        connect,
        cells,
    )
    if least > 0:
        return LOST, plies_to_win(cells, plies, least)
    if most < 0:
        return WON, plies_to_win(cells, plies, most)
    return (DRAWN if least == most else UNDECIDED), cells - plies


@kernel(SIGNATURES["outcome"])
def outcome(state):
    """Return the outcome for the side that made the last move, as far as threats or follow-up play decide it."""
    return _decide(bitboards_of(state))[0]


@kernel(SIGNATURES["plies"])
def plies(state):
    """Return the plies that a decided game still lasts at most."""
    return _decide(bitboards_of(state))[1]


@kernel(SIGNATURES["playout"])
def careful_playout(state, rng, r):
    """Play to the end: win at once, else play any safe move; a side without a safe move has lost.

    A safe move is one after which the other side cannot win at once. A stone right below the mover's winning cell gives
    that cell away, so such moves wait until there are no others. So columns stay open below such cells, and the side
    that first runs out of other moves loses, as in real games.
    """
    s0, s1, s2, s3 = rng[r, 0], rng[r, 1], rng[r, 2], rng[r, 3]
    bits = bitboards_of(state)
    mine, filled, board, bottom = bits[MINE], bits[FILLED], bits[BOARD], bits[BOTTOM]
    stride, connect = as_int(bits[STRIDE]), as_int(bits[CONNECT])
    width = np.uint64(columns_of(bottom))
    wins = gaps_that_win(mine, filled, board, stride, connect)
    threats = gaps_that_win(mine ^ filled, filled, board, stride, connect)
    value = 1.0
    while True:
        if wins & ((filled + bottom) & board):
            break
        safe = safe_moves(threats, filled, bottom, board)
        if safe == 0:
            value = 1.0 - value
            break
        patient = safe & ~(wins >> 1)
        if patient:
            safe = patient
        if safe & (safe - 1):
            safe, s0, s1, s2, s3 = draw_cell(safe, width, stride, s0, s1, s2, s3)
        mine |= safe
        filled |= safe
        if filled == board:
            value = 0.5
            break
        wins, threats = threats, gaps_that_win(mine, filled, board, stride, connect)
        mine ^= filled
        value = 1.0 - value
    rng[r, 0], rng[r, 1], rng[r, 2], rng[r, 3] = s0, s1, s2, s3
    return value
