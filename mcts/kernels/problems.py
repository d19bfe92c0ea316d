"""What a search asks a problem, and the answers of processes and of positions that Python keeps.

Each hook takes `back` and `given` first, by which it knows its problem: the address of another hook or of a function,
and whole numbers. P players have rewards of their own; a walk ends where no action is possible.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mcts.processes.process import SIGNATURE
from numerics.kernels.addresses import hook_at
from numerics.kernels.arrays import empty
from numerics.kernels.callbacks import call_back
from numerics.kernels.jit import kernel
from numerics.random import next_uniform, next_word

_FIRST = "int64, int64[::1], int64[::1]"  # back, given and the state
_OUT = "int64[:, ::1], float64[::1], float64[:, ::1]"  # states [O, S], chances [O] and rewards [O, P]
LEGAL = f"int64({_FIRST}, int64[::1])"
OUTCOMES = f"int64({_FIRST}, int64, {_OUT})"
PLAYER = f"int64({_FIRST})"
PLAYOUT = f"int64({_FIRST}, int64, float64, {_OUT}, uint64[:, ::1], int64, float64[::1])"
FAILED = -1  # of any hook: the function has kept an exception
PLAYERS, ACTIONS, TO_MOVE, MOST = range(4)  # what a process is given; MOST is O
MOVES, FOLLOW, MOVER, PLAY_ON = range(4)  # what a function is asked
_TRIES = 4  # at random, for each action, before all are looked at
_32 = np.uint64(32)
_outcomes_at = hook_at(SIGNATURE)


class Problem(NamedTuple):
    """The hooks of a problem: their addresses outside a kernel, functions inside."""

    legal: int  # writes the actions that are possible, and returns how many
    outcomes: int  # of an action: writes states, chances and rewards, and returns how many; chance 0 of a drawn one
    player: int  # who is to move
    playout: int  # writes the rewards of random play, and returns its steps
    back: int


@kernel()
def draw(states, chances, count, state, rng, stream):
    """Have one outcome happen, and return which."""
    chosen = 0
    if count > 1:
        u = next_uniform(rng, stream)
        while chosen < count - 1 and u >= chances[chosen]:
            u -= chances[chosen]
            chosen += 1
    for word in range(state.size):
        state[word] = states[chosen, word]
    return chosen


# ------------------------------------------------------------ processes


@kernel(LEGAL)
def legal_of_process(back, given, state, moves):
    """Write the actions that have an outcome."""
    call, size, count = _outcomes_at(back), given[MOST], 0
    states, chances, rewards = empty((size, state.size), np.int64), empty(size), empty(size)
    for action in range(given[ACTIONS]):
        if call(state, action, states, chances, rewards) > 0:
            moves[count] = action
            count += 1
    return count


@kernel(OUTCOMES)
def outcomes_of_process(back, given, state, action, states, chances, rewards):
    """Write the outcomes of an action; what player 0 gains, player 1 loses."""
    flat = rewards.reshape(-1)
    count = _outcomes_at(back)(state, action, states, chances, flat[: chances.size])
    if given[PLAYERS] == 2:
        for i in range(count - 1, -1, -1):
            rewards[i, 0], rewards[i, 1] = flat[i], -flat[i]
    return count


@kernel(PLAYER)
def player_of_process(back, given, state):
    """Return who is to move."""
    return state[given[TO_MOVE]] if given[PLAYERS] == 2 else 0


@kernel(PLAYOUT)
def playout_of_process(back, given, state, left, discount, states, chances, rewards, rng, r, returns):
    """Play actions at random, each possible one as likely."""
    call, actions, worth = _outcomes_at(back), given[ACTIONS], 1.0
    flat, total = rewards.reshape(-1)[: chances.size], 0.0
    for step in range(left):
        count = 0
        for _ in range(_TRIES * actions):
            action = np.int64(((next_word(rng, r) >> _32) * np.uint64(actions)) >> _32)
            count = call(state, action, states, chances, flat)
            if count > 0:
                break
        if count == 0:  # few or none are possible: look at all
            possible = 0
            for action in range(actions):
                if call(state, action, states, chances, flat) > 0:
                    possible += 1
            if possible == 0:
                left = step
                break
            skip = np.int64(((next_word(rng, r) >> _32) * np.uint64(possible)) >> _32)
            for action in range(actions):
                count = call(state, action, states, chances, flat)
                if count > 0:
                    if skip == 0:
                        break
                    skip -= 1
        total += worth * flat[draw(states, chances, count, state, rng, r)]
        worth *= discount
    returns[0] = total
    if given[PLAYERS] == 2:
        returns[1] = -total
    return left


# ------------------------------------------------------------ positions that Python keeps: a state is their number


@kernel(LEGAL)
def legal_of_positions(back, _given, state, moves):
    """Write the numbers of the moves of a position."""
    count = call_back(back, MOVES, state[0], moves.size, 0)
    for move in range(count):
        moves[move] = move
    return count


@kernel(OUTCOMES)
def outcomes_of_positions(back, _given, state, action, _states, _chances, _rewards):
    """Have the function write what may follow a move; it holds the same arrays."""
    return call_back(back, FOLLOW, state[0], action, 0)


@kernel(PLAYER)
def player_of_positions(back, _given, state):
    """Return who is to move."""
    return call_back(back, MOVER, state[0], 0, 0)


@kernel(PLAYOUT)
def playout_of_positions(back, _given, state, left, _discount, _states, _chances, _rewards, rng, r, _returns):
    """Have the function play at random from a seed; it holds the same array of returns, and knows the discount."""
    return call_back(back, PLAY_ON, state[0], left, np.int64(next_word(rng, r) >> np.uint64(1)))
