"""The exact solver's kernel: null-window negamax on bitboards with a transposition table, without recursion.

Scores are Pons's: 0 for a draw; a side that wins with its stone on a board of p stones gets (cells + 1 - p) // 2, so
that a quicker win is worth more; the loser gets the negative. In the search, p is `plies`. The side to move can never
win at once there, nor does the other side win with its next stone whatever is played: the search detects both before it
makes the move that leads there.

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

The search has an explicit stack, so that it can stop after some positions and resume. docs/measured/solver.md has the
measured worth of each idea, also of those that were left out.

Ideas: Pascal Pons, "Solving Connect 4: how to build a perfect AI", parts 3 to 11; John Tromp, Fhourstones; Victor
Allis, "A knowledge-based approach of Connect-Four", 1988, chapter 3 (follow-up play and odd threats).
"""

from __future__ import annotations

import numpy as np

from connect4.kernels.follow_up import follow_up
from connect4.kernels.threats import gaps_that_win, safe_moves
from numerics.kernels.elementary import popcount
from numerics.kernels.jit import kernel
from numerics.random import GOLDEN

# Words of the geometry; from VALUES on, the worth of each cell in the order of the bits.
BOTTOM, BOARD, LAST_ROWS, STRIDE, CONNECT, CELLS, WIDTH, SHIFT, VALUES = range(9)
GEOMETRY_WORDS = VALUES + 64
# Words of the state: the counters, and the position where a stopped search resumes.
NODES, MOST_NODES, STOPPED, INDEX, RUNNING, MIDDLE, BASE, PLIES, ALPHA, MINE, FILLED, POSSIBLE, WINS, DANGER = range(14)
STATE_WORDS = 14

# A frame of the stack: the bounds of a position, the plies of the frame it was reached from, and its moves with the
# best last, as words of worth and number. Each number then has the position to which the move leads.
_BEST, _LEAST, _MOST, _MIXED, _COUNT, _PARENT, _MOVES = range(7)
FRAME_WORDS = _MOVES  # and COLUMN_WORDS for each column
_TO_MINE, _TO_FILLED, _TO_PLIES, _TO_WINS, _TO_DANGER, _TO_POSSIBLE, _TO_WORDS = range(7)
COLUMN_WORDS = 1 + _TO_WORDS

_BOUND_BITS, _BOUND_MASK, _ZERO = np.uint64(7), np.uint64(127), 64
_DATA_BITS = np.uint64(14)
_NUMBER_BITS, _NUMBER_MASK = 6, 63  # of a move in a word of the order
_NEAR_END = 16  # positions of this many last plies share 2 ** _CACHED_BITS entries of the table
_CACHED_BITS = 16  # at least 14, so that an entry belongs to one position only
_NOT_KEPT = 6  # in this many last plies, probing the table costs more than it saves
_MIRRORED = 14  # from this ply on, mirroring costs more than it saves
# Weights in the order of moves: for each winning cell made, for leaving a single reply, and against a stone right below
# the mover's winning cell, which the other side then takes.
_THREAT, _FORCING, _BELOW_WIN = 64, 32, 64


@kernel(inline=True)
def mirror(key, stride, width):
    """Return a key with its columns reversed."""
    column, step = (np.uint64(1) << np.uint64(stride)) - np.uint64(1), np.uint64(stride)
    turned = np.uint64(0)
    for _ in range(width):
        turned = (turned << step) | (key & column)
        key >>= step
    return turned


@kernel(inline=True)
def _mix(mine, filled, plies, bottom, stride, width):
    """Return a position's unique key, scrambled by a bijection: the upper bits are its index in the table."""
    key = np.uint64(mine + filled + bottom)
    if plies < _MIRRORED and width > 1:
        key = min(key, mirror(key, stride, width))
    key *= GOLDEN
    return key ^ (key >> np.uint64(32))


@kernel(inline=True)
def _belongs_to(entry, mixed):
    """Return whether an entry of the table belongs to a key."""
    return ((entry ^ (mixed << _DATA_BITS)) >> _DATA_BITS) == 0


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


@kernel("int64(int64[::1], uint64[::1], int64[:, ::1], int64[::1])")
def _search(state, table, stack, geometry):
    """Return a bound of the score of the state's position that decides the window (alpha, alpha + 1).

    The bound is an upper one if at most alpha, else a lower one; it means nothing if STOPPED is set. A stopped search
    resumes from the state and the stack.
    """
    mine, filled, plies, alpha = state[MINE], state[FILLED], state[PLIES], state[ALPHA]
    possible, wins, danger = state[POSSIBLE], state[WINS], state[DANGER]
    nodes, most_nodes = state[NODES], state[MOST_NODES]
    base = state[BASE]
    bottom, board, last_rows = geometry[BOTTOM], geometry[BOARD], geometry[LAST_ROWS]
    stride, connect, cells, width = geometry[STRIDE], geometry[CONNECT], geometry[CELLS], geometry[WIDTH]
    last_move, near, in_table = cells - 2, cells - _NEAR_END, cells - _NOT_KEPT
    far_shift = np.uint64(geometry[SHIFT])
    near_shift = max(far_shift, np.uint64(64 - _CACHED_BITS))
    value = np.int64(0)
    while True:
        if nodes == most_nodes:
            state[MINE], state[FILLED], state[PLIES], state[ALPHA] = mine, filled, plies, alpha
            state[POSSIBLE], state[WINS], state[DANGER] = possible, wins, danger
            state[STOPPED] = 1
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
        mixed = np.uint64(0)
        if least <= alpha < most and plies < in_table:
            mixed = _mix(mine, filled, plies, bottom, stride, width)
            entry = table[mixed >> (far_shift if plies < near else near_shift)]
            if _belongs_to(entry, mixed):
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
                worth = _THREAT * popcount(threats) + geometry[VALUES + popcount(move - 1)]
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
                to = _MOVES + width + _TO_WORDS * count
                frame[to + _TO_MINE], frame[to + _TO_FILLED], frame[to + _TO_PLIES] = to_mine, to_filled, to_plies
                frame[to + _TO_WINS], frame[to + _TO_DANGER], frame[to + _TO_POSSIBLE] = to_wins, to_danger, to_possible
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
                to = _MOVES + width + _TO_WORDS * number
                to_plies = frame[to + _TO_PLIES]
                if to_plies >= in_table:
                    continue
                reply = _mix(frame[to + _TO_MINE], frame[to + _TO_FILLED], to_plies, bottom, stride, width)
                entry = table[reply >> (far_shift if to_plies < near else near_shift)]
                if _belongs_to(entry, reply):
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
            frame[_MIXED] = np.int64(mixed)
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
                    mixed = np.uint64(frame[_MIXED])
                    table[mixed >> (far_shift if plies < near else near_shift)] = (
                        mixed << _DATA_BITS | np.uint64(least + _ZERO) << _BOUND_BITS | np.uint64(most + _ZERO)
                    )
                value = best
        if solved:
            break
        count = frame[_COUNT] - 1
        frame[_COUNT] = count
        parent, to = plies, _MOVES + width + _TO_WORDS * (frame[_MOVES + count] & _NUMBER_MASK)
        mine, filled, plies = frame[to + _TO_MINE], frame[to + _TO_FILLED], frame[to + _TO_PLIES]
        wins, danger, possible = frame[to + _TO_WINS], frame[to + _TO_DANGER], frame[to + _TO_POSSIBLE]
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


@kernel("void(int64[:, ::1], int64[:, ::1], int64[::1], uint64[::1], int64[:, ::1], int64[::1])")
def solve(positions, bounds, state, table, stack, geometry):
    """Narrow the bounds of positions to their scores, in the order given.

    Parameters
    ----------
    positions : int64[n, 3]
        Stones of the side to move, stones of both, and their number; not finished.
    bounds : int64[n, 2]
        In-out: the range in which to look for the score; narrowed.
    state : int64[STATE_WORDS]
        In-out: all 0 at the start of a list. NODES counts up; at MOST_NODES (negative: never) the search stops with
        STOPPED set. Clear STOPPED, raise MOST_NODES and repeat the call to resume.
    table : uint64[2 ** bits]
        In-out.
    stack : int64[cells + 1, FRAME_WORDS + COLUMN_WORDS * width]
        Scratch; do not change it while a search is stopped.
    geometry : int64[GEOMETRY_WORDS]
        The board.
    """
    bottom, board, stride, connect = geometry[BOTTOM], geometry[BOARD], geometry[STRIDE], geometry[CONNECT]
    cells = geometry[CELLS]
    while state[INDEX] < len(positions):
        index = state[INDEX]
        low, high = bounds[index, 0], bounds[index, 1]
        mine, filled, plies = positions[index, 0], positions[index, 1], positions[index, 2]
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
                state[MINE], state[FILLED], state[PLIES], state[BASE] = mine, filled, plies, plies
                state[POSSIBLE], state[WINS], state[DANGER] = possible, wins, danger
                state[RUNNING] = 1
            bound = _search(state, table, stack, geometry)
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
