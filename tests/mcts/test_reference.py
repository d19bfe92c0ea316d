"""The search kernel grows the trees of forty plain lines, node for node, with every index policy, also at the root."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bandits import Bernoulli, Policy, make, simulate
from bandits.hooks import IndexRule
from connect4 import Board
from mcts import Search, reference, search
from mcts.reference import Node, uct
from mcts.result import SearchResult
from numerics.games import Game
from tests.bandits.policies import ALL, EXAMPLES, PLANNED
from tests.bandits.states import scores
from tests.internals import PGame, game_of, halving_plan
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


# --- a policy of the root ------------------------------------------------------------------------------------------


def at_a_root(policy: Policy) -> bool:
    """Whether a root can ask the policy, which estimates by averages and does not learn from each reward."""
    spec = policy.spec()
    return spec.learn is None and spec.estimates[2:] == (0.0, 0.0)


ROOTS = [policy for policy in [*EXAMPLES, *PLANNED] if at_a_root(policy)]


def pulls_of(plan: np.ndarray, moves: int) -> list[int]:
    """The pulls that a plan comes to, in decreasing order: as many moves have more than n pulls as it has entries n."""
    pulled = np.bincount(plan.astype(np.int64))
    return [int((pulled > move).sum()) for move in range(moves)]


# --- who chooses -----------------------------------------------------------------------------------------------------


@pytest.mark.sampled(17)
@pytest.mark.parametrize("policy", ROOTS, ids=lambda one: one.name)
def test_kernel_and_reference_grow_the_same_tree_below_every_root_policy(policy: Policy):
    below = make("ucb", c=0.7)
    board = TicTacToe("X...O....") if len(policy.name) % 2 else PGame(branching=3, depth=6, seed=2)
    found = search(board, below, simulations=90, seed=5, root_policy=policy)
    assert_same(found, uct(board.game, below, 90, seed=5, root_policy=policy))


# --- plans -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("policy", [*filter(at_a_root, PLANNED)], ids=lambda one: one.name)
def test_the_visits_of_the_root_are_those_of_the_plan(policy: Policy):
    for board, moves, simulations in ((Board(), 7, 3), (Board(5, 4), 5, 400), (TicTacToe("X...O...."), 7, 100)):
        found = search(board, simulations=simulations, seed=1, root_policy=policy)
        plan = policy.spec().numbers(simulations, moves)[-simulations:]
        assert sorted(found.visits.tolist(), reverse=True) == pulls_of(plan, moves), (simulations, moves)


TABLES = {  # (considered, simulations): how often each number of visits is considered, in mctx's table
    (1, 5): [1, 1, 1, 1, 1],
    (3, 16): [3, 3, 2, 2, 2, 2, 2],
    (4, 8): [4, 2, 2],
    (5, 12): [5, 2, 2, 2, 1],
    (7, 24): [7, 3, 3, 2, 2, 2, 2, 2, 1],
    (16, 50): [16, 8, 4, 4, 4, 2, 2, 2, 2, 2, 2, 2],
}


@pytest.mark.parametrize(("considered", "simulations"), TABLES)
def test_gumbel_halving_considers_the_visits_of_mctx(considered: int, simulations: int):
    expected = np.repeat(np.arange(len(TABLES[considered, simulations])), TABLES[considered, simulations])
    np.testing.assert_array_equal(halving_plan(simulations, considered, odd_one_stays=False), expected)


def test_gumbel_halving_considers_moves_by_noise_and_prior():
    prior = [0.0, 0.0, 0.5, 0.5, 0.0, 0.0, 0.0]
    options: dict[str, Any] = {"policy": "puct", "prior": prior, "simulations": 64}
    drawn = [search(Board(), seed=seed, root_policy="gumbel_halving considered=1", **options) for seed in range(40)]
    assert {found.best_move for found in drawn} == {2, 3}  # both are drawn; one has all simulations
    assert all(found.visits.max() == 64 for found in drawn)
    few = search(Board(), seed=1, root_policy="gumbel_halving considered=2", **options)
    assert np.flatnonzero(few.visits).tolist() == [2, 3]


# --- with the rest of a search ---------------------------------------------------------------------------------------


def test_a_search_in_parts_is_the_one_at_once_and_past_its_plan_the_plan_begins_again():
    whole = Search(Board(), simulations=200, seed=4, root_policy="sequential_halving")
    parts = Search(Board(), simulations=200, seed=4, root_policy="sequential_halving")
    whole.run(200)
    for count in (1, 60, 139):
        parts.run(count)
    np.testing.assert_array_equal(whole.result().visits, parts.result().visits)
    before = parts.result().visits
    parts.run(200)
    more = sorted((parts.result().visits - before).tolist(), reverse=True)
    assert more == pulls_of(halving_plan(200, 7), 7)


def test_a_kept_tree_is_a_new_plan_that_counts_the_new_simulations():
    running = Search(Board(), simulations=300, seed=4, root_policy="sequential_halving")
    running.run(300)
    move = running.choose()
    board = Board()
    board.play(move)
    assert running.advance(board, [move])
    before = running.result().visits
    assert before.sum() > 30
    running.run(300)
    more = sorted((running.result().visits - before).tolist(), reverse=True)
    assert more == pulls_of(halving_plan(300, 7), 7)


@pytest.mark.parametrize("name", ["sequential_halving", "kl_lucb"])
def test_proven_moves_get_no_more_simulations_and_the_rest_is_planned_again(name: str):
    board = Board.from_moves("223411432244431", 4, 5)
    running = Search(board, simulations=4_000, seed=2, solve=True, root_policy=name)
    plain = Search(board, seed=2, solve=True)
    plain.run(20_000)
    known: dict[int, float] = {}
    for _ in range(400):
        running.run(10)
        found = running.result()
        for move, outcome, visits in zip(found.moves, found.outcomes, found.visits, strict=True):
            assert known.setdefault(int(move), visits) == visits or not outcome
            if not outcome:
                del known[int(move)]
    assert running.proven == plain.proven is not None
    assert found.visits.sum() == found.simulations <= 4_000


@pytest.mark.parametrize(
    ("moves", "options"),
    [
        ("4455", {"simulations": 100, "transpositions": True, "tactics": True}),  # must win or lose: few moves are left
        ("", {"simulations": 100, "seconds": 10.0}),
        ("", {"simulations": 301, "workers": 2, "transpositions": True}),
        ("", {"simulations": 50, "prior": "lines", "root_policy": "gumbel_halving"}),  # which alone reads the prior
        ("", {"seconds": 0.01, "root_policy": "anytime_halving"}),
    ],
    ids=str,
)
def test_a_plan_goes_with_the_rest_of_a_search(moves: str, options: dict[str, Any]):
    found = search(Board.from_moves(moves), **{"root_policy": "sequential_halving", "seed": 1, **options})
    assert found.visits.sum() == found.simulations == options.get("simulations", found.simulations)
    if options.get("simulations") == 100:
        plan = pulls_of(halving_plan(100, found.moves.size), found.moves.size)
        assert sorted(found.visits.tolist(), reverse=True) == plan
