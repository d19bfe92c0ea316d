"""A search for forced wins in games without draws: alpha-beta for one question, with a table, that stops and goes on.

Of a position it asks "is its score at least ...?". Under best play, its score is 127 - n if the side to move wins with
the n-th move from here. It is n - 127 if it loses with that move. A quicker win has a higher score. "At least 1" asks
for the winner alone. The question about a position after a move follows from that about the position:

    at least t > 1     a win within 127 - t moves     not: at least -t of the other side
    at least 1         a win                          not: at least 1 of the other side
    at least t < 1     no loss within 126 + t moves   not: at least 2 - t of the other side

In Hex a proof of a win has cells: those that the winner's strategy needs beside its stones. If the other side wins
after a move, it wins in the same way after every move outside the cells of the proof. Only moves on these cells are
tried. For it connects its sides by its stones and those cells, which the loser cannot cross. R. Hayward and others,
"Solving 7x7 Hex with domination, fill-in and virtual connections", 2005, call these cells must-play regions.

A table entry has a position's key, the bounds of its score, and the cells of a proof. The key is the position itself,
on boards of up to 31 cells; so an entry is never taken for another position's. A state begins with three words: the
stones of the side to move, those of the other side, and the side to move (1 or -1).

Memory: game | running | depth | words of a frame | frames | table, two words an entry
A frame: state | question | moves to try | those that were tried | moves that may win | cells of a proof | moves
"""

from __future__ import annotations

import numpy as np

from mcts.games.kernels import breakthrough, breakthrough_order, hex, hex_order
from numerics.games import SIGNATURES, UNDECIDED, WON, Words
from numerics.kernels.elementary import popcount
from numerics.kernels.jit import kernel
from numerics.random import GOLDEN

MOST_CELLS = 31
WIN = 127  # the score of a win in n moves is WIN - n
MOST_PLIES = 120  # a game that is longer has no room among the scores
BREAKTHROUGH, HEX = range(2)
_KIND, _RUNNING, _DEPTH, _FRAME, _FRAMES, _HEADER = range(6)
_QUESTION, _COUNT, _TRIED, _OPEN, _PROOF, _MOVES = range(6)  # behind the state
_UNKNOWN, _NO, _YES = -1, 0, 1
_EVERY = (1 << MOST_CELLS) - 1  # cells of a proof of which nothing is known
_SHIFT = np.uint64(32)


@kernel(inline=True)
def _after(least):
    """Return the question about a position after a move."""
    return least if least == 1 else -least if least > 1 else 2 - least


@kernel(inline=True)
def _key(state):
    return state[0] | (state[1] << 31) | (np.int64(state[2] > 0) << 62)


@kernel(inline=True)
def _slot(key, table):
    """Return the place of a key in the table."""
    mixed = np.uint64(key) * GOLDEN
    return 2 * np.int64((mixed >> _SHIFT) & np.uint64(table.size // 2 - 1))


@kernel(inline=True)
def _low(entry):
    return ((entry >> 8) & 255) - WIN


@kernel(inline=True)
def _high(entry):
    return (entry & 255) - WIN


@kernel(inline=True)
def _known(key, least, table):
    """Return what the range of scores, or the table, answers; and the cells of a proof."""
    if least >= WIN:
        return _NO, _EVERY
    if least <= 2 - WIN:
        return _YES, _EVERY
    slot = _slot(key, table)
    if table[slot] == key:
        entry = table[slot + 1]
        low, high = _low(entry), _high(entry)
        if low >= least:
            return _YES, entry >> 16 if low > 0 else np.int64(_EVERY)
        if high < least:
            return _NO, entry >> 16 if high < 0 else np.int64(_EVERY)
    return _UNKNOWN, _EVERY


@kernel(inline=True)
def _learn(key, low, high, proof, table):
    """Narrow the bounds of a position in the table."""
    slot = _slot(key, table)
    if table[slot] == key:
        entry = table[slot + 1]
        is_proven = low > 0 or high < 0
        low, high = max(low, _low(entry)), min(high, _high(entry))
        if not is_proven:
            proof = entry >> 16
    table[slot], table[slot + 1] = key, (proof << 16) | ((low + WIN) << 8) | (high + WIN)


@kernel(inline=True)
def _promising(kind, state, moves):
    return hex_order.promising(state, moves) if kind == HEX else breakthrough_order.promising(state, moves)


@kernel(inline=True)
def _play(kind, state, move):
    if kind == HEX:
        hex.play(state, move)
    else:
        breakthrough.play(state, move)


@kernel(inline=True)
def _outcome(kind, state):
    return hex.outcome(state) if kind == HEX else breakthrough.outcome(state)


@kernel("UniTuple(int64, 2)(int64[::1], int64, int64, int64[::1])")
def ask(state, least, positions, memory):
    """Search for an answer: 1 for yes, 0 for no, -1 where so many positions are not enough; and how many it looked at.

    A search that was stopped goes on at the next call with the same position and question.
    """
    kind, size, words, frames = memory[_KIND], state.size, memory[_FRAME], memory[_FRAMES]
    stack = memory[_HEADER : _HEADER + words * frames].reshape((frames, words))
    table = memory[_HEADER + words * frames :]
    depth, goes_on = memory[_DEPTH], memory[_RUNNING] == 1 and stack[0, size + _QUESTION] == least
    for word in range(size):
        goes_on = goes_on and stack[0, word] == state[word]
    if not goes_on:
        depth = 0
        for word in range(size):
            stack[0, word] = state[word]
        stack[0, size + _QUESTION], stack[0, size + _COUNT] = least, -1
    looked_at, answer, proof = 0, np.int64(_UNKNOWN), np.int64(_EVERY)
    while True:
        frame = stack[depth]
        asked = frame[size + _QUESTION]
        if frame[size + _COUNT] < 0:
            if looked_at == positions:
                break
            looked_at += 1
            answer, proof = _known(_key(frame), asked, table)
            if answer == _UNKNOWN:
                count = _promising(kind, frame[:size], frame[size + _MOVES :])
                frame[size + _COUNT], frame[size + _TRIED], frame[size + _OPEN] = count, 0, _EVERY
                frame[size + _PROOF] = frame[size + _MOVES + count] if kind == HEX else np.int64(_EVERY)
        if answer == _UNKNOWN:
            tried, count = frame[size + _TRIED], frame[size + _COUNT]
            if kind == HEX:
                while tried < count and (frame[size + _OPEN] >> frame[size + _MOVES + tried]) & 1 == 0:
                    tried += 1
            if tried == count:
                answer, proof = np.int64(_NO), frame[size + _PROOF] if asked <= 1 else np.int64(_EVERY)
                _learn(_key(frame), 1 - WIN, asked - 1, proof, table)
            else:
                frame[size + _TRIED] = tried + 1
                after, move = stack[depth + 1], frame[size + _MOVES + tried]
                for word in range(size):
                    after[word] = frame[word]
                _play(kind, after[:size], move)
                known = _outcome(kind, after[:size])
                if known == WON:
                    answer, proof = np.int64(_YES), np.int64(1) << move if kind == HEX else np.int64(_EVERY)
                    _learn(_key(frame), WIN - 1, WIN - 1, proof, table)
                elif known == UNDECIDED:
                    after[size + _QUESTION], after[size + _COUNT] = _after(asked), -1
                    depth += 1
                    continue
        while answer != _UNKNOWN and depth > 0:
            depth -= 1
            frame = stack[depth]
            if answer == _YES:
                answer = np.int64(_UNKNOWN)
                frame[size + _OPEN] &= proof
                frame[size + _PROOF] |= proof
            else:
                answer = np.int64(_YES)
                if kind == HEX:
                    proof |= np.int64(1) << frame[size + _MOVES + frame[size + _TRIED] - 1]
                _learn(_key(frame), frame[size + _QUESTION], WIN - 1, proof, table)
        if answer != _UNKNOWN:
            break
    memory[_RUNNING], memory[_DEPTH] = answer == _UNKNOWN, depth
    return answer, looked_at


@kernel(SIGNATURES["exact"])
def narrow(state, bounds, least, positions, memory):
    """Narrow the bounds of a score as `numerics.games.Narrow` has it, in Hex: 1 is a win with the last empty cell."""
    room = popcount(state[hex.CELLS] & ~(state[hex.MINE] | state[hex.THEIRS]))
    if least == 0 or least == 1:  # there is no draw
        asked = np.int64(1)
    elif least > 1:
        asked = WIN - 1 - room + least
    else:
        asked = room + 1 - WIN + least
    answer, looked_at = ask(state, asked, positions, memory)
    if answer == _YES:
        bounds[0] = max(bounds[0], 1 if asked == 1 else least)
    elif answer == _NO:
        bounds[1] = min(bounds[1], -1 if asked == 1 else least - 1)
    return looked_at


def memory_for(kind: int, cells: int, bits: int) -> Words:
    """Return fresh memory for searches of a game, BREAKTHROUGH or HEX, with 2 ** bits entries in the table."""
    size = 1 + (breakthrough.CELLS if kind == BREAKTHROUGH else hex.CELLS)  # words of a state
    words, frames = size + _MOVES + 3 * cells, MOST_PLIES + 2
    memory = np.zeros(_HEADER + words * frames + (2 << bits), np.int64)
    memory[_KIND], memory[_FRAME], memory[_FRAMES] = kind, words, frames
    return memory
