"""The kernel that searches a problem: simulations of UCT with chance, rewards on the way, and any number of players.

A simulation walks from the root by the rule of the bandits package and by chance, to a state that has not been visited.
From there it plays at random. The discounted sum of the rewards that follow an action, for the player who chose it, is
one more result of the action:

    select an action  ->  draw an outcome  ->  ...  ->  play at random  ->  back up r + discount (r' + ...)

In a closed loop each outcome of an action is a decision of its own, and is asked for once. In an open loop all outcomes
of an action are one decision, whose actions are those that are possible in the state at hand.

Kocsis and Szepesvari, "Bandit based Monte-Carlo planning", ECML 2006, figure 1.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bandits.kernels.argmax import choose_one
from bandits.kernels.signatures import POINTED
from mcts.kernels.problems import LEGAL, OUTCOMES, PLAYER, PLAYOUT, Problem, draw
from numerics.kernels.addresses import hook_at
from numerics.kernels.jit import Matrix, Vector, kernel
from numerics.kernels.pointers import pointer
from numerics.random import next_word

RULE, ORDER, PLAYOUTS, CHANCE, STREAMS = range(5)  # rows of the random streams, and their number
DECISIONS, ACTIONS, DONE, STEPS, DEEPEST, COUNTERS = range(6)
BOUNDS, TREE, SPREAD = range(3)  # kinds of scales
LOW, HIGH, MEAN, SQUARES, COUNT, MEASURES = range(6)  # of the values of actions of one depth and player
FAILED = -1  # in place of a number of simulations
_32 = np.uint64(32)
_rule_at, _legal_at, _outcomes_at = hook_at(POINTED), hook_at(LEGAL), hook_at(OUTCOMES)
_player_at, _playout_at = hook_at(PLAYER), hook_at(PLAYOUT)


class Plan(NamedTuple):
    """What a search decides; all numbers."""

    discount: float
    horizon: float  # simulations
    explore: float  # visits of each action before the rule is asked
    steps: int  # of a simulation, at most
    is_open: bool  # an open loop
    scale: int  # BOUNDS, TREE or SPREAD
    clips: bool  # values scaled beyond [0, 1] are cut off, for rules that are not defined there


class Decisions(NamedTuple):
    """The states of the tree, M of them; decision 0 is the root."""

    visits: Vector[np.float64]  # [M]
    state: Matrix[np.int64]  # [M, S]; the root's alone in an open loop
    player: Vector[np.int32]  # [M], who is to move; -1 before that is asked
    chance: Vector[np.float64]  # [M], of this outcome of its action; 0 where outcomes are drawn anew
    rewards: Matrix[np.float64]  # [M, P], upon reaching it
    sibling: Vector[np.int32]  # [M], another outcome of the same action; -1 of the last
    first: Vector[np.int32]  # [M], of its actions; -1 before they are made
    size: Vector[np.int32]  # [M], how many


class Actions(NamedTuple):
    """The actions of the tree, all of shape [N]; those of a decision lie side by side."""

    visits: Vector[np.float64]
    values: Vector[np.float64]  # mean return, for the player who chooses
    variances: Vector[np.float64]
    outcome: Vector[np.int32]  # the first decision that may follow; -1 of none
    action: Vector[np.int32]


class Room(NamedTuple):
    """Room beside the tree; what is in it means nothing between simulations."""

    state: Vector[np.int64]  # [S]
    states: Matrix[np.int64]  # [O, S]
    chances: Vector[np.float64]  # [O]
    rewards: Matrix[np.float64]  # [O, P]
    returns: Vector[np.float64]  # [P]
    path: Vector[np.int64]  # [D], actions on the way, by their places
    decided: Vector[np.int64]  # [D + 1], the decisions where they were chosen
    earned: Matrix[np.float64]  # [D, P], rewards on the way
    moves: Vector[np.int64]  # [A]
    places: Vector[np.int64]  # [A], of the actions that are possible
    arms: Matrix[np.float64]  # [6, A]: visits, scaled values, widths, variances, priors and scores


@kernel()
def _expand(call, given, decisions, actions, d, state, room, rng, counters):
    """Make the actions of a decision, in random order; return False where a hook has failed."""
    count = call.legal(call.back, given, state, room.moves)
    if count < 0:
        return False
    for j in range(count - 1, 0, -1):
        i = np.int64(((next_word(rng, ORDER) >> _32) * np.uint64(j + 1)) >> _32)
        room.moves[i], room.moves[j] = room.moves[j], room.moves[i]
    first = counters[ACTIONS]
    decisions.first[d], decisions.size[d] = first, count
    for i in range(count):
        _make_action(actions, first + i, room.moves[i])
    counters[ACTIONS] = first + count
    return True


@kernel()
def _make_action(actions, e, action):
    actions.visits[e], actions.values[e], actions.variances[e] = 0.0, 0.0, 0.0
    actions.outcome[e], actions.action[e] = -1, action


@kernel()
def _make_decision(decisions, counters):
    """Make a decision and return it."""
    d = counters[DECISIONS]
    decisions.visits[d], decisions.player[d], decisions.sibling[d] = 0.0, -1, -1
    decisions.first[d], decisions.size[d], decisions.chance[d] = -1, 0, 1.0
    counters[DECISIONS] = d + 1
    return d


@kernel()
def _range_of(plan, measures):
    """Return the lowest value and the width of the scale; 0 of a width that is not known."""
    if plan.scale == SPREAD:
        width = 2.0 * math.sqrt(max(measures[SQUARES], 0.0) / max(measures[COUNT], 1.0))
        return measures[MEAN] - 0.5 * width, width
    return measures[LOW], max(measures[HIGH] - measures[LOW], 0.0)


@kernel()
def _select(rule, plan, decisions, actions, d, params, room, measures, possible, rng):
    """Return the place of the action that is chosen at a decision; -1 where none is possible.

    In an open loop the first `possible` entries of `room.places` are the actions that are; else all of the decision.
    """
    arms, total, fewest = room.arms, 0.0, np.int64(-1)
    low, width = _range_of(plan, measures)
    count = possible if plan.is_open else decisions.size[d]
    for i in range(count):
        e = room.places[i] if plan.is_open else np.int64(decisions.first[d] + i)
        n = actions.visits[e]
        if fewest < 0 or n < actions.visits[fewest]:
            fewest = e
        scaled = (actions.values[e] - low) / width if width > 0.0 else 0.5
        if plan.clips:
            scaled = min(max(scaled, 0.0), 1.0)
        arms[0, i], arms[1, i] = n, scaled
        arms[2, i] = 1.0 / math.sqrt(n) if n > 0.0 else math.inf
        arms[3, i] = actions.variances[e] / (width * width) if width > 0.0 else 0.0
        arms[4, i] = 1.0 / count
        total += n
    if count == 0 or actions.visits[fewest] < plan.explore:
        return fewest
    most = arms.shape[1]
    pulls, means, widths = pointer(arms, 0), pointer(arms, most), pointer(arms, 2 * most)
    variances, priors, scores = pointer(arms, 3 * most), pointer(arms, 4 * most), pointer(arms, 5 * most)
    statistics, numbers = (pulls, means, widths, variances, priors), (pointer(params, 0), params.size)
    rule(count, 1, *statistics, total + 1.0, plan.horizon, *numbers, pointer(rng, 4 * RULE), scores)
    chosen = choose_one(arms[5], count, rng, ORDER)
    return room.places[chosen] if plan.is_open else np.int64(decisions.first[d] + chosen)


@kernel()
def _find_possible(call, given, decisions, actions, d, state, room, rng, counters):
    """Write the places of the actions that are possible in a state of an open loop, in the order of the decision.

    Actions that the decision has not met are added to it. Returns how many, -1 where a hook has failed, and -2 where
    there is no room for them.
    """
    count = call.legal(call.back, given, state, room.moves)
    if count < 0:
        return -1
    known = decisions.size[d]
    for i in range(count):
        room.places[i] = -1
        for e in range(decisions.first[d], decisions.first[d] + known):
            if actions.action[e] == room.moves[i]:
                room.places[i] = e
    missing = 0
    for i in range(count):
        missing += 1 if room.places[i] < 0 else 0
    if missing > 0:  # move the actions of the decision to where there is room for more
        if counters[ACTIONS] + known + missing > actions.visits.size:
            return -2
        first, added = counters[ACTIONS], 0
        for i in range(known):
            old = decisions.first[d] + i
            actions.visits[first + i], actions.values[first + i] = actions.visits[old], actions.values[old]
            actions.variances[first + i], actions.outcome[first + i] = actions.variances[old], actions.outcome[old]
            actions.action[first + i] = actions.action[old]
        for j in range(count - 1, 0, -1):
            i = np.int64(((next_word(rng, ORDER) >> _32) * np.uint64(j + 1)) >> _32)
            room.moves[i], room.moves[j] = room.moves[j], room.moves[i]
            room.places[i], room.places[j] = room.places[j], room.places[i]
        for i in range(count):
            if room.places[i] < 0:
                _make_action(actions, first + known + added, room.moves[i])
                room.places[i] = first + known + added
                added += 1
            else:
                room.places[i] += first - decisions.first[d]
        decisions.first[d], decisions.size[d] = first, known + missing
        counters[ACTIONS] = first + known + missing
    return count


@kernel()
def _follow_closed(call, given, decisions, actions, e, state, room, rng, counters):
    """Return the decision that follows an action; -1 where a hook has failed. Its state becomes `state`."""
    d = np.int64(actions.outcome[e])
    if d < 0 or decisions.chance[d] == 0.0:
        count = call.outcomes(call.back, given, state, actions.action[e], room.states, room.chances, room.rewards)
        if count < 0:
            return -1
        if d >= 0 or room.chances[0] == 0.0:  # outcomes are drawn anew: is this one known?
            last = np.int64(-1)
            while d >= 0:
                same = True
                for word in range(state.size):
                    same &= decisions.state[d, word] == room.states[0, word]
                if same:
                    break
                d, last = np.int64(decisions.sibling[d]), d
            if d < 0:
                d = _make_decision(decisions, counters)
                _write_outcome(decisions, d, room, 0)
                if last >= 0:
                    decisions.sibling[last] = d
                else:
                    actions.outcome[e] = d
            state[:] = decisions.state[d]
            return d
        last = np.int64(-1)
        for i in range(count):
            made = _make_decision(decisions, counters)
            _write_outcome(decisions, made, room, i)
            if last >= 0:
                decisions.sibling[last] = made
            else:
                actions.outcome[e] = made
            last = made
        d = np.int64(actions.outcome[e])
    if decisions.sibling[d] >= 0:
        u = (next_word(rng, CHANCE) >> np.uint64(11)) * 2.0**-53
        while decisions.sibling[d] >= 0 and u >= decisions.chance[d]:
            u -= decisions.chance[d]
            d = np.int64(decisions.sibling[d])
    state[:] = decisions.state[d]
    return d


@kernel()
def _write_outcome(decisions, d, room, i):
    decisions.state[d], decisions.chance[d] = room.states[i], room.chances[i]
    decisions.rewards[d] = room.rewards[i]


@kernel()
def _follow_open(call, given, decisions, actions, e, state, room, rng, counters):
    """As `_follow_closed`, where an action has one decision."""
    count = call.outcomes(call.back, given, state, actions.action[e], room.states, room.chances, room.rewards)
    if count < 0:
        return -1
    chosen = draw(room.states, room.chances, count, state, rng, CHANCE)
    d = np.int64(actions.outcome[e])
    if d < 0:
        d = _make_decision(decisions, counters)
        actions.outcome[e] = d
    decisions.rewards[d] = room.rewards[chosen]
    return d


@kernel()
def _count(plan, actions, e, result, measures):
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


@kernel()
def _functions(hooks):
    """Return the hooks at these addresses."""
    return Problem(
        _legal_at(hooks.legal),
        _outcomes_at(hooks.outcomes),
        _player_at(hooks.player),
        _playout_at(hooks.playout),
        hooks.back,
    )


@kernel(
    "int64(int64, Problem, int64[::1], Plan, float64[::1], int64, Decisions, Actions, Room, float64[:, :, ::1], "
    "uint64[:, ::1], int64[::1])"
)
def simulate(
    score: int,
    problem: Problem,
    given: npt.NDArray[np.int64],
    plan: Plan,
    params: npt.NDArray[np.float64],
    simulations: int,
    decisions: Decisions,
    actions: Actions,
    room: Room,
    measures: npt.NDArray[np.float64],
    rng: npt.NDArray[np.uint64],
    counters: npt.NDArray[np.int64],
) -> int:
    """Run simulations from decision 0, and return how many: fewer where there is no room for the next, or FAILED."""
    call: Any = _functions(problem)
    rule, state, returns, players = _rule_at(score), room.state, room.returns, room.returns.size
    for done in range(simulations):
        full = counters[DECISIONS] + room.chances.size > decisions.visits.size
        if full or counters[ACTIONS] + room.moves.size > actions.visits.size:
            return done
        state[:] = decisions.state[0]
        d, depth = np.int64(0), 0
        returns[:] = 0.0
        while depth < plan.steps:
            if decisions.visits[d] == 0.0 and depth > 0:
                left = plan.steps - depth
                outputs = (room.states, room.chances, room.rewards)
                played = call.playout(call.back, given, state, left, plan.discount, *outputs, rng, PLAYOUTS, returns)
                if played < 0:
                    return FAILED
                counters[STEPS] += played
                break
            possible = np.int64(0)
            if decisions.first[d] < 0:
                decisions.player[d] = call.player(call.back, given, state)
                if decisions.player[d] < 0 or not _expand(call, given, decisions, actions, d, state, room, rng, counters):
                    return FAILED
            if plan.is_open:
                possible = _find_possible(call, given, decisions, actions, d, state, room, rng, counters)
                if possible == -2:
                    return done
                if possible < 0:
                    return FAILED
            mover = max(decisions.player[d], 0)
            e = _select(rule, plan, decisions, actions, d, params, room, measures[depth, mover], possible, rng)
            if e < 0:
                break
            room.path[depth], room.decided[depth] = e, d
            if plan.is_open:
                d = _follow_open(call, given, decisions, actions, e, state, room, rng, counters)
            else:
                d = _follow_closed(call, given, decisions, actions, e, state, room, rng, counters)
            if d < 0:
                return FAILED
            room.earned[depth] = decisions.rewards[d]
            counters[STEPS] += 1
            depth += 1
        decisions.visits[d] += 1.0
        counters[DEEPEST] = max(counters[DEEPEST], depth)
        for j in range(depth - 1, -1, -1):
            for p in range(players):
                returns[p] = room.earned[j, p] + plan.discount * returns[p]
            before = room.decided[j]
            mover = max(decisions.player[before], 0)
            _count(plan, actions, room.path[j], returns[mover], measures[j, mover])
            decisions.visits[before] += 1.0
        counters[DONE] += 1
    return simulations
