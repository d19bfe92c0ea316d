"""A policy of the root: the tree of the plain twin, plans, and what goes with a search."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bandits import Policy, make
from connect4 import Board
from mcts import Search, search
from mcts.reference import uct
from tests.bandits.policies import EXAMPLES, PLANNED
from tests.internals import PGame, halving_plan
from tests.mcts.games import TicTacToe
from tests.mcts.test_reference import assert_same

pytestmark = pytest.mark.kernels


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


def test_transpositions_tactics_and_workers_go_with_a_plan():
    options: dict[str, Any] = {"root_policy": "sequential_halving", "transpositions": True, "tactics": True}
    left_out = Board.from_moves("4455")  # the side to move must win or lose: few moves are left
    found = search(left_out, simulations=100, solve=False, **options)
    assert sorted(found.visits.tolist(), reverse=True) == pulls_of(
        halving_plan(100, found.moves.size), found.moves.size
    )
    shared = search(Board(), simulations=301, workers=2, seed=1, **options)
    assert shared.visits.sum() == 301


def test_a_search_of_a_time_plans_for_its_simulations():
    found = search(Board(), simulations=100, seconds=10.0, root_policy="sequential_halving")
    assert sorted(found.visits.tolist(), reverse=True) == pulls_of(halving_plan(100, 7), 7)
    assert search(Board(), seconds=0.01, root_policy="anytime_halving").simulations > 0


def test_a_prior_that_only_the_root_reads_is_taken():
    assert search(Board(), simulations=50, prior="lines", root_policy="gumbel_halving").visits.sum() == 50
