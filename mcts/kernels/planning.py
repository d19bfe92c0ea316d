"""The kernel that searches a problem: simulations of UCT with chance, rewards on the way, and any number of players.

A simulation walks from the root by the rule of the bandits package and by chance, to a state that has not been visited.
From there it plays at random. The discounted sum of the rewards that follow an action, for the player who chose it, is
one more result of the action:

    select an action  ->  draw an outcome  ->  ...  ->  play at random  ->  back up r + discount (r' + ...)

In a closed loop each outcome of an action is a decision of its own. In an open loop all outcomes of an action are one
decision, whose actions are those that are possible in the state at hand.

Kocsis and Szepesvari, "Bandit based Monte-Carlo planning", ECML 2006, figure 1. Widening: Couetoux, Hoock, Sokolovska,
Teytaud and Bonnard, "Continuous upper confidence trees", LION 2011.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bandits.kernels.argmax import choose_one
from bandits.kernels.signatures import POINTED
from mcts.kernels.problems import DRAWN, FAILED, LEGAL, OUTCOMES, PLAYER, PLAYOUT, Problem, below, copy_row, draw
from numerics.kernels.addresses import hook_at
from numerics.kernels.jit import Matrix, Vector, kernel
from numerics.kernels.pointers import borrowed, pointer
from numerics.random import next_uniform

RULE, ORDER, PLAYOUTS, CHANCE, STREAMS = range(5)  # rows of the random streams, and their number
DECISIONS, ACTIONS, DONE, STEPS, DEEPEST, COUNTERS = range(6)
BOUNDS, TREE, SPREAD = range(3)  # kinds of scales
LOW, HIGH, MEAN, SQUARES, COUNT, MEASURES = range(6)  # of the values of actions of one depth and player
ENDED = -2  # in place of the first action of a decision without one
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
    outcomes_factor: float  # k of the outcomes of an action, of which there are k n^alpha after n visits; 0 for all
    outcomes_power: float  # alpha
    moves_factor: float  # the same of the actions of a decision
    moves_power: float


class Decisions(NamedTuple):
    """The states of the tree, M of them; decision 0 is the root. In an open loop they have no state and no rewards."""

    visits: Vector[np.float64]  # [M]
    state: Matrix[np.int64]  # [M, S]
    chance: Vector[np.float64]  # [M], of this outcome of its action; how often, negative, where outcomes are drawn
    rewards: Matrix[np.float64]  # [M, P], upon reaching it
    sibling: Vector[np.int32]  # [M], another outcome of the same action; -1 of the last
    first: Vector[np.int32]  # [M], of its actions; -1 before they are made, or ENDED


class Actions(NamedTuple):
    """The actions of the tree, all of shape [N]."""

    visits: Vector[np.float64]
    values: Vector[np.float64]  # mean return, for the player who chooses
    variances: Vector[np.float64]
    outcome: Vector[np.int32]  # the first decision that may follow; -1 of none
    action: Vector[np.int32]
    player: Vector[np.int32]  # who chooses
    sibling: Vector[np.int32]  # the next action of the same decision; -1 of the last


class Room(NamedTuple):
    """Room beside the tree; what is in it means nothing between simulations."""

    state: Vector[np.int64]  # [S]
    states: Matrix[np.int64]  # [O, S]
    chances: Vector[np.float64]  # [O]
    rewards: Vector[np.float64]  # [O * P]
    returns: Vector[np.float64]  # [P]
    path: Vector[np.int64]  # [D], actions on the way, by their places
    decided: Vector[np.int64]  # [D], the decisions where they were chosen
    earned: Matrix[np.float64]  # [D, P], rewards on the way
    moves: Vector[np.int64]  # [A]
    places: Vector[np.int64]  # [A], of the actions that are possible
    arms: Matrix[np.float64]  # [6, A]: visits, scaled values, widths, variances, priors and scores


@kernel()
def _find_actions(call, given, plan, decisions, actions, d, state, room, rng, counters):
    """Write the places of the actions that are possible at a decision, and return how many, or FAILED.

    Those that the decision has not met are added to it, in random order. An action of another player is another one.
    """
    e, count = np.int64(decisions.first[d]), 0
    if e == ENDED:
        return 0
    if e >= 0 and not plan.is_open:
        while e >= 0:
            room.places[count] = e
            count += 1
            e = np.int64(actions.sibling[e])
        return count
    legal = call.legal(call.back, given, state, room.states, room.chances, room.rewards, room.moves)
    if legal == 0:
        if not plan.is_open:
            decisions.first[d] = ENDED
        return 0
    player, last, new = call.player(call.back, given, state), np.int64(-1), 0
    if player < 0:
        return FAILED
    while e >= 0:
        for i in range(legal):
            if room.moves[i] == actions.action[e] and actions.player[e] == player:
                room.places[count], room.moves[i] = e, -1
                count += 1
                break
        last, e = e, np.int64(actions.sibling[e])
    for i in range(legal):
        if room.moves[i] >= 0:
            room.moves[new] = room.moves[i]
            new += 1
    for j in range(new - 1, 0, -1):
        i = below(j + 1, rng, ORDER)
        room.moves[i], room.moves[j] = room.moves[j], room.moves[i]
    for i in range(new):
        e = np.int64(counters[ACTIONS] + i)
        actions.visits[e], actions.values[e], actions.variances[e] = 0.0, 0.0, 0.0
        actions.outcome[e], actions.action[e], actions.player[e], actions.sibling[e] = -1, room.moves[i], player, -1
        if last < 0:
            decisions.first[d] = e
        else:
            actions.sibling[last] = e
        last, room.places[count + i] = e, e
    counters[ACTIONS] += new
    return count + new


@kernel()
def _range_of(plan, measures):
    """Return the lowest value and the width of the scale; 0 of a width that is not known."""
    if plan.scale == SPREAD:
        width = 2.0 * math.sqrt(max(measures[SQUARES], 0.0) / max(measures[COUNT], 1.0))
        return measures[MEAN] - 0.5 * width, width
    return measures[LOW], max(measures[HIGH] - measures[LOW], 0.0)


@kernel()
def _select(rule, plan, actions, count, params, room, measures, rng):
    """Return the place of the action that is chosen, of the first `count` that are possible."""
    arms, total, fewest = room.arms, 0.0, room.places[0]
    low, width = _range_of(plan, measures)
    for i in range(count):
        e = room.places[i]
        n = actions.visits[e]
        if n < actions.visits[fewest]:
            fewest = e
        scaled = (actions.values[e] - low) / width if width > 0.0 else 0.5
        if plan.clips:
            scaled = min(max(scaled, 0.0), 1.0)
        arms[0, i], arms[1, i] = n, scaled
        arms[2, i] = 1.0 / math.sqrt(n) if n > 0.0 else math.inf
        arms[3, i] = actions.variances[e] / (width * width) if width > 0.0 else 0.0
        arms[4, i] = 1.0 / count
        total += n
    if actions.visits[fewest] < plan.explore:
        return fewest
    most = arms.shape[1]
    pulls, means, widths = pointer(arms, 0), pointer(arms, most), pointer(arms, 2 * most)
    variances, priors, scores = pointer(arms, 3 * most), pointer(arms, 4 * most), pointer(arms, 5 * most)
    statistics, numbers = (pulls, means, widths, variances, priors), (pointer(params, 0), params.size)
    rule(count, 1, *statistics, total + 1.0, plan.horizon, *numbers, pointer(rng, 4 * RULE), scores)
    return room.places[choose_one(arms[5], count, rng, ORDER)]


@kernel()
def _make_decision(decisions, before, actions, e, counters):
    """Make a decision that follows an action, after the last one that does so, and return it."""
    d = counters[DECISIONS]
    decisions.visits[d], decisions.chance[d], decisions.sibling[d], decisions.first[d] = 0.0, 0.0, -1, -1
    if before >= 0:
        decisions.sibling[before] = d
    else:
        actions.outcome[e] = d
    counters[DECISIONS] = d + 1
    return d


@kernel()
def _decision_of(decisions, actions, e, room, i, counters):
    """Return the decision of an outcome of an action: one of the same state and rewards, or a new one."""
    d, last, players = np.int64(actions.outcome[e]), np.int64(-1), room.returns.size
    while d >= 0:
        same = True
        for word in range(room.state.size):
            same &= decisions.state[d, word] == room.states[i, word]
        for player in range(players):
            same &= decisions.rewards[d, player] == room.rewards[i * players + player]
        if same:
            return d
        d, last = np.int64(decisions.sibling[d]), d
    d = _make_decision(decisions, last, actions, e, counters)
    for word in range(room.state.size):
        decisions.state[d, word] = room.states[i, word]
    for player in range(players):
        decisions.rewards[d, player] = room.rewards[i * players + player]
    return d


@kernel()
def _follow_closed(call, given, plan, decisions, actions, e, state, room, rng, counters):
    """Return the decision that follows an action.

    Outcomes with probabilities are asked for once. Drawn ones are asked for each time; where they widen, only as long
    as there are few, and then those that are known are drawn, as often as they were before.
    """
    first, total = np.int64(actions.outcome[e]), 1.0
    is_asked = first < 0
    if first >= 0 and decisions.chance[first] < 0.0:
        d, known, total = first, 0, 0.0
        while d >= 0:
            total -= decisions.chance[d]
            known += 1
            d = np.int64(decisions.sibling[d])
        is_asked = plan.outcomes_factor == 0.0
        is_asked |= known <= plan.outcomes_factor * actions.visits[e] ** plan.outcomes_power
    if is_asked:
        count = call.outcomes(call.back, given, state, actions.action[e], room.states, room.chances, room.rewards)
        if room.chances[0] == DRAWN or plan.outcomes_factor > 0.0:
            i = 0 if room.chances[0] == DRAWN else draw(room.chances, count, rng, CHANCE)
            d = _decision_of(decisions, actions, e, room, i, counters)
            decisions.chance[d] -= 1.0
            return d
        for i in range(count):
            d = _decision_of(decisions, actions, e, room, i, counters)
            decisions.chance[d] += room.chances[i]
    d = np.int64(actions.outcome[e])
    if decisions.sibling[d] >= 0:
        u = total * next_uniform(rng, CHANCE)
        while decisions.sibling[d] >= 0 and u >= abs(decisions.chance[d]):
            u -= abs(decisions.chance[d])
            d = np.int64(decisions.sibling[d])
    return d


@kernel()
def _follow_open(call, given, decisions, actions, e, state, room, rng, counters, earned):
    """As `_follow_closed`, where an action has one decision; also write the state and the rewards."""
    count = call.outcomes(call.back, given, state, actions.action[e], room.states, room.chances, room.rewards)
    chosen, players = draw(room.chances, count, rng, CHANCE), room.returns.size
    copy_row(room.states, chosen, state)
    for player in range(players):
        earned[player] = room.rewards[chosen * players + player]
    d = np.int64(actions.outcome[e])
    return d if d >= 0 else _make_decision(decisions, -1, actions, e, counters)


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
    "int64(int64, Problem, int64[::1], int64[::1], Plan, float64[::1], int64, Decisions, Actions, Room, "
    "float64[:, :, ::1], uint64[:, ::1], int64[::1])"
)
def simulate(
    score: int,
    problem: Problem,
    given: npt.NDArray[np.int64],
    root: npt.NDArray[np.int64],
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
    """Run simulations from the state `root`, and return how many: fewer where there is no room for the next, or FAILED.

    The measures are those of the scale, float64[D, P, MEASURES].
    """
    call: Any = _functions(problem)
    rule = _rule_at(score)
    decisions, actions, room = borrowed(decisions), borrowed(actions), borrowed(room)
    params, measures, rng, counters = borrowed(params), borrowed(measures), borrowed(rng), borrowed(counters)
    state, returns, players = room.state, room.returns, room.returns.size
    for done in range(simulations):
        longer = counters[DEEPEST] + 1 if plan.is_open else 1  # decisions that may get actions
        is_full = counters[DECISIONS] + room.chances.size > decisions.visits.size
        if is_full or counters[ACTIONS] + longer * room.moves.size > actions.visits.size:
            return done
        state[:] = root
        returns[:] = 0.0
        d, depth = np.int64(0), 0
        while depth < plan.steps:
            if decisions.visits[d] == 0.0 and depth > 0:
                outputs, left = (room.states, room.chances, room.rewards), plan.steps - depth
                played = call.playout(call.back, given, state, left, plan.discount, *outputs, rng, PLAYOUTS, returns)
                counters[STEPS] += played
                break
            count = _find_actions(call, given, plan, decisions, actions, d, state, room, rng, counters)
            if count < 0:
                return FAILED
            if count == 0:
                break
            if plan.moves_factor > 0.0:
                wide = plan.moves_factor * decisions.visits[d] ** plan.moves_power
                count = min(count, 1 + np.int64(wide)) if wide < count else count
            measured = measures[depth, actions.player[room.places[0]]]
            e = _select(rule, plan, actions, count, params, room, measured, rng)
            room.path[depth], room.decided[depth] = e, d
            earned = room.earned[depth]
            if plan.is_open:
                d = _follow_open(call, given, decisions, actions, e, state, room, rng, counters, earned)
            else:
                d = _follow_closed(call, given, plan, decisions, actions, e, state, room, rng, counters)
            if not plan.is_open:
                copy_row(decisions.state, d, state)
                copy_row(decisions.rewards, d, earned)
            counters[STEPS] += 1
            depth += 1
        decisions.visits[d] += 1.0
        counters[DEEPEST] = max(counters[DEEPEST], depth)
        for j in range(depth - 1, -1, -1):
            for player in range(players):
                returns[player] = room.earned[j, player] + plan.discount * returns[player]
            e = room.path[j]
            _count(plan, actions, e, returns[actions.player[e]], measures[j, actions.player[e]])
            decisions.visits[room.decided[j]] += 1.0
        counters[DONE] += 1
    return simulations
