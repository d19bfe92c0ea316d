"""The kernels of exact values: all states that a process can reach, and sweeps of value iteration over them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mcts.kernels.transpositions import key_of
from mcts.processes.process import SIGNATURE
from numerics.kernels.addresses import hook_at
from numerics.kernels.arrays import empty
from numerics.kernels.jit import Matrix, Vector, kernel

STATES, EXPANDED, TRANSITIONS = range(3)  # counters
_outcomes_at = hook_at(SIGNATURE)


class Model(NamedTuple):
    """The states of a process and what may follow them; N states and M transitions have room."""

    states: Matrix[np.int64]  # [N, S], in the order in which they were found
    slots: Vector[np.int32]  # a power of two above N: the number of a state by its key; -1 in an empty one
    first: Vector[np.int64]  # [N A + 1], where the transitions of state s and action a begin, at s A + a
    rewards: Vector[np.float64]  # [N A], expected, of the action
    after: Vector[np.int32]  # [M], the number of the next state
    chances: Vector[np.float64]  # [M]


@kernel()
def find(states, slots, state):
    """Return the slot of a state: its own, or the empty one where it belongs."""
    mask = slots.size - 1
    slot = np.int64(key_of(state) & np.uint64(mask))
    while slots[slot] >= 0:
        same = True
        for word in range(state.size):
            same &= states[slots[slot], word] == state[word]
        if same:
            return slot
        slot = (slot + 1) & mask
    return slot


@kernel("int64(int64[:, ::1], int32[::1], int64[::1])")
def number_of(states: npt.NDArray[np.int64], slots: npt.NDArray[np.int32], state: npt.NDArray[np.int64]) -> int:
    """Return the number of a state; -1 of one that is not there."""
    number: int = slots[find(states, slots, state)]
    return number


@kernel("void(int64[:, ::1], int64, int32[::1])")
def refill(states: npt.NDArray[np.int64], count: int, slots: npt.NDArray[np.int32]) -> None:
    """Number the first `count` states in slots that are empty."""
    for number in range(count):
        slots[find(states, slots, states[number])] = number


@kernel("boolean(int64, int64, int64, Model, int64[::1])")
def expand(hook: int, actions: int, outcomes: int, model: Model, counters: npt.NDArray[np.int64]) -> bool:
    """Find states and transitions until there are no more; return False where there is no room for the next ones."""
    call, size = _outcomes_at(hook), model.states.shape[1]
    states, chances, rewards = empty((outcomes, size), np.int64), empty(outcomes), empty(outcomes)
    while counters[EXPANDED] < counters[STATES]:
        here = counters[EXPANDED]
        made, most = counters[TRANSITIONS], actions * outcomes
        if made + most > model.after.size or counters[STATES] + most > model.states.shape[0]:
            return False
        for action in range(actions):
            count = call(model.states[here], action, states, chances, rewards)
            expected = 0.0
            for i in range(count):
                slot = find(model.states, model.slots, states[i])
                if model.slots[slot] < 0:
                    model.states[counters[STATES]] = states[i]
                    model.slots[slot] = counters[STATES]
                    counters[STATES] += 1
                model.after[made], model.chances[made] = model.slots[slot], chances[i]
                expected += chances[i] * rewards[i]
                made += 1
            model.rewards[here * actions + action] = expected
            model.first[here * actions + action + 1] = made
        counters[TRANSITIONS] = made
        counters[EXPANDED] += 1
    return True


@kernel()
def action_value(model, discount, values, s, action, actions):
    """Return the value of an action in state s; NaN of one that is not possible."""
    pair = s * actions + action
    if model.first[pair] == model.first[pair + 1]:
        return np.nan
    total = 0.0
    for i in range(model.first[pair], model.first[pair + 1]):
        total += model.chances[i] * values[model.after[i]]
    return model.rewards[pair] + discount * total


@kernel("float64(Model, int64, int64, float64, int64, float64[::1], float64[::1])")
def sweep(
    model: Model,
    count: int,
    actions: int,
    discount: float,
    to_move: int,
    values: npt.NDArray[np.float64],
    out: npt.NDArray[np.float64],
) -> float:
    """Write the value of the best action of each state, the last found first; return the largest change.

    `out` may be `values` itself, which then change as they are read: the order of Gauss and Seidel. `to_move` is the
    word that names the player, -1 of one player.
    """
    most = 0.0
    for s in range(count - 1, -1, -1):
        best = np.nan
        lower = to_move >= 0 and model.states[s, max(to_move, 0)] == 1
        for action in range(actions):
            value = action_value(model, discount, values, s, action, actions)
            if value == value and (best != best or (value < best if lower else value > best)):
                best = value
        if best != best:
            best = 0.0
        most = max(most, abs(best - values[s]))
        out[s] = best
    return most


@kernel("void(Model, int64, int64, float64, float64[::1], float64[::1])")
def write_action_values(
    model: Model,
    s: int,
    actions: int,
    discount: float,
    values: npt.NDArray[np.float64],
    out: npt.NDArray[np.float64],
) -> None:
    """Write the value of each action in state s."""
    for action in range(actions):
        out[action] = action_value(model, discount, values, s, action, actions)
