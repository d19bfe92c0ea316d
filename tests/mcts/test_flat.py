"""Flat Monte Carlo against a naive twin, against the bandit that it is, against exact values; on three games."""

from __future__ import annotations

import math

import numpy as np
import pytest

import bandits.policies.greedy
import bandits.policies.ucb
from bandits import UCB, Bernoulli, Custom, Policy, choice_rule, simulate
from connect4 import Board
from mcts import BiasedMonteCarloPlayer, MonteCarloPlayer, MoveValues, flat, monte_carlo_values, playout_values, search
from mcts.policy import IN_A_TREE
from mcts.streams import ORDER, PLAYOUT, RULE, streams_of
from numerics.random import Purpose, streams
from tests import naive
from tests.bandits.policies import ALL, EXAMPLES
from tests.connect4 import naive_play, naive_search
from tests.mcts.games import SlotMachines, TicTacToe, uniform_value
from tests.refusals import refused

pytestmark = pytest.mark.kernels

MIDGAME = "44455554221"


def same(one: MoveValues, other: MoveValues) -> bool:
    """Whether two results are equal to the last bit."""
    names = ("moves", "pulls", "wins", "means", "known", "best_move")
    return all(np.array_equal(getattr(one, name), getattr(other, name), equal_nan=name == "means") for name in names)


# --- the naive twin --------------------------------------------------------------------------------------------------


def twin(
    board: Board, simulations: int, pick: naive.Pick, explore: int, biased: bool, words: np.ndarray
) -> dict[int, tuple[int, float]]:
    """Pulls and mean of every column, one simulation after another as document 000 says it."""
    rule, order, play = (naive.Xoshiro(words[row]) for row in (RULE, ORDER, PLAYOUT))
    moves = board.legal_moves()
    for j in range(len(moves) - 1, 0, -1):
        i = (order.word() >> 32) * (j + 1) >> 32
        moves[i], moves[j] = moves[j], moves[i]
    n, total = [0.0] * len(moves), [0.0] * len(moves)
    for t in range(1, simulations + 1):
        m = [s / pulls if pulls else 0.0 for s, pulls in zip(total, n, strict=True)]
        a = (t - 1) % len(moves) if t <= explore * len(moves) else pick(n, m, m, float(t), rule)
        after = board.copy()
        after.play(moves[a])
        finished = 0.5 + 0.5 * after.winner() * board.to_move
        if not after.is_finished():
            columns = naive_search.columns_of(after)
            finished = 1.0 - naive_play.playout(columns, board.height, board.connect, after.to_move, play, biased)
        total[a] += finished
        n[a] += 1.0
    return {
        move: (int(pulls), s / pulls if pulls else math.nan) for move, pulls, s in zip(moves, n, total, strict=True)
    }


@pytest.mark.parametrize("biased", [False, True], ids=["uniform playouts", "biased playouts"])
@pytest.mark.parametrize(
    ("policy", "pick", "explore"),
    [
        ("random", naive.uniform, 0),
        ("ucb", naive.indexed(lambda n, m, v, t: naive.ucb(n, m, t, 1.0)), 1),
        ("epsilon_greedy", naive.epsilon_greedy(lambda t: 0.1), 1),
    ],
)
@pytest.mark.parametrize("board", [Board.from_moves(MIDGAME), Board(4, 4), Board(3, 5, connect=3)], ids=repr)
def test_pulls_and_means_are_those_of_a_naive_twin_on_the_same_draws(
    board: Board, policy: str, pick: naive.Pick, explore: int, biased: bool
):
    simulations, rng = 60, streams_of(3, Purpose.FLAT_SEARCH)
    wanted = twin(board, simulations, pick, explore, biased, rng.copy())
    found = monte_carlo_values(board, simulations, policy, playouts="biased" if biased else "uniform", seed=3)
    assert found.moves.tolist() == sorted(wanted)
    assert found.pulls.tolist() == [wanted[move][0] for move in found.moves.tolist()]
    np.testing.assert_array_equal(found.means, [wanted[move][1] for move in found.moves.tolist()])


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


@pytest.mark.sampled(42)
@pytest.mark.parametrize("policy", ALL, ids=str)
def test_every_policy_shares_out_simulations_pull_for_pull_as_it_plays_a_bandit(policy: Policy):
    machines, horizon, seed = SlotMachines([300, 640, 600, 51]), 90, 5
    order = shuffled(4, of_replication(seed, 0)[ORDER])
    arms = Bernoulli([machines.means[arm] for arm in order])
    played = simulate(policy, arms, horizon, runs=3, seed=seed).replications
    for run in range(3):
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


def test_a_rule_that_is_changed_in_the_bandits_package_changes_bandit_and_searches(monkeypatch: pytest.MonkeyPatch):
    machines, arms = SlotMachines([512, 512, 512]), Bernoulli([0.5, 0.5, 0.5])

    def played() -> list[list[int]]:
        bandit = simulate(UCB(), arms, 200, runs=1, seed=2).pulls[0]
        found = monte_carlo_values(machines, 200, UCB(), seed=2).pulls, search(machines, UCB(), 200, seed=2).visits
        return [each.tolist() for each in (bandit, *found)]

    before = played()
    monkeypatch.setattr(bandits.policies.ucb, "ucb", bandits.policies.greedy.greedy)
    assert all(one != other for one, other in zip(before, played(), strict=True))
    monkeypatch.undo()
    assert played() == before


# --- exact values ----------------------------------------------------------------------------------------------------


def assert_within_margins(found: MoveValues, exact: dict[int, float]) -> None:
    """Hold every mean within five standard errors, of results between 0 and 1, of its exact value."""
    assert found.moves.tolist() == sorted(exact)
    for move, pulls, mean, known in zip(found.moves, found.pulls, found.means, found.known, strict=True):
        value = exact[int(move)]
        error = 0.0 if known else math.sqrt(max(value * (1.0 - value), 0.25 / pulls) / pulls)
        assert abs(mean - value) <= 5.0 * error, (move, mean, value)


@pytest.mark.jit
@pytest.mark.parametrize(
    "board",
    [Board.from_moves("1231213", 3, 5, 3), Board.from_moves("2233", 4, 3, 3), Board.from_moves("14233214", 4, 4)],
    ids=repr,
)
@pytest.mark.parametrize("policy", ["random", "epsilon_greedy"])
def test_means_are_the_exact_values_of_random_play_within_their_errors(board: Board, policy: str):
    exact = {
        column: float(naive_play.worth(then, board.height, board.connect, board.to_move, biased=False))
        for column, then in naive_search.after_moves(naive_search.columns_of(board), board.height, board.to_move)
    }
    assert_within_margins(monte_carlo_values(board, 30_000, policy, seed=4), exact)


@pytest.mark.jit
@pytest.mark.parametrize("board", [TicTacToe(), TicTacToe("X...O...."), TicTacToe("XO..XO...")], ids=str)
def test_a_game_of_ones_own_is_valued_through_its_hooks(board: TicTacToe):
    exact = {cell: float(1 - uniform_value(board.after(cell))) for cell in range(9) if board.cells[cell] == "."}
    assert_within_margins(monte_carlo_values(board, 40_000, seed=6), exact)


# --- what results promise --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("policy", EXAMPLES, ids=str)
def test_every_policy_values_the_moves_of_a_board(policy: Policy):
    board = Board.from_moves(MIDGAME)
    found = monte_carlo_values(board, 120, policy, seed=1)
    assert found.moves.tolist() == board.legal_moves()
    assert found.pulls.sum() == 120
    assert (found.pulls >= policy.spec().estimates.explore).all()
    seen = found.pulls > 0
    assert ((found.means[seen] >= 0.0) & (found.means[seen] <= 1.0)).all()
    assert np.isnan(found.means[~seen]).all()
    assert (found.wins <= found.pulls * np.nan_to_num(found.means) + 1e-9).all()
    assert found.best_move in found.moves[found.means == found.means[seen].max()]
    assert same(found, monte_carlo_values(board, 120, policy, seed=1))
    assert board == Board.from_moves(MIDGAME)


def test_boards_without_a_bitboard_are_valued_too():
    board = Board.from_moves("121212", 8, 8)
    found = monte_carlo_values(board, 60, "ucb", seed=2)
    assert found.best_move == 0
    assert found.known.tolist() == [True] + [False] * 7
    assert monte_carlo_values(Board(12, 9, connect=5), 40).moves.size == 12


def test_values_are_those_of_the_side_to_move():
    board = Board.from_moves("44556")  # three in a row with both ends open: who is to move can block only one
    lost = monte_carlo_values(board, 140, playouts="biased", seed=1)
    assert lost.means.tolist() == [0.0] * 7
    assert not lost.known.any()
    board.play(0)
    won = monte_carlo_values(board, 140, seed=1)
    assert won.moves[won.known].tolist() == [2, 6]
    assert won.means[won.known].tolist() == [1.0, 1.0]
    assert won.best_move in (2, 6)


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


def test_playouts_of_another_kind_leave_the_draws_of_the_rule_alone():
    board = Board()
    uniform, biased = (monte_carlo_values(board, 300, playouts=kind, seed=8) for kind in ("uniform", "biased"))
    assert uniform.pulls.tolist() == biased.pulls.tolist()
    assert uniform.means.tolist() != biased.means.tolist()


# --- a fixed number of playouts after every move ---------------------------------------------------------------------


@pytest.mark.parametrize("board", [Board.from_moves(MIDGAME), Board.from_moves("111111222222"), Board(4, 4)], ids=repr)
def test_every_legal_move_has_exactly_its_playouts(board: Board):
    found = playout_values(board, 13, seed=3)
    assert found.moves.tolist() == board.legal_moves()
    assert set(found.pulls.tolist()) == {13}
    assert found.wins[found.moves == found.best_move] == found.wins.max()


def test_playouts_are_those_of_the_naive_twin():
    board = Board.from_moves(MIDGAME)
    wanted = twin(board, 7 * 9, naive.uniform, 9, True, streams_of(2, Purpose.FLAT_SEARCH))
    found = playout_values(board, 9, seed=2)
    assert found.means.tolist() == [wanted[move][1] for move in found.moves.tolist()]


def test_of_moves_that_never_win_the_one_of_fewest_losses_is_best():
    # X threatens the upper right cell and O is to move: the block draws, the other cell loses.
    found = playout_values(TicTacToe("XX.OOXXO."), 20, playouts="uniform", seed=1)
    assert (found.moves.tolist(), found.wins.tolist()) == ([2, 8], [0, 0])
    assert (found.means.tolist(), found.best_move) == ([0.5, 0.0], 2)


# --- bad input -------------------------------------------------------------------------------------------------------

WON = Board.from_moves("1122334")


@pytest.mark.parametrize(
    ("make_it", "sentence"),
    [
        (lambda: MonteCarloPlayer(simulations=0), "simulations must be a whole number of at least 1; got 0"),
        (lambda: MonteCarloPlayer(simulations=10**10), "simulations must be a whole number of at most 1000000000"),
        (lambda: BiasedMonteCarloPlayer(playouts_per_move=0), "playouts_per_move must be a whole number of at least 1"),
        (lambda: monte_carlo_values(Board(), 0), "simulations must be a whole number of at least 1; got 0"),
        (lambda: monte_carlo_values(Board(), seed=0.5), "seed must be a whole number of at least 0; got 0.5"),
        (lambda: monte_carlo_values(Board(), policy=None), "policy must be a policy, such as 'ucb c=0.5'"),
        (
            lambda: monte_carlo_values(Board(), playouts="clever"),
            "playouts must be one of uniform, biased, careful; got",
        ),
        (lambda: monte_carlo_values(TicTacToe(), playouts="biased"), "playouts must be one of uniform; got 'biased'"),
        (lambda: monte_carlo_values("4453"), "board must be a position with a game, such as connect4.Board(); got '44"),
        (lambda: monte_carlo_values(WON), "board must be a position that is not"),
        (lambda: monte_carlo_values(Board.from_moves("12", 2, 1)), "board must be a position that is not"),
        (lambda: playout_values(WON), "board must be a position that is not"),
        (lambda: playout_values(Board(), 0), "playouts_per_move must be a whole number of at least 1; got 0"),
    ],
)
def test_what_is_no_search_of_depth_one_is_refused(make_it, sentence: str):
    refused(make_it, sentence)
