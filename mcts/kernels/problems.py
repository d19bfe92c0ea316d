"""What a search asks a problem, and the answers of processes and of positions that Python keeps.

Each hook takes `back` and `given` first, by which it knows its problem: the address of another hook or of a function,
and whole numbers. There are P players, and an outcome has a reward for each. A walk ends where no action is possible.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mcts.processes.process import SIGNATURE
from numerics.kernels.addresses import call_back, hook_at
from numerics.kernels.jit import kernel
from numerics.random import advance, next_uniform, next_word

_FIRST = "int64, int64[::1], int64[::1]"  # back, given and the state
_OUT = "int64[:, ::1], float64[::1], float64[::1]"  # states [O, S], chances [O] and rewards [O * P]
LEGAL = f"int64({_FIRST}, {_OUT}, int64[::1])"
OUTCOMES = f"int64({_FIRST}, int64, {_OUT})"
PLAYER = f"int64({_FIRST})"
PLAYOUT = f"int64({_FIRST}, int64, float64, {_OUT}, uint64[:, ::1], int64, float64[::1])"
FAILED = -1  # in place of a player: the state names none
ACTIONS, TO_MOVE, PLAYERS, SHARES = range(4)  # what a process is given; SHARES is the rewards that an outcome has
MOVES, FOLLOW, MOVER, PLAY_ON = range(4)  # what a function is asked
DRAWN = -1.0  # in place of the probability of an outcome that was drawn
_TRIES = 4  # at random, for each action, before all are looked at
_11, _32, _TO_UNIT = np.uint64(11), np.uint64(32), 2.0**-53
_outcomes_at = hook_at(SIGNATURE)


class Problem(NamedTuple):
    """The hooks of a problem: their addresses outside a kernel, functions inside."""

    legal: int  # writes the actions that are possible, and returns how many
    outcomes: int  # of an action: writes states, chances and rewards, and returns how many; or one that was drawn
    player: int  # who is to move
    playout: int  # writes the rewards of random play, and returns its steps
    back: int


@kernel()
def outcome_at(u, chances, count):
    """Return the outcome of a uniform number in [0, 1)."""
    chosen = 0
    while chosen < count - 1 and u >= chances[chosen]:
        u -= chances[chosen]
        chosen += 1
    return chosen


@kernel()
def draw(chances, count, rng, stream):
    """Return one of the outcomes."""
    return outcome_at(next_uniform(rng, stream), chances, count) if count > 1 else 0


@kernel()
def whole_of(word, count):
    """Return the whole number from 0 to count - 1 of a random word."""
    return np.int64(((word >> _32) * np.uint64(count)) >> _32)


@kernel()
def below(count, rng, stream):
    """Return a random whole number from 0 to count - 1."""
    return whole_of(next_word(rng, stream), count)


@kernel()
def copy_row(table, row, out):
    """Copy a row of a table."""
    for i in range(out.size):
        out[i] = table[row, i]


# ------------------------------------------------------------ processes


@kernel(LEGAL)
def legal_of_process(back, given, state, states, chances, rewards, moves):
    """Write the actions that have an outcome."""
    call, count, shares = _outcomes_at(back), 0, rewards[: chances.size * given[SHARES]]
    for action in range(given[ACTIONS]):
        if call(state, action, states, chances, shares) > 0:
            moves[count] = action
            count += 1
    return count


@kernel(OUTCOMES)
def outcomes_of_process(back, given, state, action, states, chances, rewards):
    """Write the outcomes of an action; of two players with one reward, the second loses what the first gains."""
    count = _outcomes_at(back)(state, action, states, chances, rewards[: chances.size * given[SHARES]])
    if given[SHARES] < given[PLAYERS]:
        for i in range(count - 1, -1, -1):
            rewards[2 * i], rewards[2 * i + 1] = rewards[i], -rewards[i]
    return count


@kernel(PLAYER)
def player_of_process(_back, given, state):
    """Return who is to move."""
    player = state[given[TO_MOVE]] if given[TO_MOVE] >= 0 else 0
    return player if 0 <= player < given[PLAYERS] else FAILED


@kernel(PLAYOUT)
def playout_of_process(back, given, state, left, discount, states, chances, rewards, rng, stream, returns):
    """Play actions at random, each possible one as likely."""
    call, actions, worth = _outcomes_at(back), given[ACTIONS], 1.0
    each, players = given[SHARES], given[PLAYERS]
    shares = rewards[: chances.size * each]
    for player in range(players):
        returns[player] = 0.0
    s0, s1, s2, s3 = rng[stream, 0], rng[stream, 1], rng[stream, 2], rng[stream, 3]  # in registers: 1.4 times as fast
    for step in range(left):
        count = 0
        for _ in range(_TRIES * actions):
            word, s0, s1, s2, s3 = advance(s0, s1, s2, s3)
            count = call(state, whole_of(word, actions), states, chances, shares)
            if count > 0:
                break
        if count == 0:  # few or none are possible: look at all
            possible = 0
            for action in range(actions):
                if call(state, action, states, chances, shares) > 0:
                    possible += 1
            if possible == 0:
                left = step
                break
            word, s0, s1, s2, s3 = advance(s0, s1, s2, s3)
            skip = whole_of(word, possible)
            for action in range(actions):
                count = call(state, action, states, chances, shares)
                if count > 0:
                    if skip == 0:
                        break
                    skip -= 1
        chosen = 0
        if count > 1:
            word, s0, s1, s2, s3 = advance(s0, s1, s2, s3)
            chosen = outcome_at((word >> _11) * _TO_UNIT, chances, count)
        copy_row(states, chosen, state)
        for player in range(each):
            returns[player] += worth * shares[chosen * each + player]
        worth *= discount
    rng[stream, 0], rng[stream, 1], rng[stream, 2], rng[stream, 3] = s0, s1, s2, s3
    if each < players:
        returns[1] = -returns[0]
    return left


# ------------------------------------------------------------ positions that Python keeps: a state is their number


@kernel(LEGAL)
def legal_of_positions(back, _given, state, _states, _chances, _rewards, _moves):
    """Have the function write the numbers of moves; it holds the same array."""
    return call_back(back, MOVES, state[0], 0, 0)


@kernel(OUTCOMES)
def outcomes_of_positions(back, _given, state, action, _states, _chances, _rewards):
    """Have the function write what may follow a move; it holds the same arrays."""
    return call_back(back, FOLLOW, state[0], action, 0)


@kernel(PLAYER)
def player_of_positions(back, _given, state):
    """Return who is to move."""
    return call_back(back, MOVER, state[0], 0, 0)


@kernel(PLAYOUT)
def playout_of_positions(back, _given, state, left, _discount, _states, _chances, _rewards, _rng, _stream, _returns):
    """Have the function play at random; it holds the same array of returns, and knows the discount."""
    return call_back(back, PLAY_ON, state[0], left, 0)
