"""The search kernel grows the trees of forty plain lines, node for node, with every index policy of the registry."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bandits import Bernoulli, Policy, make, simulate
from bandits.hooks import IndexRule
from connect4 import Board
from mcts import reference, search
from mcts.reference import Node, uct
from mcts.result import SearchResult
from numerics.games import Game
from tests.bandits.policies import ALL, EXAMPLES
from tests.bandits.states import scores
from tests.internals import PGame, game_of
from tests.mcts.games import SlotMachines, TicTacToe

pytestmark = pytest.mark.kernels

MIDGAME = "44455554221"


class Position:
    """A game that is already made."""

    def __init__(self, game: Game):
        self.game = game


POSITIONS: dict[str, Any] = {
    "7x6": Board.from_moves(MIDGAME),
    "7x6, two words": Position(game_of(Board.from_moves(MIDGAME), wide=True)),
    "8x8": Board(8, 8),
    "nearly full": Board.from_moves("223411432244431", 4, 5),
    "tic-tac-toe": TicTacToe("X...O...."),
    "P-game": PGame(branching=3, depth=6, seed=2),
    "a move": PGame(branching=5, depth=1, seed=3),
    "no choice": PGame(branching=1, depth=5),
}


def index_policies(policies: list[Policy]) -> list[Policy]:
    return [one for one in policies if isinstance(one.spec().rule, IndexRule) and one.spec().plan is None]


def assert_same(found: SearchResult, wanted: Node) -> None:
    """Compare every node: moves in their order, visits, values and variances to the last bit."""
    tree, pairs = found.tree, [(0, wanted)]
    while pairs:
        i, node = pairs.pop()
        assert (tree.move[i], tree.visits[i], tree.values[i]) == (node.move, node.visits, node.value)
        if tree.variances.size:
            assert tree.variances[i] == node.variance
        count = max(int(tree.children[i]), 0)
        assert count == len(node.children)
        pairs += [(int(tree.child[i]) + j, child) for j, child in enumerate(node.children)]


EACH = index_policies(EXAMPLES)


@pytest.mark.parametrize("number", range(len(EACH)), ids=lambda number: EACH[number].name)
def test_kernel_and_reference_grow_the_same_tree(number: int):
    boards = list(POSITIONS.values())
    for board in (boards[number % len(boards)], boards[(number + 3) % len(boards)]):
        assert_same(search(board, EACH[number], simulations=90, seed=5), uct(board.game, EACH[number], 90, seed=5))


@pytest.mark.sampled(9)
@pytest.mark.jit
@pytest.mark.parametrize("policy", [one for one in index_policies(ALL) if one not in EACH], ids=str)
def test_kernel_and_reference_agree_with_other_parameters_too(policy: Policy):
    board = TicTacToe()
    assert_same(search(board, policy, simulations=100, seed=1), uct(board.game, policy, 100, seed=1))


TIES = {"ucb": (1335, 69), "ucb_v": (1585, 87), "ucb_tuned": (740, 28), "kl_ucb": (900, 20), "imed": (1261, 0)}


@pytest.mark.sampled(1)
@pytest.mark.jit
@pytest.mark.parametrize("name", TIES)
def test_ties_in_a_large_tree_that_rounding_decides_are_of_equal_visits_and_results(name: str, monkeypatch):
    """Their values are running means, whose last bits depend on the order of the results; so many choices there are."""
    policy, select, counts = make(name), reference.select, [0, 0]

    def watched(node, spec, simulations, rng):
        if all(child.visits for child in node.children):
            n, m, v = np.array([(child.visits, child.value, child.variance) for child in node.children]).T
            found = scores(policy.spec().rule, n, m, n.sum() + 1.0, spec.params, variances=v)
            near = np.abs(found - found.max()) <= 1e-12 * np.abs(found.max())
            counts[0] += near.sum() > 1
            if len(set(found[near])) > 1:
                counts[1] += 1
                assert len(set(zip(n[near], np.rint(2.0 * n * m)[near], strict=True))) < near.sum()
        return select(node, spec, simulations, rng)

    monkeypatch.setattr(reference, "select", watched)
    assert_same(search(Board(), policy, simulations=2_000, seed=1), uct(Board().game, policy, 2_000, seed=1))
    assert tuple(counts) == TIES[name]


# --- one rule, two places --------------------------------------------------------------------------------------------


def test_a_tree_of_depth_one_is_the_bandit():
    """With arms that pay always or never both see the same rewards, and ties are all that is random."""
    policy = make("ucb_v")
    machines = SlotMachines([0, 1024, 0])
    tree = search(machines, policy, simulations=500, seed=1)
    bandit = simulate(policy, Bernoulli([0.0, 1.0, 0.0]), runs=1, horizon=500, seed=1)
    pulls = bandit.pulls[0]
    assert (tree.visits[1], sorted(tree.visits)) == (pulls[1], sorted(pulls))
