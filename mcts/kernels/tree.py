"""The search kernel: simulations of UCT, one after another, in one growing tree.

A simulation walks from the root to an unvisited node and plays the game to its end from there. The result is added to
every node on the way:

    select (the bandits package's rule + argmax)  ->  expand  ->  ...  ->  evaluate: outcome or playout  ->  back up

`mcts.kernels.nodes` draws the tree. A node's children are made at its second visit, in random order; the positions of
playouts are not stored. With a table of positions, a node whose position was expanded elsewhere shares the children of
that node. Their visits and values are then those of all ways to the position. Every node on the way keeps its own. This
is UCT1 of Childs, Brodeur and Kocsis, "Transpositions and move groups in Monte Carlo tree search", CIG 2008. A walk
that returns to a position of its path ends there as a draw, so that it passes every node once. Without a table it goes
on, until a playout begins after the most moves that the game says it can last.

Kocsis and Szepesvari, "Bandit based Monte-Carlo planning", ECML 2006, figure 1. First visits and playouts follow Browne
et al., "A survey of Monte Carlo tree search methods" (2012), algorithm 2.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bandits.kernels.argmax import choose_by_bonus, choose_one
from bandits.kernels.arguments import Estimates
from bandits.kernels.signatures import POINTED
from mcts.kernels.nodes import UNSEEN, Nodes
from mcts.kernels.proven import copy_unproven, decide, prove
from mcts.kernels.root import AS_BELOW, PLAN, Root, choose_at_root
from mcts.kernels.transpositions import Table, key_of, slot_of
from mcts.streams import ORDER, PLAYOUT, RULE, STREAMS, shuffle
from numerics.games import DRAWN, SIGNATURES, UNDECIDED
from numerics.kernels.addresses import hook_at
from numerics.kernels.jit import Matrix, Vector, kernel
from numerics.kernels.pointers import array_at, at, borrowed, pointer, pointers_of

ALL_RUN, FULL, PROVEN, UNPREPARED = range(4)  # why `grow` returns
NODES, DONE, DEEPEST, LONGEST, FROZEN, LATE, COUNTERS = range(7)


class Options(NamedTuple):
    """What a search decides; all numbers."""

    horizon: float  # simulations of the whole search; 0 where a clock decides
    estimates: Estimates  # a node is an arm of its parent, its value the estimate
    needs_variances: bool  # the rule reads them: keep them
    needs_priors: bool
    playouts: int  # of a leaf; their mean is the result of one simulation
    solve: bool  # back up proven wins, losses and draws
    most_moves: int  # K, of any position of the game
    pass_move: int  # of a side that waits; -1 where the game has none


class SearchHooks(NamedTuple):
    """The hooks of a search: their addresses outside a kernel, functions inside."""

    score: int  # the rule's, which takes pointers
    legal: int
    play: int
    outcome: int
    playout: int
    prior: int  # called only where the rule reads priors


class Scratch(NamedTuple):
    """Room that a search needs beside its tree; what is in it means nothing between simulations.

    It is made outside the kernel, so that it lives as long as the pointers to it. Only bonuses are kept, for all
    searches by the rule.
    """

    state: Vector[np.int64]  # [S], the position at the end of the path
    moves: Vector[np.int64]  # [K], those of that position
    path: Vector[np.int64]  # [D + 1], nodes from the root on; D the most moves of a game
    places: Vector[np.int64]  # [K], nodes of the unproven moves of the root
    unproven: Matrix[np.float64]  # [5, K], their statistics
    scores: Vector[np.float64]  # [K]
    nothing: Vector[np.float64]  # [K], zeros: statistics that the rule does not read
    bonuses: Vector[np.float64]  # [B], of a bonus rule, by t: NaN before it is asked, 1 at 0; B = 0 of others


class Rule(NamedTuple):
    """What a kernel gives the rule besides statistics, as pointers where it is an array."""

    score: Any
    params: Any
    count: Any  # of the parameters
    rng: Any
    kept: Any  # bonuses are kept up to this t, exclusive; 0 where the rule has none


_rule_at, _legal_at, _play_at = hook_at(POINTED), hook_at(SIGNATURES["legal"]), hook_at(SIGNATURES["play"])
_outcome_at, _playout_at = hook_at(SIGNATURES["outcome"]), hook_at(SIGNATURES["playout"])
_prior_at = hook_at(SIGNATURES["prior"])


@kernel(SIGNATURES["prior"])
def equal_priors(_state, _moves, out):
    """Give every move the same prior."""
    out[:] = 1.0 / out.size


@kernel()
def _visits_of(nodes, first, count):
    """Return the visits of some children together."""
    total = 0.0
    for i in range(first, first + count):
        total += nodes.visits[at(i)]
    return total


@kernel(inline=True)
def _is_open(outcome, options, nodes, state, path, node, depth):
    """Return whether a walk goes on below path[depth]: not where the result is known, nor at a node's first visit."""
    if nodes.outcome[node] == UNSEEN:
        nodes.outcome[node] = outcome(state)
        if options.solve and nodes.outcome[node] != UNDECIDED:
            prove(options, nodes, path, depth)
    return nodes.outcome[node] == UNDECIDED and (nodes.visits[node] > 0.0 or depth == 0)


@kernel()
def _is_decided_elsewhere(options, nodes, path, depth, first, count):
    """Return whether the children of path[depth], which other ways lead to as well, were decided on one of those."""
    known = decide(nodes, first, count)
    if known == UNDECIDED:
        return False
    nodes.outcome[path[depth]] = -known
    prove(options, nodes, path, depth)
    return True


@kernel()
def _is_on_path(nodes, path, depth, first):
    """Return whether the position whose children begin at `first` comes earlier on the path than path[depth]."""
    j = 0
    while j < depth and nodes.child[at(path[j])] != first:
        j += 1
    return j < depth


@kernel(inline=True)
def _ask(rule, options, scratch, count, pulls, means, widths, variances, priors, t):
    """Call the rule, which writes the scores of some children."""
    rule.score(
        count,
        1,
        pulls,
        means,
        widths,
        variances,
        priors,
        t,
        options.horizon,
        rule.params,
        rule.count,
        rule.rng,
        scratch.scores,
    )


@kernel(inline=True)
def _bonus(rule, options, scratch, t):
    """Return what a bonus rule adds to a mean of width 1; a rule is asked once for every t, since logarithms cost."""
    slot, kept = at(np.int64(t)), t < rule.kept
    bonus = scratch.bonuses[slot] if kept else np.nan
    if bonus != bonus:
        ones, nothing = scratch.bonuses, scratch.nothing  # the first bonus is 1
        _ask(rule, options, scratch, 1, ones, nothing, ones, nothing, nothing, t)
        bonus = scratch.scores[0]
        if kept:
            scratch.bonuses[slot] = bonus
    return bonus


@kernel(inline=True)
def _select(rule, options, nodes, scratch, first, count, visits, at_root, rng):
    """Return each child of a node in turn at first; then the one of the highest score."""
    if visits < options.estimates.explore * count:
        turn = int(visits)
        return first + (turn if turn < count else turn % count)
    only_unproven = options.solve and at_root
    if only_unproven:
        count, visits = copy_unproven(options, nodes, first, count, scratch.unproven, scratch.places)
        step, start = options.most_moves, scratch.unproven
        pulls, means, widths = start, pointer(start, step), pointer(start, 2 * step)
        variances, priors = pointer(start, 3 * step), pointer(start, 4 * step)
    else:
        pulls, means, widths = pointer(nodes.visits, first), pointer(nodes.values, first), pointer(nodes.widths, first)
        variances = pointer(nodes.variances, first) if options.needs_variances else scratch.nothing
        priors = pointer(nodes.priors, first) if options.needs_priors else scratch.nothing
    t = visits + 1.0
    if rule.kept > 0:
        chosen = choose_by_bonus(means, widths, _bonus(rule, options, scratch, t), count, rng, ORDER)
    else:
        _ask(rule, options, scratch, count, pulls, means, widths, variances, priors, t)
        chosen = choose_one(scratch.scores, count, rng, ORDER)
    return scratch.places[chosen] if only_unproven else first + chosen


@kernel()
def _expand(hooks, options, nodes, table, state, moves, node, may_grow, rng, counters):
    """Give a node children: those of the same position elsewhere, or new ones if it may have them."""
    slot, key = np.int64(-1), np.uint64(0)
    if table.keys.size > 0:
        key = key_of(state)
        slot = slot_of(table, key)
        if slot >= 0 and table.sizes[slot] > 0:
            nodes.child[node], nodes.children[node] = table.first[slot], table.sizes[slot]
            return
    if may_grow:
        first, count = counters[NODES], hooks.legal(state, moves)
        shuffle(moves, count, rng)  # so that no side of a board is visited first
        _make_children(options, nodes, moves, node, first, count)
        if options.needs_priors:
            hooks.prior(state, moves[:count], array_at(pointer(nodes.priors, first), count))
        counters[NODES] += count
        if slot >= 0:
            table.keys[slot], table.first[slot], table.sizes[slot] = key, first, count


@kernel()
def _make_children(options, nodes, moves, node, first, count):
    """Make a node's children without visits."""
    nodes.child[node], nodes.children[node] = first, count
    for j in range(count):
        i = first + j
        nodes.visits[i], nodes.values[i], nodes.widths[i] = 0.0, options.estimates.initial, np.inf
        nodes.child[i], nodes.children[i], nodes.move[i], nodes.outcome[i] = -1, -1, moves[j], UNSEEN
        if options.needs_variances:
            nodes.variances[i] = 0.0


@kernel(inline=True)
def _evaluate(playout, known, state, playouts, rng):
    """Return the result for the side that moved into a position: what is known, or the mean of some playouts."""
    if known != UNDECIDED:
        result = 0.5 + 0.5 * known
    elif playouts == 1:
        result = 1.0 - playout(state, rng, PLAYOUT)
    else:
        result = _mean_of_playouts(playout, state, playouts, rng)
    return result


@kernel()
def _mean_of_playouts(playout, state, playouts, rng):
    """Return the mean result of some playouts.

    Pasted into `grow`, whose usual simulation has one playout, their copies would have it count references to arrays.
    """
    total = 0.0
    for _ in range(playouts):
        total += 1.0 - playout(state.copy(), rng, PLAYOUT)
    return total / playouts


@kernel()
def _back_up(options, nodes, path, depth, result):
    """Add a result, which is for the side that moved into path[depth], to every node of the path.

    From a node that is proven on, what is proven is the result.
    """
    estimates = options.estimates
    for j in range(depth, -1, -1):
        i = at(path[j])
        if options.solve and nodes.outcome[i] < UNDECIDED:
            result = 0.5 + 0.5 * nodes.outcome[i]
        n, before = nodes.visits[i] + 1.0, nodes.values[i]
        rate = estimates.step_size if estimates.step_size > 0.0 else 1.0 / (n + estimates.prior_pulls)
        after = before + (result - before) * rate
        nodes.visits[i], nodes.values[i], nodes.widths[i] = n, after, 1.0 / math.sqrt(n)
        if options.needs_variances:
            nodes.variances[i] += ((result - before) * (result - after) - nodes.variances[i]) / n
        result = 1.0 - result


@kernel()
def _moves_of(options, nodes, path, depth):
    """Return how many moves lead to path[depth], passes left out."""
    moves = depth
    if options.pass_move >= 0:
        for j in range(1, depth + 1):
            moves -= nodes.move[at(path[j])] == options.pass_move
    return moves


@kernel()
def _functions(hooks):
    """Return the hooks at these addresses."""
    return SearchHooks(
        _rule_at(hooks.score),
        _legal_at(hooks.legal),
        _play_at(hooks.play),
        _outcome_at(hooks.outcome),
        _playout_at(hooks.playout),
        _prior_at(hooks.prior),
    )


@kernel(
    "int64(SearchHooks, Options, Root, float64[::1], int64[::1], int64, Nodes, Table, Scratch, uint64[:, ::1], "
    "int64[::1])"
)
def grow(
    hooks: SearchHooks,
    options: Options,
    root_rule: Root,
    params: npt.NDArray[np.float64],
    root: npt.NDArray[np.int64],
    simulations: int,
    tree: Nodes,
    table: Table,
    scratch: Scratch,
    rng: npt.NDArray[np.uint64],
    counters: npt.NDArray[np.int64],
) -> int:
    """Run simulations from the position `root` and update tree, table and counters.

    Returns ALL_RUN, FULL, PROVEN or UNPREPARED. FULL means that there is no room for the next nodes. Call again with
    longer arrays, or with counters[FROZEN] = 1 to go on without new nodes. PROVEN means that the root is proven.
    UNPREPARED means that the root's policy must be prepared again, see `mcts.at_root.policies`.
    """
    call, nodes, room = _functions(hooks), pointers_of(tree), pointers_of(scratch)
    rule = Rule(call.score, pointer(params, 0), params.size, pointer(rng, 4 * RULE), scratch.bonuses.size)
    # Arrays made of pointers have no count of references to update at each use, nor one that a hook's exception leaves.
    root, counters, shares = borrowed(root), borrowed(counters), borrowed(table)
    state, moves = array_at(room.state, root.size), array_at(room.moves, options.most_moves)
    draws, path, longest = array_at(pointer(rng, 0), (STREAMS, 4)), room.path, counters[LONGEST]
    shared, late, size = table.keys.size > 0, counters[LATE] != 0, tree.outcome.size
    apart, own_visits = root_rule.kind != AS_BELOW, nodes.visits[0]
    if nodes.children[0] > 0:
        own_visits -= _visits_of(nodes, nodes.child[0], nodes.children[0])
    path[0] = 0
    for _ in range(simulations):
        if counters[NODES] + options.most_moves > size and not counters[FROZEN]:
            return FULL
        for word in range(root.size):  # Numba takes two seconds to compile `state[:] = root`
            state[at(word)] = root[at(word)]
        node, depth, newest, returns = at(0), 0, np.int64(-1), False
        while _is_open(call.outcome, options, nodes, state, path, node, depth) and depth < longest:
            if nodes.children[node] < 0:
                may_grow = not counters[FROZEN]
                _expand(call, options, nodes, shares, state, moves, node, may_grow, draws, counters)
                if nodes.children[node] < 0:
                    break
            first, count = np.int64(nodes.child[node]), np.int64(nodes.children[node])
            if shared and options.solve and _is_decided_elsewhere(options, nodes, path, depth, first, count):
                break
            if shared:
                # Children are made later than those above them: only where older ones follow can a position return.
                if first <= newest and _is_on_path(nodes, path, depth, first):
                    returns = True
                    break
                newest = max(newest, first)
            if shared or late:
                visits = _visits_of(nodes, first, count)
            else:  # those of the node without its first, which made no child
                visits = nodes.visits[node] - (1.0 if depth > 0 else own_visits)
            if depth == 0 and apart:
                chosen = choose_at_root(root_rule, options, nodes, first, count, draws)
                if chosen == PLAN:
                    return UNPREPARED
                node = at(chosen)
            else:
                node = at(_select(rule, options, nodes, room, first, count, visits, depth == 0, draws))
            depth += 1
            path[at(depth)] = node
            call.play(state, np.int64(nodes.move[node]))
        known = DRAWN if returns else np.int64(nodes.outcome[node])
        result = _evaluate(call.playout, known, state, options.playouts, draws)
        _back_up(options, nodes, path, depth, result)
        if depth > counters[DEEPEST]:
            counters[DEEPEST] = max(counters[DEEPEST], _moves_of(options, nodes, path, depth))
        counters[DONE] += 1
        if options.solve and nodes.outcome[0] != UNDECIDED:
            return PROVEN
    return ALL_RUN
