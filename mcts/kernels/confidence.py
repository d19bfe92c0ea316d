"""The kernel of LUCB-MCTS and UGapE-MCTS: confidence intervals of leaves, backed up by minimax until a move is sure.

    the best move and its rival  ->  their representative leaves  ->  sample them  ->  intervals up their paths

Nodes are numbered level by level: 0 is the root, and the children of a node are neighbours. Values lie in [0, 1] and
are for the side to move at the root. Nodes of even level therefore maximise, and the others minimise.

Kaufmann and Koolen, "Monte-Carlo tree search by best arm identification", NeurIPS 2017.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bandits.kernels.indices.confidence import lower_bound, upper_bound
from mcts.streams import PLAYOUT
from numerics.games import SIGNATURES, UNDECIDED
from numerics.kernels.addresses import hook_at
from numerics.kernels.arrays import empty, same_bits
from numerics.kernels.jit import Matrix, Vector, kernel
from numerics.random import next_uniform

LUCB, UGAPE = range(2)


class Tree(NamedTuple):
    """All positions down to some depth, N of them, and what is known of their values."""

    states: Matrix[np.int64]  # [N, S]
    parent: Vector[np.int64]  # [N]
    child: Vector[np.int64]  # [N], the first child
    children: Vector[np.int64]  # [N], how many; 0 for a leaf
    maximises: Vector[np.uint8]  # [N], whether the side to move at the root is to move
    samples: Vector[np.float64]  # [N], of a leaf
    sums: Vector[np.float64]  # [N], of their rewards
    means: Vector[np.float64]  # [N], of a leaf, and the minimax of these
    low: Vector[np.float64]  # [N], of the interval
    high: Vector[np.float64]  # [N]
    leaf: Vector[np.int64]  # [N], the representative leaf


class Aim(NamedTuple):
    """When to stop, and how."""

    rule: int  # LUCB or UGAPE
    epsilon: float  # how much worse than the best move the chosen one may be
    base: float  # a leaf's interval after n samples: n kl(mean, q) <= base + growth ln(1 + ln n)
    growth: float
    flipped: bool  # whether the reward of a sample belongs to the other side
    most: int  # samples


class Answer(NamedTuple):
    """What is known when the kernel returns."""

    child: int  # the chosen child of the root
    samples: int
    sure: bool


@kernel("float64(int64[::1], uint64[:, ::1], int64)")
def coin(state, rng, r):
    """Return 1 with the probability whose bits the state holds, else 0: the playout of a leaf of known mean."""
    return 1.0 if next_uniform(rng, r) < same_bits(state, np.float64)[0] else 0.0


_legal_at, _play_at, _outcome_at, _playout_at = (
    hook_at(SIGNATURES[kind]) for kind in ("legal", "play", "outcome", "playout")
)


@kernel("void(int64, int64, int64[:, ::1], int64[::1], int64[::1], int64[::1])")
def look(
    legal: int,
    outcome: int,
    states: npt.NDArray[np.int64],
    moves: npt.NDArray[np.int64],
    outcomes: npt.NDArray[np.int64],
    counts: npt.NDArray[np.int64],
) -> None:
    """Write the outcome of each position, and the number of its legal moves: 0 where the game is over.

    Hooks are given by address.
    """
    legal_of, outcome_of = _legal_at(legal), _outcome_at(outcome)
    for i in range(counts.size):
        outcomes[i] = outcome_of(states[i])
        counts[i] = legal_of(states[i], moves) if outcomes[i] == UNDECIDED else 0


@kernel("void(int64, int64, int64[:, ::1], int64[::1], int64[::1], int64[:, ::1])")
def widen(
    legal: int,
    play: int,
    states: npt.NDArray[np.int64],
    counts: npt.NDArray[np.int64],
    moves: npt.NDArray[np.int64],
    after: npt.NDArray[np.int64],
) -> None:
    """Write the positions after every move of each of `states`, side by side; hooks are given by address."""
    legal_of, play_on, end = _legal_at(legal), _play_at(play), 0
    for i in range(counts.size):
        if counts[i] == 0:
            continue
        legal_of(states[i], moves)
        for k in range(counts[i]):
            for word in range(after.shape[1]):
                after[end, word] = states[i, word]
            play_on(after[end], moves[k])
            end += 1


@kernel()
def back_up(tree, node):
    """Write the interval, the mean and the representative leaf of a node over those of its children.

    The interval goes on to a leaf at which it is widest. A maximising node takes the child of the highest upper bound,
    a minimising one the child of the lowest lower bound.
    """
    first = tree.child[node]
    chosen, low, high, mean = first, tree.low[first], tree.high[first], tree.means[first]
    if tree.maximises[node]:
        for a in range(first + 1, first + tree.children[node]):
            if tree.high[a] > high:
                chosen, high = a, tree.high[a]
            low, mean = max(low, tree.low[a]), max(mean, tree.means[a])
    else:
        for a in range(first + 1, first + tree.children[node]):
            if tree.low[a] < low:
                chosen, low = a, tree.low[a]
            high, mean = min(high, tree.high[a]), min(mean, tree.means[a])
    tree.low[node], tree.high[node], tree.means[node] = low, high, mean
    tree.leaf[node] = tree.leaf[chosen]


@kernel("void(Tree)")
def back_up_all(tree: Tree) -> None:
    """Back up every node that has children, the deepest first."""
    for node in range(tree.parent.size - 1, -1, -1):
        if tree.children[node] > 0:
            back_up(tree, node)


@kernel()
def highest_but(high, but):
    """Return the index of the highest bound, `but` left out."""
    best = 1 if but == 0 else 0
    for a in range(best + 1, high.size):
        if a != but and high[a] > high[best]:
            best = a
    return best


@kernel()
def best_and_rival(rule, low, high, means):
    """Return the move that is taken for the best, and the one of the highest upper bound among the others.

    LUCB takes the highest mean for the best; UGapE the move that the others exceed by the least, at most.
    """
    first = highest_but(high, -1)
    second = highest_but(high, first)
    best = 0
    if rule == LUCB:
        for a in range(1, high.size):
            best = a if means[a] > means[best] else best
    else:
        least = math.inf
        for a in range(high.size):
            excess = high[second if a == first else first] - low[a]
            if excess < least:
                best, least = a, excess
    return best, second if best == first else first


@kernel()
def sample(playout, tree, aim, rng, leaf, state):
    """Sample a leaf, and narrow its interval and those on the path up to a move of the root; spoils `state`."""
    for word in range(state.size):
        state[word] = tree.states[leaf, word]
    reward = playout(state, rng, PLAYOUT)
    n, total = tree.samples[leaf] + 1.0, tree.sums[leaf] + (1.0 - reward if aim.flipped else reward)
    mean = total / n
    level = (aim.base + aim.growth * math.log(1.0 + math.log(n))) / n
    tree.samples[leaf], tree.sums[leaf], tree.means[leaf] = n, total, mean
    tree.low[leaf], tree.high[leaf] = lower_bound(mean, level), upper_bound(mean, level)
    node = tree.parent[leaf]
    while node > 0:
        back_up(tree, node)
        node = tree.parent[node]


@kernel("Answer(int64, Tree, Aim, uint64[:, ::1], int64, int64)")
def sample_until_sure(
    playout: int, tree: Tree, aim: Aim, rng: npt.NDArray[np.uint64], samples: int, pause: int
) -> Answer:
    """Go on from `samples` samples until a move is surely the best, or there are the most, or at least `pause`.

    UGapE samples the wider of the two intervals, LUCB both. A move whose representative leaf has a known value has no
    width, so that it is not sampled; two such moves end the search.
    """
    reward_of, first, last = _playout_at(playout), tree.child[0], tree.child[0] + tree.children[0]
    low, high, means = tree.low[first:last], tree.high[first:last], tree.means[first:last]
    state = empty(tree.states.shape[1], np.int64)
    while True:
        best, rival = best_and_rival(aim.rule, low, high, means)
        sure = high[rival] - low[best] <= aim.epsilon
        if sure or samples >= min(pause, aim.most):
            return Answer(best, samples, sure)
        is_wider = high[best] - low[best] >= high[rival] - low[rival]
        wider, other = (best, rival) if is_wider else (rival, best)
        sample(reward_of, tree, aim, rng, tree.leaf[first + wider], state)
        samples += 1
        if aim.rule == LUCB and high[other] > low[other] and samples < aim.most:
            sample(reward_of, tree, aim, rng, tree.leaf[first + other], state)
            samples += 1
