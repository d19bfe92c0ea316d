"""The kernel that searches a process: simulations of UCT with chance, rewards on the way, and one or two players.

A simulation walks from the root by the rule of the bandits package and by chance, to a state that has not been visited.
From there it plays at random. The discounted sum of the rewards that follow an action is one more result of the action:

    select an action  ->  draw an outcome  ->  ...  ->  play at random  ->  back up r + discount (r' + ...)

In a closed loop each outcome of an action is a decision of its own. In an open loop all outcomes of an action are one,
whose actions are those that are possible in the state at hand.

Kocsis and Szepesvari, "Bandit based Monte-Carlo planning", ECML 2006, figure 1.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bandits.kernels.argmax import choose_one
from bandits.kernels.signatures import POINTED
from mcts.kernels.transpositions import key_of
from mcts.processes.process import SIGNATURE
from numerics.kernels.addresses import hook_at
from numerics.kernels.jit import Matrix, Vector, kernel
from numerics.kernels.pointers import pointer
from numerics.random import next_uniform, next_word

RULE, ORDER, PLAYOUT, CHANCE, STREAMS = range(5)  # rows of the random streams, and their number
DECISIONS, ACTIONS, DONE, STEPS, DEEPEST, COUNTERS = range(6)
BOUNDS, TREE, SPREAD = range(3)  # kinds of scales
LOW, HIGH, MEAN, SQUARES, COUNT, MEASURES = range(6)  # of the values of actions at one depth: range, deviations
_TRIES = 4  # at random, for each action, before all are looked at
_32 = np.uint64(32)
_rule_at, _outcomes_at = hook_at(POINTED), hook_at(SIGNATURE)


class Plan(NamedTuple):
    """What a search of a process decides; all numbers."""

    actions: int  # A
    discount: float
    to_move: int  # the word that names the player; -1 of one player
    horizon: float  # simulations
    explore: float  # visits of each action before the rule is asked
    steps: int  # of a simulation, at most
    is_open: bool  # an open loop
    scale: int  # BOUNDS, TREE or SPREAD
    clips: bool  # values scaled beyond [0, 1] are cut off, for rules that are not defined there


class Decisions(NamedTuple):
    """The states of the tree, all of shape [M]; decision 0 is the root."""

    visits: Vector[np.float64]
    key: Vector[np.uint64]  # of the state; 0 in an open loop
    sibling: Vector[np.int32]  # another outcome of the same action; -1 of the last
    first: Vector[np.int32]  # of its actions; -1 before they are made
    size: Vector[np.int32]  # how many


class Actions(NamedTuple):
    """The actions of the tree, all of shape [N]; those of a decision lie side by side."""

    visits: Vector[np.float64]
    values: Vector[np.float64]  # mean return, for player 0
    variances: Vector[np.float64]
    outcome: Vector[np.int32]  # the first decision that followed; -1 of none
    action: Vector[np.int32]


class Room(NamedTuple):
    """Room beside the tree; what is in it means nothing between simulations."""

    state: Vector[np.int64]  # [S]
    states: Matrix[np.int64]  # [O, S]
    chances: Vector[np.float64]  # [O]
    rewards: Vector[np.float64]  # [O]
    path: Vector[np.int64]  # [D], actions on the way, by their places
    decided: Vector[np.int64]  # [D], the decisions where they were chosen
    earned: Vector[np.float64]  # [D], rewards on the way
    places: Vector[np.int64]  # [A], of the actions that are possible
    arms: Matrix[np.float64]  # [6, A]: visits, scaled values, widths, variances, priors and scores


@kernel()
def _shuffle(out, count, rng):
    for j in range(count - 1, 0, -1):
        i = np.int64(((next_word(rng, ORDER) >> _32) * np.uint64(j + 1)) >> _32)
        out[i], out[j] = out[j], out[i]


@kernel()
def _is_possible(call, state, action, room):
    """Return whether an action is possible in a state."""
    return call(state, action, room.states, room.chances, room.rewards) > 0


@kernel()
def _draw(state, count, room, rng, stream):
    """Have one of the outcomes happen that the hook has written, and return its reward."""
    u, chosen = next_uniform(rng, stream), 0
    while chosen < count - 1 and u >= room.chances[chosen]:
        u -= room.chances[chosen]
        chosen += 1
    for word in range(state.size):
        state[word] = room.states[chosen, word]
    return room.rewards[chosen]


@kernel()
def _random_action(call, plan, state, room, rng):
    """Write the outcomes of an action that is drawn from the possible ones, and return how many; 0 at an end."""
    for _ in range(_TRIES * plan.actions):
        action = np.int64(((next_word(rng, PLAYOUT) >> _32) * np.uint64(plan.actions)) >> _32)
        count = call(state, action, room.states, room.chances, room.rewards)
        if count > 0:
            return count
    possible = 0
    for action in range(plan.actions):
        if _is_possible(call, state, action, room):
            room.places[possible] = action
            possible += 1
    if possible == 0:
        return 0
    action = room.places[np.int64(((next_word(rng, PLAYOUT) >> _32) * np.uint64(possible)) >> _32)]
    return call(state, action, room.states, room.chances, room.rewards)


@kernel()
def _play_on(call, plan, state, left, room, rng, counters):
    """Return the discounted rewards of random play for some steps."""
    total, worth = 0.0, 1.0
    for _ in range(left):
        count = _random_action(call, plan, state, room, rng)
        if count == 0:
            break
        total += worth * _draw(state, count, room, rng, PLAYOUT)
        worth *= plan.discount
        counters[STEPS] += 1
    return total


@kernel()
def _expand(call, plan, decisions, actions, d, state, room, rng, counters):
    """Make the actions of a decision, in random order: the possible ones, or all in an open loop."""
    count = 0
    for action in range(plan.actions):
        if plan.is_open or _is_possible(call, state, action, room):
            room.places[count] = action
            count += 1
    _shuffle(room.places, count, rng)
    first = counters[ACTIONS]
    decisions.first[d], decisions.size[d] = first, count
    for i in range(count):
        e = first + i
        actions.visits[e], actions.values[e], actions.variances[e] = 0.0, 0.0, 0.0
        actions.outcome[e], actions.action[e] = -1, room.places[i]
    counters[ACTIONS] = first + count


@kernel()
def _range_of(plan, measures):
    """Return the lowest value and the width of the scale; 0 of a width that is not known."""
    if plan.scale == SPREAD:
        width = 2.0 * math.sqrt(max(measures[SQUARES], 0.0) / max(measures[COUNT], 1.0))
        return measures[MEAN] - 0.5 * width, width
    return measures[LOW], max(measures[HIGH] - measures[LOW], 0.0)


@kernel()
def _select(call, rule, plan, decisions, actions, d, state, params, room, measures, rng):
    """Return the place of the action that is chosen at a decision; -1 where none is possible."""
    first, count, total = decisions.first[d], 0, 0.0
    arms = room.arms
    low, width = _range_of(plan, measures)
    lower = plan.to_move >= 0 and state[max(plan.to_move, 0)] == 1
    fewest = np.int64(-1)
    for i in range(decisions.size[d]):
        e = first + i
        if plan.is_open and not _is_possible(call, state, actions.action[e], room):
            continue
        n = actions.visits[e]
        if fewest < 0 or n < actions.visits[fewest]:
            fewest = e
        scaled = (actions.values[e] - low) / width if width > 0.0 else 0.5
        if plan.clips:
            scaled = min(max(scaled, 0.0), 1.0)
        room.places[count] = e
        arms[0, count], arms[1, count] = n, 1.0 - scaled if lower else scaled
        arms[2, count] = 1.0 / math.sqrt(n) if n > 0.0 else math.inf
        arms[3, count] = actions.variances[e] / (width * width) if width > 0.0 else 0.0
        total += n
        count += 1
    if count == 0 or actions.visits[fewest] < plan.explore:
        return fewest
    for i in range(count):
        arms[4, i] = 1.0 / count
    most = plan.actions
    pulls, means, widths = pointer(arms, 0), pointer(arms, most), pointer(arms, 2 * most)
    variances, priors, scores = pointer(arms, 3 * most), pointer(arms, 4 * most), pointer(arms, 5 * most)
    statistics, given = (pulls, means, widths, variances, priors), (pointer(params, 0), params.size)
    rule(count, 1, *statistics, total + 1.0, plan.horizon, *given, pointer(rng, 4 * RULE), scores)
    return room.places[choose_one(arms[5], count, rng, ORDER)]


@kernel()
def _follow(plan, decisions, actions, e, state, counters):
    """Return the decision that follows an action: the one of this outcome, which is made at its first time."""
    key = np.uint64(0) if plan.is_open else key_of(state)
    d, last = np.int64(actions.outcome[e]), np.int64(-1)
    while d >= 0:
        if decisions.key[d] == key:
            return d
        d, last = np.int64(decisions.sibling[d]), d
    d = counters[DECISIONS]
    decisions.visits[d], decisions.key[d], decisions.sibling[d] = 0.0, key, -1
    decisions.first[d], decisions.size[d] = -1, 0
    if last >= 0:
        decisions.sibling[last] = d
    else:
        actions.outcome[e] = d
    counters[DECISIONS] = d + 1
    return d


@kernel()
def _count(actions, e, result, plan, measures):
    """Count one more return of an action, and what the scale needs."""
    n, before = actions.visits[e] + 1.0, actions.values[e]
    after = before + (result - before) / n
    actions.visits[e], actions.values[e] = n, after
    actions.variances[e] += ((result - before) * (result - after) - actions.variances[e]) / n
    if plan.scale == TREE:
        measures[LOW], measures[HIGH] = min(measures[LOW], after), max(measures[HIGH], after)
    elif plan.scale == SPREAD:
        middle = measures[MEAN]
        if n == 1.0:
            measures[COUNT] += 1.0
            measures[MEAN] += (after - middle) / measures[COUNT]
            measures[SQUARES] += (after - middle) * (after - measures[MEAN])
        else:
            measures[MEAN] += (after - before) / measures[COUNT]
            measures[SQUARES] += (after - before) * (after - measures[MEAN] + before - middle)


@kernel(
    "int64(int64, int64, Plan, float64[::1], int64[::1], int64, Decisions, Actions, Room, float64[:, ::1], "
    "uint64[:, ::1], int64[::1])"
)
def simulate(
    score: int,
    outcomes: int,
    plan: Plan,
    params: npt.NDArray[np.float64],
    root: npt.NDArray[np.int64],
    simulations: int,
    decisions: Decisions,
    actions: Actions,
    room: Room,
    measures: npt.NDArray[np.float64],
    rng: npt.NDArray[np.uint64],
    counters: npt.NDArray[np.int64],
) -> int:
    """Run simulations from the state `root`, and return how many: fewer where there is no room for the next."""
    call, rule = _outcomes_at(outcomes), _rule_at(score)
    state = room.state
    for done in range(simulations):
        if counters[DECISIONS] == decisions.visits.size or counters[ACTIONS] + plan.actions > actions.visits.size:
            return done
        state[:] = root
        d, depth, result = np.int64(0), 0, 0.0
        while depth < plan.steps:
            if decisions.visits[d] == 0.0 and depth > 0:
                result = _play_on(call, plan, state, plan.steps - depth, room, rng, counters)
                break
            if decisions.first[d] < 0:
                _expand(call, plan, decisions, actions, d, state, room, rng, counters)
            e = np.int64(_select(call, rule, plan, decisions, actions, d, state, params, room, measures[depth], rng))
            if e < 0:
                break
            count = call(state, actions.action[e], room.states, room.chances, room.rewards)
            room.path[depth], room.decided[depth] = e, d
            room.earned[depth] = _draw(state, count, room, rng, CHANCE)
            counters[STEPS] += 1
            depth += 1
            d = _follow(plan, decisions, actions, e, state, counters)
        decisions.visits[d] += 1.0
        counters[DEEPEST] = max(counters[DEEPEST], depth)
        for j in range(depth - 1, -1, -1):
            result = room.earned[j] + plan.discount * result
            _count(actions, room.path[j], result, plan, measures[j])
            decisions.visits[room.decided[j]] += 1.0
        counters[DONE] += 1
    return simulations
