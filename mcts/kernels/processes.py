"""The kernels of exact values: all states that a process can reach, its strongly connected parts, and their values.

Sweeps of value iteration write the values of one part after another, those of later parts first. Where an action may
lead back to its own state, its value is that of repeating it until it leads away.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mcts.kernels.transpositions import key_of
from mcts.processes.process import SIGNATURE
from numerics.kernels.addresses import hook_at
from numerics.kernels.arrays import empty, zeros
from numerics.kernels.jit import Matrix, Vector, kernel

STATES, EXPANDED, TRANSITIONS = range(3)  # counters
_outcomes_at = hook_at(SIGNATURE)
_PRECISION = 1e-11  # of the values of a part, relative to the largest
_ROUNDING = 1e-15


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
            expected, largest = 0.0, 0.0
            for i in range(count):
                if chances[i] == 0.0:
                    continue
                slot = find(model.states, model.slots, states[i])
                if model.slots[slot] < 0:
                    model.states[counters[STATES]] = states[i]
                    model.slots[slot] = counters[STATES]
                    counters[STATES] += 1
                model.after[made], model.chances[made] = model.slots[slot], chances[i]
                expected += chances[i] * rewards[i]
                largest = max(largest, abs(chances[i] * rewards[i]))
                made += 1
            is_fair = abs(expected) <= _ROUNDING * largest
            model.rewards[here * actions + action] = 0.0 if is_fair else expected
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


@kernel("int64(Model, int64, int64, int32[::1], int64[::1])")
def find_parts(
    model: Model, count: int, actions: int, order: npt.NDArray[np.int32], starts: npt.NDArray[np.int64]
) -> int:
    """Write the states by strongly connected parts, and where each part begins; return how many parts there are.

    A part comes after all others that it leads to (Tarjan, SIAM Journal on Computing, 1972). State 0 leads to all.
    """
    index, low, part = zeros(count, np.int32), zeros(count, np.int32), empty(count, np.int32)
    waiting, path, place = empty(count, np.int32), empty(count, np.int32), empty(count, np.int64)
    part[:] = -1
    index[0], low[0], waiting[0], path[0], place[0] = 1, 1, 0, 0, model.first[0]
    found, parts, top, depth = 1, 0, 1, 1
    while depth > 0:
        s = np.int64(path[depth - 1])
        if place[s] < model.first[(s + 1) * actions]:
            t = np.int64(model.after[place[s]])
            place[s] += 1
            if index[t] == 0:
                found += 1
                index[t], low[t], place[t] = found, found, model.first[t * actions]
                waiting[top], path[depth] = t, t
                top, depth = top + 1, depth + 1
            elif part[t] < 0:
                low[s] = min(low[s], index[t])
        else:
            depth -= 1
            if depth > 0:
                before = path[depth - 1]
                low[before] = min(low[before], low[s])
            if low[s] == index[s]:
                while part[s] < 0:
                    top -= 1
                    part[waiting[top]] = parts
                parts += 1
    starts[: parts + 1] = 0
    for number in range(count):
        starts[part[number] + 1] += 1
    for p in range(parts):
        starts[p + 1] += starts[p]
    for number in range(count):  # the states of a part, the last found first
        starts[part[number] + 1] -= 1
        order[starts[part[number] + 1]] = number
    for p in range(parts):
        starts[p] = starts[p + 1]
    starts[parts] = count
    return parts


@kernel()
def repeated_value(model, discount, values, s, pair):
    """Return the value of an action that is repeated while it leads back to s, infinite if that is for ever.

    It is NaN of an action that is not possible, or that is repeated for ever without a reward.
    """
    if model.first[pair] == model.first[pair + 1]:
        return np.nan
    total, away = 0.0, 0.0
    for i in range(model.first[pair], model.first[pair + 1]):
        if model.after[i] != s:
            total += model.chances[i] * values[model.after[i]]
            away += model.chances[i]
    away = 1.0 - discount + discount * away
    return (model.rewards[pair] + discount * total) / away


@kernel()
def _longest(model, actions, discount, states, most, chosen, times):
    """Return at least the most steps that the chosen actions need to leave a part; infinity where they are too many.

    All times are 0 before and after.
    """
    longest, change = 1.0, np.inf
    for _ in range(most):
        change = 0.0
        for j in range(states.size):
            s = np.int64(states[j])
            pair, total, away = s * actions + chosen[s], 0.0, 0.0
            for i in range(model.first[pair], model.first[pair + 1]):
                if model.after[i] != s:
                    total += model.chances[i] * times[model.after[i]]
                    away += model.chances[i]
            away = 1.0 - discount + discount * away
            if away == 0.0:
                change = np.inf
                break
            time = 1.0 + discount * total / away
            change, longest = max(change, time - times[s]), max(longest, time)
            times[s] = time
        if change <= 0.5 or change == np.inf:
            break
    for j in range(states.size):
        times[states[j]] = 0.0
    return 2.0 * longest if change <= 0.5 else np.inf


@kernel("int64(Model, int64, float64, int64, int32[::1], int64[::1], int64, int64, int64, float64[::1])")
def settle(
    model: Model,
    actions: int,
    discount: float,
    to_move: int,
    order: npt.NDArray[np.int32],
    starts: npt.NDArray[np.int64],
    part: int,
    parts: int,
    most: int,
    values: npt.NDArray[np.float64],
) -> int:
    """Write the values of the parts from `part` on, and return the first that does not settle in `most` sweeps.

    An error is at most the largest change of a sweep times the steps that the best actions need to leave the part.
    """
    chosen, times = empty(values.size, np.int32), zeros(values.size)
    while part < parts:
        begin, end = starts[part], starts[part + 1]
        allowed, is_timed, is_settled, sweep = _PRECISION, False, False, 0
        while sweep < most and not is_settled:
            change, largest = 0.0, 0.0
            for j in range(begin, end):
                s = np.int64(order[j])
                best, which = np.nan, -1
                lower = to_move >= 0 and model.states[s, max(to_move, 0)] == 1
                for action in range(actions):
                    pair = s * actions + action
                    value = repeated_value(model, discount, values, s, pair)
                    if value != value and model.first[pair] < model.first[pair + 1]:
                        value = 0.0
                    if value == value and (best != best or (value < best if lower else value > best)):
                        best, which = value, action
                best, chosen[s] = 0.0 if which < 0 else best, which
                change, largest = max(change, abs(best - values[s])), max(largest, abs(best))
                values[s] = best
            sweep += 1
            if not (change < np.inf and largest < np.inf):
                break
            if change <= allowed * largest and not is_timed and end - begin > 1:
                longest = _longest(model, actions, discount, order[begin:end], most, chosen, times)
                allowed, is_timed = _PRECISION / longest, True
                if allowed < _ROUNDING:
                    break
            is_settled = change <= allowed * largest or end - begin == 1
        if not is_settled:
            break
        part += 1
    return part
