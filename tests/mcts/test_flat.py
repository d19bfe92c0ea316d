"""Flat Monte Carlo against the bandit that it is and against exact values, on three games."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from bandits import Bernoulli, Custom, Policy, choice_rule, simulate
from connect4 import Board
from mcts import flat, monte_carlo_values, playout_values
from mcts.policy import IN_A_TREE
from mcts.streams import ORDER, PLAYOUT, RULE, streams_of
from numerics.games import UNDECIDED
from numerics.random import Purpose, streams
from tests import naive
from tests.bandits.policies import ALL
from tests.mcts.games import SlotMachines, TicTacToe, uniform_value

pytestmark = pytest.mark.kernels


# --- a search of depth one is a bandit -------------------------------------------------------------------------------


def shuffled(count: int, words: np.ndarray) -> list[int]:
    """The order in which the kernel has the moves."""
    rng, moves = naive.Xoshiro(words), list(range(count))
    for j in range(count - 1, 0, -1):
        i = (rng.word() >> 32) * (j + 1) >> 32
        moves[i], moves[j] = moves[j], moves[i]
    return moves


def of_replication(seed: int, run: int) -> np.ndarray:
    """The streams with which the bandit kernel plays a replication: its rule's and its rewards'."""
    words = np.empty((3, 4), dtype=np.uint64)
    words[RULE], words[PLAYOUT] = streams(seed, (0,), run, 1)[0], streams(seed, (1,), run, 1)[0]
    words[ORDER] = streams(seed, (8,), 0, 1)[0]
    return words


@pytest.mark.sampled(30)
@pytest.mark.parametrize("policy", ALL, ids=str)
def test_every_policy_shares_out_simulations_pull_for_pull_as_it_plays_a_bandit(policy: Policy):
    machines, horizon, seed = SlotMachines([300, 640, 600, 51]), 90, 5
    order = shuffled(4, of_replication(seed, 0)[ORDER])
    arms = Bernoulli([machines.means[arm] for arm in order])
    played = simulate(policy, arms, horizon, runs=2, seed=seed).replications
    for run in range(2):
        found = flat.run_simulations(machines.game, policy.spec(), "uniform", horizon, of_replication(seed, run))
        assert found.pulls[order].tolist() == played.pulls[run].tolist()
        assert found.wins.sum() == played.reward_sum[run, -1]


@choice_rule
def fewest_pulls(pulls, means, widths, variances, priors, t, horizon, params, rng, memory, arm):
    """The first arm of the fewest pulls, in as many replications as there are streams."""
    for r in range(rng.shape[0]):
        arm[r] = pulls[r :: rng.shape[0]].argmin()


@pytest.mark.long
def test_a_rule_has_one_stream_for_the_one_replication_that_a_search_is():
    assert monte_carlo_values(Board(4, 4), 40, Custom(fewest_pulls)).pulls.tolist() == [10] * 4


# --- exact values ----------------------------------------------------------------------------------------------------


@pytest.mark.jit
@pytest.mark.parametrize(
    ("board", "policy"),
    [
        (Board.from_moves("1231213", 3, 5, 3), "random"),
        (Board.from_moves("14233214", 4, 4), "epsilon_greedy"),
        (TicTacToe("X...O...."), "ucb"),
    ],
    ids=repr,
)
def test_means_are_the_exact_values_of_random_play_within_their_errors(board: Any, policy: str):
    known: dict[bytes, float] = {}
    for found in (
        monte_carlo_values(board, 10_000, policy, seed=4),
        playout_values(board, 2_000, playouts="uniform", seed=4),
    ):
        assert found.moves.tolist() == board.game.legal_moves().tolist()
        assert found.best_move == found.moves[found.means.argmax()]
        for move, pulls, mean, is_known in zip(found.moves, found.pulls, found.means, found.known, strict=True):
            game, state = board.game, board.game.state
            game.play(state, move)
            outcome = int(game.outcome(state))
            assert is_known == (outcome != UNDECIDED)
            value = 0.5 + 0.5 * outcome if is_known else 1.0 - uniform_value(game, state, known)
            error = 0.0 if is_known else math.sqrt(max(value * (1.0 - value), 0.25 / pulls) / pulls)
            assert abs(mean - value) <= 5.0 * error, (move, mean, value)


# --- what results promise --------------------------------------------------------------------------------------------


def test_a_move_that_ends_the_game_has_its_value_and_needs_no_playout():
    board, rng = Board(3, 3), streams_of(0, Purpose.FLAT_SEARCH)
    for column in (0, 0, 0, 1, 1, 1, 2, 2):  # no four in a row fit; one cell is left
        board.play(column)
    before = rng.copy()
    found = flat.run_simulations(board.game, IN_A_TREE.of("ucb").spec(), "uniform", 10, rng)
    assert (found.pulls.tolist(), found.means.tolist()) == ([10], [0.5])
    assert (found.known.tolist(), found.wins.tolist()) == ([True], [0])
    np.testing.assert_array_equal(rng[PLAYOUT], before[PLAYOUT])
    won = monte_carlo_values(Board.from_moves("414141"), 100, "random", seed=0)
    assert won.known.tolist() == [False, False, False, True, False, False, False]
    assert won.wins[3] == won.pulls[3] > 0


def test_of_equal_means_a_move_that_ends_the_game_is_best_then_the_one_of_most_simulations():
    ties = 0
    for seed in range(20):
        found = monte_carlo_values(Board.from_moves("112233"), 14, "ucb", seed=seed)
        assert found.best_move == 3
        ties += int((found.means == 1.0).sum() > 1)
    assert ties > 0
    for seed in range(20):
        found = monte_carlo_values(Board(), 25, "ucb", seed=seed)
        equals = found.means == found.means.max()
        assert found.pulls[found.moves == found.best_move] == found.pulls[equals].max()


def test_moves_without_a_difference_are_all_played_at_times():
    board = Board(3, 3)  # four in a row do not fit, so that every game is a draw
    assert {monte_carlo_values(board, 30, "ucb", seed=seed).best_move for seed in range(30)} == {0, 1, 2}
    assert {playout_values(board, 5, seed=seed).best_move for seed in range(30)} == {0, 1, 2}


def test_fewer_simulations_than_moves_fall_on_any_of_them():
    found = [monte_carlo_values(Board(), 3, "ucb", seed=seed) for seed in range(40)]
    assert all(one.pulls.sum() == 3 and one.pulls.max() == 1 for one in found)
    assert (np.sum([one.pulls for one in found], axis=0) > 0).all()
    assert all(one.pulls[one.best_move] == 1 for one in found)


# --- a fixed number of playouts after every move ---------------------------------------------------------------------


def test_every_legal_move_has_exactly_its_playouts():
    board = Board.from_moves("111111222222")
    found = playout_values(board, 13, seed=3)
    assert found.moves.tolist() == board.legal_moves()
    assert set(found.pulls.tolist()) == {13}
    assert found.wins[found.moves == found.best_move] == found.wins.max()


def test_of_moves_that_never_win_the_one_of_fewest_losses_is_best():
    # X threatens the upper right cell and O is to move: the block draws, the other cell loses.
    found = playout_values(TicTacToe("XX.OOXXO."), 20, playouts="uniform", seed=1)
    assert (found.moves.tolist(), found.wins.tolist()) == ([2, 8], [0, 0])
    assert (found.means.tolist(), found.best_move) == ([0.5, 0.0], 2)
