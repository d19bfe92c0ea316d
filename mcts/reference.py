"""UCT in forty lines of plain Python, for reading: the algorithm of `mcts.kernels.tree`, with node objects.

It draws the same random numbers in the same order, so that its visits equal those of the kernel.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bandits import Policy
from bandits.hooks import ChoiceRule
from bandits.spec import PolicySpec
from mcts.streams import ORDER, PLAYOUT, RULE, streams_of
from numerics import random
from numerics.games import UNDECIDED, Game, Words
from numerics.random import Purpose

word: Any = random.next_word
uniform: Any = random.next_uniform


@dataclass
class Node:
    """A position in the tree, with the move that leads to it."""

    move: int = -1
    visits: int = 0
    value: float = 0.0  # the mean result for the side that moved into the node
    variance: float = 0.0  # of the results
    children: list[Node] = field(default_factory=list)
    memory: Any = None  # of a choice rule, which the root may have


def uct(game: Game, policy: Policy, simulations: int, seed: int = 0, root_policy: Policy | None = None) -> Node:
    """Run simulations from the position of a game and return the root of the tree."""
    rng, spec, root = streams_of(seed, Purpose.TREE_SEARCH), policy.spec(), Node(value=0.5)
    estimates, at_root = spec.estimates, (root_policy or policy).spec()
    for _ in range(simulations):
        state, path = game.state.copy(), [root]
        while game.outcome(state) == UNDECIDED and (path[-1].visits > 0 or path[-1] is root):
            node = path[-1]
            if not node.children:
                node.children = [Node(move, value=estimates.initial) for move in shuffle_moves(game, state, rng)]
            path.append(select(node, at_root if node is root else spec, simulations, rng))
            game.play(state, path[-1].move)
        known = game.outcome(state)
        result = 1.0 - game.playouts["uniform"](state, rng, PLAYOUT) if known == UNDECIDED else 0.5 + 0.5 * known
        for node in reversed(path):
            node.visits += 1
            before, rate = node.value, estimates.step_size or 1.0 / (node.visits + estimates.prior_pulls)
            node.value += (result - before) * rate
            node.variance += ((result - before) * (result - node.value) - node.variance) / node.visits
            result = 1.0 - result
    return root


def shuffle_moves(game: Game, state: Words, rng: Any) -> list[int]:
    """Return the legal moves in random order."""
    moves = np.empty(game.most_moves, dtype=np.int64)
    count = game.legal(state, moves)
    for j in range(count - 1, 0, -1):
        i = (int(word(rng, ORDER)) >> 32) * (j + 1) >> 32
        moves[i], moves[j] = moves[j], moves[i]
    return [int(move) for move in moves[:count]]


def select(node: Node, spec: PolicySpec, simulations: int, rng: Any) -> Node:
    """Return each child in turn at first; then the one that the rule chooses, by its highest score or by itself."""
    children, pulls = node.children, np.array([float(child.visits) for child in node.children])
    if pulls.sum() < spec.estimates.explore * len(children):
        return children[int(pulls.sum()) % len(children)]
    means, variances = np.array([child.value for child in children]), np.array([child.variance for child in children])
    means[pulls == 0.0] = spec.estimates.initial
    widths = np.array([1.0 / math.sqrt(n) if n else math.inf for n in pulls])
    priors, scores = np.full(pulls.size, 1.0 / pulls.size), np.empty(pulls.size)
    params, rule_rng, rule = spec.numbers(simulations, pulls.size), rng[RULE : RULE + 1], spec.rule
    state = (pulls, means, widths, variances, priors, pulls.sum() + 1.0, float(simulations), params, rule_rng)
    compiled: Any = rule.compiled
    if isinstance(rule, ChoiceRule):
        if node.memory is None:
            rows, arm_rows = rule.rows()
            node.memory = np.zeros((rows + arm_rows * pulls.size, 1))
        chosen = np.zeros(1, np.int64)
        compiled(*state, node.memory, chosen)
        return children[int(chosen[0])]
    compiled(*state, scores)
    best = np.flatnonzero(scores == scores.max())
    return children[int(best[int(uniform(rng, ORDER) * best.size)] if best.size > 1 else best[0])]
