"""The exact solver's kernel: null-window negamax on bitboards with a transposition table, without recursion.

Scores are Pons's: 0 for a draw, and (cells + 1 - p) // 2 for a side that wins with its stone on a board of p stones. So
a quicker win is worth more. The loser gets the negative. In the search, p is `plies`.

Before it makes a move, the search detects two kinds of positions, and never enters them: the side to move wins at once,
or the other side wins with its next stone whatever is played.

    moves    Only those after which the other side cannot win at once. If a threat must be blocked, only the block.
    forced   While a side has a single such reply, it is played at once. Only the position where a side has a choice is
             searched and counted. A sequence that ends the game needs no search at all.
    bounds   What follow-up play proves, see `connect4.kernels.follow_up`, before the table is probed.
    table    Both bounds of a score. A reply whose bound suffices ends the search of a position at once. Positions near
             the end of the game share a part of the table that fits the processor's cache. The very last are not kept.
    order    By the winning cells a move makes. Moves that leave a single reply come first, and stones right below the
             mover's winning cells late. Ties go to the cell with the most lines through it.
    mirror   Below `_MIRRORED` plies a position and its mirror image share an entry of the table.

An entry of the table is one word. A bijection of 64 bits (an odd factor and a shift) scrambles a position's key. The
upper bits are the index, and the lower bits are stored, so that an entry is never taken for another position's:

    tag ........................... | lower + 64 (7 bits) | upper + 64 (7 bits)

A board of more than 64 bits has a key of two words, each scrambled by a bijection of its own. The tag and the index
mix both. An entry is then taken for another position's with probability 2^-50 at each probe, about 10^-5 in a search of
a billion positions.

The search has an explicit stack, so that it can stop after some positions and resume. docs/measured/solver.md has the
measured worth of each idea, also of those that were left out.

Ideas: Pascal Pons, "Solving Connect 4: how to build a perfect AI", parts 3 to 11; John Tromp, Fhourstones; Victor
Allis, "A knowledge-based approach of Connect-Four", 1988, chapter 3 (follow-up play and odd threats).
"""

from __future__ import annotations

import numpy as np

from connect4.kernels.follow_up import follow_up
from connect4.kernels.threats import gaps_that_win, safe_moves
from numerics.kernels.jit import kernel
from numerics.kernels.words import as_int, bitboards_of, count_bits, one_of, size_of, upper_word
from numerics.random import GOLDEN

# Words of the geometry; from VALUES on, the worth of each cell in the order of the bits.
STRIDE, CONNECT, CELLS, WIDTH, SHIFT, VALUES = range(6)
GEOMETRY_WORDS = VALUES + 128
# Words of the state: the counters where a stopped search resumes.
NODES, MOST_NODES, STOPPED, INDEX, RUNNING, MIDDLE, BASE, PLIES, ALPHA = range(9)
STATE_WORDS = 9
# The last row of the bitboards: the board, and the position where a stopped search resumes.
BOTTOM, BOARD, LAST_ROWS, MINE, FILLED, POSSIBLE, WINS, DANGER = range(8)
ROW = 8

# A frame of the stack: the bounds of a position, the plies of the frame it was reached from, and its moves with the
# best last, as words of worth and number; then the plies of the position to which each number leads.
_BEST, _LEAST, _MOST, _PLACE, _TAG, _COUNT, _PARENT, _MOVES = range(8)
FRAME_WORDS = _MOVES  # and COLUMN_WORDS for each column
COLUMN_WORDS = 2
# The bitboards of a frame: those of the position to which each number leads.
_TO_MINE, _TO_FILLED, _TO_WINS, _TO_DANGER, _TO_POSSIBLE = range(5)
COLUMN_BITBOARDS = 5

_BOUND_BITS, _BOUND_MASK, _ZERO = np.uint64(7), np.uint64(127), 64
_DATA_BITS = np.uint64(14)
_NUMBER_BITS, _NUMBER_MASK = 7, 127  # of a move in a word of the order
_NEAR_END = 16  # positions of this many last plies share 2 ** _CACHED_BITS entries of the table
_CACHED_BITS = 16  # at least 14, so that an entry belongs to one position only
_NOT_KEPT = 6  # in this many last plies, probing the table costs more than it saves
_MIRRORED = 14  # from this ply on, mirroring costs more than it saves
# Weights in the order of moves: for each winning cell made, for leaving a single reply, and against a stone right below
# the mover's winning cell, which the other side then takes.
_THREAT, _FORCING, _BELOW_WIN = 64, 32, 64
_32, _GOLDEN_2 = np.uint64(32), np.uint64(0xC2B2AE3D27D4EB4F)


@kernel(inline=True)
def mirror(key, stride, width):
    """Return a key of more than one column with its columns reversed."""
    column, turned = (one_of(key) << stride) - 1, key & 0
    for _ in range(width):
        turned = (turned << stride) | (key & column)
        key >>= stride
    return turned


@kernel(inline=True)
def _mix(mine, filled, plies, bottom, stride, width):
    """Return a position's unique key, scrambled: a word whose upper bits are its index in the table, and its tag."""
    key = mine + filled + bottom
    if plies < _MIRRORED and width > 1:
        turned, sign = mirror(key, stride, width), one_of(key) << (size_of(key) - 1)
        if (turned ^ sign) < (key ^ sign):  # without a sign
            key = turned
    lower, upper = np.uint64(as_int(key)) * GOLDEN, np.uint64(upper_word(key)) * _GOLDEN_2
    lower, upper = lower ^ (lower >> _32), upper ^ (upper >> _32)
    return lower + upper * GOLDEN, lower ^ upper


@kernel(inline=True)
def _belongs_to(entry, tag):
    """Return whether an entry of the table belongs to a key."""
    return ((entry ^ (tag << _DATA_BITS)) >> _DATA_BITS) == 0


@kernel(inline=True)
def _play_forced(mine, filled, plies, wins, danger, possible, last_move, bottom, board, stride, connect):
    """Play while the side to move has a single reply that does not lose at once; return the position where it ends.

    There the side to move has no such reply (`possible` is 0), two stones are left, or it has a choice.
    """
    while possible != 0 and possible & (possible - 1) == 0 and plies < last_move:
        after = filled | possible
        wins, danger = danger & ~possible, gaps_that_win(mine | possible, after, board, stride, connect)
        mine, filled = mine ^ filled, after
        possible = safe_moves(danger, filled, bottom, board)
        plies += 1
    return mine, filled, plies, wins, danger, possible


@kernel()
def _search(state, table, stack, bitboards, geometry):
    """Return a bound of the score of the state's position that decides the window (alpha, alpha + 1).

    The bound is an upper one if at most alpha, else a lower one; it means nothing if STOPPED is set. A stopped search
    resumes from the state and the stack.
    """
    plies, alpha, base, nodes, most_nodes = state[PLIES], state[ALPHA], state[BASE], state[NODES], state[MOST_NODES]
    last = len(bitboards) - 1
    bottom, board, last_rows = bitboards[last, BOTTOM], bitboards[last, BOARD], bitboards[last, LAST_ROWS]
    mine, filled, possible = bitboards[last, MINE], bitboards[last, FILLED], bitboards[last, POSSIBLE]
    wins, danger = bitboards[last, WINS], bitboards[last, DANGER]
    stride, connect, cells, width = geometry[STRIDE], geometry[CONNECT], geometry[CELLS], geometry[WIDTH]
    last_move, near, in_table = cells - 2, cells - _NEAR_END, cells - _NOT_KEPT
    far_shift = np.uint64(geometry[SHIFT])
    near_shift = max(far_shift, np.uint64(64 - _CACHED_BITS))
    value = np.int64(0)
    while True:
        if nodes == most_nodes:
            bitboards[last, MINE], bitboards[last, FILLED], bitboards[last, POSSIBLE] = mine, filled, possible
            bitboards[last, WINS], bitboards[last, DANGER] = wins, danger
            state[PLIES], state[ALPHA], state[STOPPED] = plies, alpha, 1
            break
        nodes += 1
        frame = stack[plies]
        theirs = mine ^ filled
        least, most = -((last_move - plies) // 2), (last_move + 1 - plies) // 2
        if plies >= last_move:
            least = most = 0
        elif least <= alpha < most:
            least, most = follow_up(
                mine,
                theirs,
                filled,
                plies,
                wins,
                danger,
                least,
                most,
                bottom,
                board,
                last_rows,
                stride,
                connect,
                cells,
            )
        place, tag = np.uint64(0), np.uint64(0)
        if least <= alpha < most and plies < in_table:
            place, tag = _mix(mine, filled, plies, bottom, stride, width)
            place >>= far_shift if plies < near else near_shift
            entry = table[place]
            if _belongs_to(entry, tag):
                least = max(least, np.int64((entry >> _BOUND_BITS) & _BOUND_MASK) - _ZERO)
                most = min(most, np.int64(entry & _BOUND_MASK) - _ZERO)

        # Insertion sort of the moves by a word of worth and number, the most promising last. A move after which forced
        # replies end the game has its value already.
        count, best = np.int64(0), -cells
        if least <= alpha < most:
            rest = possible
            while rest:
                move = rest & -rest
                rest ^= move
                after = filled | move
                threats = gaps_that_win(mine | move, after, board, stride, connect)
                replies = safe_moves(threats, after, bottom, board)
                worth = _THREAT * count_bits(threats) + geometry[VALUES + count_bits(move - 1)]
                if replies & (replies - 1) == 0:
                    worth += _FORCING
                if wins & (move << 1):
                    worth -= _BELOW_WIN
                to_mine, to_filled, to_plies, to_wins, to_danger, to_possible = _play_forced(
                    theirs,
                    after,
                    plies + 1,
                    danger & ~move,
                    threats,
                    replies,
                    last_move,
                    bottom,
                    board,
                    stride,
                    connect,
                )
                if to_possible == 0 or to_plies >= last_move:
                    value = np.int64(0)
                    if to_possible == 0:  # whoever moved last wins with the next stone
                        value = (cells - to_plies) // 2
                        if (to_plies - plies) & 1 == 0:
                            value = -value
                    best = max(best, value)
                    if best > alpha:
                        least = best
                        break
                    continue
                to = COLUMN_BITBOARDS * count
                bitboards[plies, to + _TO_MINE], bitboards[plies, to + _TO_FILLED] = to_mine, to_filled
                bitboards[plies, to + _TO_WINS], bitboards[plies, to + _TO_DANGER] = to_wins, to_danger
                bitboards[plies, to + _TO_POSSIBLE] = to_possible
                frame[_MOVES + width + count] = to_plies
                word = (worth << _NUMBER_BITS) | count
                j = _MOVES + count
                while j > _MOVES and frame[j - 1] > word:
                    frame[j] = frame[j - 1]
                    j -= 1
                frame[j] = word
                count += 1
            if least <= alpha and count == 0:
                most = best
        if least <= alpha < most:
            for number in range(count):  # a move after which the table already has a good enough bound
                to, to_plies = COLUMN_BITBOARDS * number, frame[_MOVES + width + number]
                if to_plies >= in_table:
                    continue
                to_mine, to_filled = bitboards[plies, to + _TO_MINE], bitboards[plies, to + _TO_FILLED]
                to_place, to_tag = _mix(to_mine, to_filled, to_plies, bottom, stride, width)
                entry = table[to_place >> (far_shift if to_plies < near else near_shift)]
                if _belongs_to(entry, to_tag):
                    if (to_plies - plies) & 1 == 1:
                        least = max(least, _ZERO - np.int64(entry & _BOUND_MASK))
                    else:
                        least = max(least, np.int64((entry >> _BOUND_BITS) & _BOUND_MASK) - _ZERO)
                    if least > alpha:
                        break

        solved = True
        if least > alpha:
            value = least
        elif most <= alpha:
            value = most
        else:
            solved = False
            frame[_PLACE], frame[_TAG] = np.int64(place), np.int64(tag)
            frame[_LEAST], frame[_MOST], frame[_BEST], frame[_COUNT] = least, most, best, count
        while solved and plies > base:  # back up to the parent
            parent = stack[plies, _PARENT]
            if (plies - parent) & 1 == 1:
                alpha = -alpha - 1
                value = -value
            plies = parent
            frame = stack[plies]
            best = max(value, frame[_BEST])
            frame[_BEST] = best
            if best <= alpha and frame[_COUNT] > 0:
                solved = False
            else:
                least, most = frame[_LEAST], frame[_MOST]
                if best > alpha:
                    least = max(least, best)
                else:
                    most = min(most, best)
                if plies < in_table:
                    bounds = np.uint64(least + _ZERO) << _BOUND_BITS | np.uint64(most + _ZERO)
                    table[frame[_PLACE]] = np.uint64(frame[_TAG]) << _DATA_BITS | bounds
                value = best
        if solved:
            break
        count = frame[_COUNT] - 1
        frame[_COUNT] = count
        parent, number = plies, frame[_MOVES + count] & _NUMBER_MASK
        to = COLUMN_BITBOARDS * number
        mine, filled = bitboards[parent, to + _TO_MINE], bitboards[parent, to + _TO_FILLED]
        wins, danger = bitboards[parent, to + _TO_WINS], bitboards[parent, to + _TO_DANGER]
        possible, plies = bitboards[parent, to + _TO_POSSIBLE], frame[_MOVES + width + number]
        if (plies - parent) & 1 == 1:
            alpha = -alpha - 1
        stack[plies, _PARENT] = parent
    state[NODES] = nodes
    return value


@kernel(inline=True)
def _split_range(low, high):
    """Return where to split a range of scores: nearer to 0 first, since windows near a draw are the cheapest."""
    middle = low + (high - low) // 2
    if middle <= 0 and -(-low // 2) < middle:
        return -(-low // 2)
    if middle >= 0 and high // 2 > middle:
        return high // 2
    return middle


@kernel()
def narrow_bounds(stones, bounds, state, table, stack, bitboards, geometry):
    """Narrow the bounds of positions as `solve` does."""
    last = len(bitboards) - 1
    bottom, board = bitboards[last, BOTTOM], bitboards[last, BOARD]
    stride, connect, cells = geometry[STRIDE], geometry[CONNECT], geometry[CELLS]
    while state[INDEX] < len(bounds):
        index = state[INDEX]
        low, high = bounds[index, 0], bounds[index, 1]
        mine, filled = stones[index, 0], stones[index, 1]
        plies = count_bits(filled)
        playable = (filled + bottom) & board
        wins = gaps_that_win(mine, filled, board, stride, connect)
        danger = gaps_that_win(mine ^ filled, filled, board, stride, connect)
        possible = safe_moves(danger, filled, bottom, board)
        if wins & playable:
            low = high = min(high, max(low, (cells + 1 - plies) // 2))
        elif possible == 0:
            low = high = max(low, min(high, -((cells - plies) // 2)))
        elif plies >= cells - 2:
            low = high = max(low, min(high, np.int64(0)))
        else:
            low, high = max(low, min(high, -((cells - 2 - plies) // 2))), min(high, max(low, (cells - 1 - plies) // 2))
        while low < high:
            if state[RUNNING] == 0:
                state[MIDDLE] = state[ALPHA] = _split_range(low, high)
                bitboards[last, MINE], bitboards[last, FILLED], bitboards[last, POSSIBLE] = mine, filled, possible
                bitboards[last, WINS], bitboards[last, DANGER] = wins, danger
                state[PLIES], state[BASE], state[RUNNING] = plies, plies, 1
            bound = _search(state, table, stack, bitboards, geometry)
            if state[STOPPED]:
                break
            state[RUNNING] = 0
            if bound <= state[MIDDLE]:
                high = max(bound, low)
            else:
                low = min(bound, high)
        bounds[index, 0], bounds[index, 1] = low, high
        if state[STOPPED]:
            break
        state[INDEX] += 1


@kernel("void(int64[:, ::1], int64[:, ::1], int64[::1], uint64[::1], int64[:, ::1], int64[:, ::1], int64[::1])")
def solve(positions, bounds, state, table, stack, rows, geometry):
    """Narrow the bounds of positions to their scores, in the order given.

    Parameters
    ----------
    positions : int64[n, 2 bitboards]
        Stones of the side to move, and of both; not finished.
    bounds : int64[n, 2]
        In-out: the range in which to look for the score; narrowed.
    state : int64[STATE_WORDS]
        In-out: all 0 at the start of a list. NODES counts up; at MOST_NODES (negative: never) the search stops with
        STOPPED set. Clear STOPPED, raise MOST_NODES and repeat the call to resume.
    table : uint64[2 ** bits]
        In-out.
    stack : int64[cells + 1, FRAME_WORDS + COLUMN_WORDS * width]
        Scratch; do not change it while a search is stopped.
    rows : int64[cells + 2, ROW + COLUMN_BITBOARDS * width bitboards]
        The bitboards of the stack, and in the last row those of the board; see `stack_of`.
    geometry : int64[GEOMETRY_WORDS]
        The board.
    """
    narrow_bounds(bitboards_of(positions), bounds, state, table, stack, bitboards_of(rows), geometry)
