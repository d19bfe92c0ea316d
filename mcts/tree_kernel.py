"""The search kernel: simulations of UCT, one after another, in one growing tree.

A simulation walks from the root to a node that has not been visited, plays the game to its end from there, and adds
the result to every node on the way:

    choose (the bandits package's rule + argmax)  ->  ...  ->  leaf: outcome, or playout  ->  back up

The tree is a structure of arrays. The children of a node lie side by side, so that their statistics are the vectors
that a rule takes; node 0 is the root:

    node      0 | 1 2 3 4 5 6 7 | 8 9 ...
              ^   ^ children of 0    ^ children of the first node that was expanded
    visits    n   1 / sqrt(n) = widths; values = mean result for the side that moved INTO the node, in [0, 1]

A node's children are made at its second visit, in random order; playout states are not stored. With a table of
positions, a node whose position was expanded elsewhere takes the children of that one as its own: their visits and
values are then those of all ways to the position, while every node on the way keeps its own (UCT1 of Childs, Brodeur
and Kocsis, "Transpositions and move groups in Monte Carlo tree search", CIG 2008).

Kocsis and Szepesvari, "Bandit based Monte-Carlo planning", ECML 2006, figure 1; the order of a node's first visits and
the leaf's playout as in Browne et al., "A survey of Monte Carlo tree search methods" (2012), algorithm 2.

Proven values: Winands, Bjornsson and Saito, "Monte-Carlo tree search solver", CG 2008. A proven node keeps being chosen
as its value deserves, which costs no playout: with lost moves left out, as they propose, a position in which the other
side can go wrong looked too good, and a thousand simulations kept the value of 2,000 graded positions in 0.876 instead
of 0.900 (0.898 without the solver). At the root, whose own mean nobody asks for, only unproven moves are searched on.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numba import boolean, float64, int8, int16, int32, int64, types, uint64

from bandits.argmax import choose_one
from bandits.method import method_type
from bandits.pointed import SIGNATURE as RULE_SIGNATURE
from mcts.shuffle import shuffle
from mcts.streams import ORDER, PLAYOUT, RULE
from mcts.transposition_kernel import TABLE, key_of, slot_of
from numerics.addresses import hook_at
from numerics.game import LOST, UNDECIDED, WON
from numerics.game import signatures as game_signatures
from numerics.jit import kernel
from numerics.pointers import at, pointer

ALL_RUN, FULL, PROVEN = range(3)  # why `grow` returns
UNSEEN = 3  # outcome of a node that was never reached
NODES, DONE, DEEPEST, LONGEST, FROZEN, LATE, COUNTERS = range(7)

_VECTOR = float64[::1]


class Options(NamedTuple):
    """What a search decides besides its rule."""

    horizon: float  # simulations of the whole search; 0 where a clock decides
    weighs: bool  # the rule reads priors: keep them
    playouts: int  # of a leaf; their mean is the result of one simulation
    solve: bool  # back up proven wins, losses and draws


class Tree(NamedTuple):
    """The node arrays, all of one length; variances and priors have none where the rule does not read them."""

    visits: np.ndarray  # float64
    values: np.ndarray  # float64
    widths: np.ndarray  # float64
    variances: np.ndarray  # float64
    priors: np.ndarray  # float64
    child: np.ndarray  # int32, the first child; -1 before they are made
    children: np.ndarray  # int16, how many; -1 before they are made
    move: np.ndarray  # int16, the move that leads into the node
    outcome: np.ndarray  # int8, of the game for the side that moved into the node; proven ones too


OPTIONS: Any = types.BaseTuple.from_types((float64, boolean, int64, boolean), Options)
TREE: Any = types.BaseTuple.from_types(
    (_VECTOR, _VECTOR, _VECTOR, _VECTOR, _VECTOR, int32[::1], int16[::1], int16[::1], int8[::1]), Tree
)
_GAME = game_signatures()
_rule_at, _legal_at, _play_at = hook_at(RULE_SIGNATURE), hook_at(_GAME["legal"]), hook_at(_GAME["play"])
_outcome_at, _rollout_at = hook_at(_GAME["outcome"]), hook_at(_GAME["rollout"])
_ADDRESS: Any = int64  # of a hook
ARGUMENTS: Any = (
    *[_ADDRESS] * 5, method_type(), OPTIONS, int64[::1], int64, TREE, TABLE, uint64[:, ::1], int64[::1], int64,
)  # fmt: skip


@kernel()
def _find_children(legal, prior, state, tree, table, node, initial, may_expand, counters, moves, rng):
    """Give a node its children: those of the same position elsewhere, or new ones if it may have them."""
    slot, key = int64(-1), uint64(0)
    if table.keys.size > 0:
        key = key_of(state)
        slot = slot_of(table, key)
        if slot >= 0 and table.sizes[slot] > 0:
            tree.child[node], tree.children[node] = table.first[slot], table.sizes[slot]
            return
    if may_expand:
        count, nodes = legal(state, moves), counters[NODES]
        _expand(prior, state, tree, node, nodes, moves, count, initial, rng)
        counters[NODES] += count
        if slot >= 0:
            table.keys[slot], table.first[slot], table.sizes[slot] = key, nodes, count


@kernel()
def _expand(prior, state, tree, node, nodes, moves, count, initial, rng):
    """Make a node's children, in random order, so that no side of the board is visited first."""
    shuffle(moves, count, rng)
    tree.child[node], tree.children[node] = nodes, count
    for j in range(count):
        i = nodes + j
        tree.visits[i], tree.values[i], tree.widths[i] = 0.0, initial, np.inf
        tree.child[i], tree.children[i], tree.move[i], tree.outcome[i] = -1, -1, moves[j], UNSEEN
    if tree.priors.size > 0:
        if prior is None:
            tree.priors[nodes : nodes + count] = 1.0 / count
        else:
            prior(state, moves[:count], tree.priors[nodes : nodes + count])
    if tree.variances.size > 0:
        tree.variances[nodes : nodes + count] = 0.0


@kernel()
def _decided(tree, first, last):
    """Return what the side to move gets from decided children, or UNDECIDED."""
    best, open_ones = LOST, 0
    for i in range(first, last):
        known = tree.outcome[i]
        if known in (UNDECIDED, UNSEEN):
            open_ones += 1
        elif known > best:
            best = known
    return best if best == WON or open_ones == 0 else UNDECIDED


@kernel()
def _prove(tree, path, depth):
    """Back up what is proven from the decided node path[depth], as far as it decides its parents."""
    while depth > 0:
        node = path[depth - 1]
        best = _decided(tree, tree.child[node], tree.child[node] + tree.children[node])
        if best == UNDECIDED:
            return
        depth -= 1
        tree.outcome[node] = -best  # for the other side
        tree.values[node] = 0.5 - 0.5 * best
        if tree.variances.size > 0:
            tree.variances[node] = 0.0


@kernel()
def _pulled(tree, first, last):
    """Return the visits of some children together."""
    total = 0.0
    for i in range(first, last):
        total += tree.visits[at(i)]
    return total


@kernel()
def _rivals(tree, first, last, rivals, places):
    """Copy the statistics of the children of which nothing is proven; return how many they are, and their visits.

    The rule never sees the others: one that looks for the winner alone could find it among them.
    """
    count, pulled = 0, 0.0
    for i in range(first, last):
        if tree.outcome[i] >= UNDECIDED:
            rivals[0, count], rivals[1, count], rivals[2, count] = tree.visits[i], tree.values[i], tree.widths[i]
            if tree.variances.size > 0:
                rivals[3, count] = tree.variances[i]
            if tree.priors.size > 0:
                rivals[4, count] = tree.priors[i]
            places[count] = i
            pulled += tree.visits[i]
            count += 1
    return count, pulled


@kernel()
def _evaluate(rollout, state, playouts, rng):
    """Return the mean of some playouts for the side that moved into the position; the last one may spoil `state`."""
    if playouts == 1:
        return 1.0 - rollout(state, rng, PLAYOUT)
    total = 0.0
    for _ in range(playouts):
        total += 1.0 - rollout(state.copy(), rng, PLAYOUT)
    return total / playouts


@kernel()
def _back_up(tree, path, depth, reward, method, solve):
    """Add a result, which is for the side that moved into path[depth], to every node of the path.

    From a node that is proven on, what is proven is the result.
    """
    for j in range(depth, -1, -1):
        i = at(path[j])
        if solve and tree.outcome[i] < UNDECIDED:
            reward = 0.5 + 0.5 * tree.outcome[i]
        n, before = tree.visits[i] + 1.0, tree.values[i]
        rate = method.step_size if method.step_size > 0.0 else 1.0 / (n + method.prior_pulls)
        after = before + (reward - before) * rate
        tree.visits[i], tree.values[i], tree.widths[i] = n, after, 1.0 / math.sqrt(n)
        if method.spreads:
            tree.variances[i] += ((reward - before) * (reward - after) - tree.variances[i]) / n
        reward = 1.0 - reward


@kernel()
def simulate(
    score, legal, play, outcome, rollout, prior, method, options, root, simulations, tree, table, rng, counters,
    most_moves,
):  # fmt: skip
    """Run simulations from the position `root` and update tree, table and counters.

    The first five are addresses of hooks; `prior` is a game's hook or None.
    Returns ALL_RUN; or FULL when there is no room for the next nodes (call again with longer arrays, or with
    counters[FROZEN] = 1 to go on without new nodes); or PROVEN when the root is.
    """
    capacity, longest = tree.visits.size, counters[LONGEST]
    score, legal, play = _rule_at(score), _legal_at(legal), _play_at(play)
    outcome, rollout = _outcome_at(outcome), _rollout_at(rollout)
    state, moves, path = root.copy(), np.empty(most_moves, np.int64), np.empty(longest + 1, np.int64)
    places, rivals = np.empty(most_moves, np.int64), np.zeros((5, most_moves))
    out, nothing = np.empty(most_moves), np.zeros(most_moves)
    # A node's visits are those of its children and its own first one, unless children are shared or came late.
    counted = table.keys.size == 0 and not counters[LATE]
    own = tree.visits[0]
    if tree.children[0] > 0:
        own -= _pulled(tree, tree.child[0], tree.child[0] + tree.children[0])
    for _ in range(simulations):
        if counters[NODES] + most_moves > capacity and not counters[FROZEN]:
            return FULL
        state[:] = root
        node, depth, reward = 0, 0, 0.0
        path[0] = 0
        while True:
            here = at(node)
            known = tree.outcome[here]
            if known == UNSEEN:
                known = outcome(state)
                tree.outcome[here] = known
                if known != UNDECIDED and options.solve:
                    _prove(tree, path, depth)
            if known != UNDECIDED:
                reward = 0.5 + 0.5 * known
                break
            if tree.visits[here] == 0.0 and depth > 0:
                reward = _evaluate(rollout, state, options.playouts, rng)
                break
            if tree.children[here] < 0:
                may_expand = not counters[FROZEN] and depth < longest
                _find_children(legal, prior, state, tree, table, node, method.initial, may_expand, counters, moves, rng)
                if tree.children[node] < 0:
                    reward = _evaluate(rollout, state, options.playouts, rng)
                    break
            first, count = int64(tree.child[here]), int64(tree.children[here])
            last = first + count
            pulled = tree.visits[here] - (1.0 if depth > 0 else own)
            if not counted:
                pulled = _pulled(tree, first, last)
            if options.solve and table.keys.size > 0:  # shared children may have been decided on another way
                decided = _decided(tree, first, last)
                if decided != UNDECIDED:
                    tree.outcome[node] = -decided
                    _prove(tree, path, depth)
                    reward = 0.5 - 0.5 * decided
                    break
            if pulled < method.explore * count:
                turn = int(pulled)
                node = first + (turn if turn < count else turn % count)
            elif depth == 0 and options.solve:
                count, pulled = _rivals(tree, first, last, rivals, places)
                score(
                    count, 1, pointer(rivals, 0), pointer(rivals, most_moves), pointer(rivals, 2 * most_moves),
                    pointer(rivals, 3 * most_moves), pointer(rivals, 4 * most_moves),
                    pulled + 1.0, options.horizon, pointer(method.params, 0), method.params.size,
                    pointer(rng, 4 * RULE), pointer(out, 0),
                )  # fmt: skip
                node = places[choose_one(out, count, rng, ORDER)]
            else:
                score(
                    count, 1, pointer(tree.visits, first), pointer(tree.values, first), pointer(tree.widths, first),
                    pointer(tree.variances, first) if method.spreads else pointer(nothing, 0),
                    pointer(tree.priors, first) if options.weighs else pointer(nothing, 0),
                    pulled + 1.0, options.horizon, pointer(method.params, 0), method.params.size,
                    pointer(rng, 4 * RULE), pointer(out, 0),
                )  # fmt: skip
                node = first + choose_one(out, count, rng, ORDER)
            depth += 1
            path[at(depth)] = node
            play(state, int64(tree.move[at(node)]))
        counters[DEEPEST] = max(counters[DEEPEST], depth)
        _back_up(tree, path, depth, reward, method, options.solve)
        counters[DONE] += 1
        if options.solve and tree.outcome[0] != UNDECIDED:
            return PROVEN
    return ALL_RUN


@kernel(int64(*ARGUMENTS))
def grow(
    score, legal, play, outcome, rollout, method, options, root, simulations, tree, table, rng, counters, most_moves
):  # fmt: skip
    """Run simulations whose nodes have equal priors; see `simulate`."""
    return simulate(
        score, legal, play, outcome, rollout, None, method, options, root, simulations, tree, table, rng, counters,
        most_moves,
    )  # fmt: skip


@kernel()
def _copy_node(tree, i, fresh, j):
    fresh.visits[j], fresh.values[j], fresh.widths[j] = tree.visits[i], tree.values[i], tree.widths[i]
    fresh.child[j], fresh.children[j], fresh.move[j] = tree.child[i], tree.children[i], tree.move[i]
    fresh.outcome[j] = tree.outcome[i]
    if tree.variances.size > 0:
        fresh.variances[j] = tree.variances[i]
    if tree.priors.size > 0:
        fresh.priors[j] = tree.priors[i]


@kernel(int64(TREE, int64, TREE, int32[::1]))
def move_subtree(tree, node, fresh, where):
    """Copy the tree below `node` into the empty arrays `fresh`, `node` becoming its root; return how many nodes it has.

    Breadth first, so that children stay side by side and come after their parents. Where children are shared, `where`
    has an entry -1 for each node, and gets the new places of first children; else it is empty.
    """
    _copy_node(tree, node, fresh, 0)
    nodes = 1
    for i in range(fresh.visits.size):
        if i == nodes:
            break
        count = fresh.children[i]
        if count > 0:
            first = fresh.child[i]  # still its place in the old tree
            if where.size > 0:
                if where[first] >= 0:
                    fresh.child[i] = where[first]
                    continue
                where[first] = nodes
            fresh.child[i] = nodes
            for j in range(count):
                _copy_node(tree, first + j, fresh, nodes + j)
            nodes += count
    return nodes
