"""All positions of the next ply, each once: a hash table of the successors of many positions.

A position and its mirror image share an entry, which holds the smaller words of the two. A table is four arrays of the
same length, a power of two. Entry i is the position (mine[i], filled[i]) in the words of `kernels.bitboard`.
`sequences[i]` is the number of move sequences to it or its image. `chance[i]` is the probability that random play
reaches either. `filled[i]` = 0 marks a free entry, because a successor has a stone. Collisions go to the next entry.
"""

from __future__ import annotations

import numpy as np

from connect4.kernels.bitboard import BOARD, BOTTOM, CONNECT, STRIDE, columns_of, connects
from numerics.kernels.jit import kernel
from numerics.random import GOLDEN

LOAD = 0.6  # of a table, at most
NEXT, USED, POSITIONS = range(3)  # words of the progress
WON, FULL, SEQUENCES, WON_SEQUENCES = range(4)  # rows of the tallies; numbers of sequences take two words
HALF = 32  # bits of the lower of the two words

_ARRAYS = "int64[::1], int64[::1], int64[::1], float64[::1]"
_MIX_2 = np.uint64(0xC2B2AE3D27D4EB4F)


@kernel()
def mirror(stones, stride, width):
    """Return the mirror image of stones."""
    column_cells = (np.int64(1) << (stride - 1)) - 1
    turned = np.int64(0)
    for _ in range(width):
        turned = (turned << stride) | (stones & column_cells)
        stones >>= stride
    return turned


@kernel()
def place_of(table_mine, table_filled, mine, filled):
    """Return the index of a position's entry, or of the free entry where it belongs."""
    last = table_filled.size - 1
    word = (np.uint64(mine) * GOLDEN) ^ (np.uint64(filled) * _MIX_2)
    entry = np.int64(word ^ (word >> np.uint64(29))) & last
    while table_filled[entry] != 0 and (table_filled[entry] != filled or table_mine[entry] != mine):
        entry = (entry + 1) & last
    return entry


@kernel(f"void({_ARRAYS}, int64[::1], int64[::1], {_ARRAYS})")
def expand(mine, filled, sequences, chance, start, progress, to_mine, to_filled, to_sequences, to_chance):
    """Add the successors of positions number progress[NEXT] and on to a table.

    start: a state of `kernels.bitboard`, for the shape of the board. Stops before a position whose successors may
    overfill the table. `progress`, int64[3], holds the next position, the number of used entries, and the number of
    positions in them.
    """
    stride, board, bottom = start[STRIDE], start[BOARD], start[BOTTOM]
    width, column_cells = columns_of(bottom), (np.int64(1) << (stride - 1)) - 1
    room = np.int64(LOAD * to_filled.size) - width
    while progress[NEXT] < filled.size and progress[USED] <= room:
        number = progress[NEXT]
        playable = (filled[number] + bottom) & board
        moves = 0
        for column in range(width):
            moves += (playable >> (column * stride)) & column_cells != 0
        for column in range(width):
            move = playable & (column_cells << (column * stride))
            if move == 0:
                continue
            now, after = mine[number] ^ filled[number], filled[number] | move
            now_turned, after_turned = mirror(now, stride, width), mirror(after, stride, width)
            images = 1 if now_turned == now and after_turned == after else 2
            if after_turned < after or (after_turned == after and now_turned < now):
                now, after = now_turned, after_turned
            entry = place_of(to_mine, to_filled, now, after)
            if to_filled[entry] == 0:
                to_mine[entry], to_filled[entry] = now, after
                progress[USED] += 1
                progress[POSITIONS] += images
            to_sequences[entry] += sequences[number]
            to_chance[entry] += chance[number] / moves
        progress[NEXT] += 1


@kernel(f"void({_ARRAYS}, {_ARRAYS})")
def move_over(mine, filled, sequences, chance, to_mine, to_filled, to_sequences, to_chance):
    """Copy all entries of a table into a larger, empty one."""
    for number in range(filled.size):
        if filled[number] != 0:
            entry = place_of(to_mine, to_filled, mine[number], filled[number])
            to_mine[entry], to_filled[entry] = mine[number], filled[number]
            to_sequences[entry], to_chance[entry] = sequences[number], chance[number]


@kernel()
def add_exactly(sums, row, value):
    """Add a number to the sum in word 0 of a row, and its rounding error to word 1."""
    before = sums[row, 0]
    after = before + value
    sums[row, 1] += (before - after) + value if abs(before) >= abs(value) else (value - after) + before
    sums[row, 0] = after


@kernel(f"int64({_ARRAYS}, int64[::1], int64[:, ::1], float64[:, ::1])")
def settle(mine, filled, sequences, chance, start, tallies, chances):
    """Tally the entries of a table and move the unfinished ones to its front; return the number of these.

    `tallies` is int64[4, 2]. WON and FULL count positions in word 0. WON_SEQUENCES and SEQUENCES are sums of the lower
    32 bits in word 0 and of the others in word 1. `chances` is float64[2, 2]. Word 0 has the probability that the game
    was won, and drawn. Word 1 has Neumaier's correction (1974).
    """
    stride, connect, board = start[STRIDE], start[CONNECT], start[BOARD]
    width = columns_of(start[BOTTOM])
    low = (np.int64(1) << HALF) - 1
    going = 0
    for number in range(filled.size):
        now, after, ways, share = mine[number], filled[number], sequences[number], chance[number]
        if after == 0:
            continue
        images = 1 if mirror(now, stride, width) == now and mirror(after, stride, width) == after else 2
        tallies[SEQUENCES, 0] += ways & low
        tallies[SEQUENCES, 1] += ways >> HALF
        if connects(now ^ after, stride, connect):
            tallies[WON, 0] += images
            tallies[WON_SEQUENCES, 0] += ways & low
            tallies[WON_SEQUENCES, 1] += ways >> HALF
            add_exactly(chances, 0, share)
        elif after == board:
            tallies[FULL, 0] += images
            add_exactly(chances, 1, share)
        else:
            mine[going], filled[going], sequences[going], chance[going] = now, after, ways, share
            going += 1
    return going
