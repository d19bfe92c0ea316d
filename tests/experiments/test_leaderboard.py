"""The leaderboard: ranks with intervals, what it leaves on disk, and what it says of policies that it cannot rank."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from bandits import KLUCB, Random, RandomBernoulli, simulate
from experiments.kinds.leaderboard.leaderboard_tables import rank_policies, ranked_by_pairs
from numerics.statistics import rank_means, resampled_means
from tests.experiments.commands import split_words

COMMAND = split_words(
    "experiment=leaderboard bandits=[random,kl_ucb,exp3,greedy] problems=[short,testbed] runs=30 hydra.run.dir=run"
)


def test_ranks_of_paired_values_are_surer_than_those_of_the_same_values_unpaired():
    rng = np.random.default_rng(1)
    common = rng.exponential(50.0, 400)
    values = np.stack([common + 1.0, common + 2.0, common + 3.0], axis=1) + rng.normal(0.0, 0.5, (400, 3))
    paired = rank_means(values.mean(axis=0), resampled_means(values, 500, rng))
    assert paired.rank.tolist() == paired.rank_low.tolist() == paired.rank_high.tolist() == [1.0, 2.0, 3.0]
    shuffled = np.stack([rng.permutation(column) for column in values.T], axis=1)
    loose = rank_means(shuffled.mean(axis=0), resampled_means(shuffled, 500, rng))
    assert (loose.rank_low < loose.rank).any()
    assert (paired.ratio_low <= paired.ratio).all()
    assert (paired.ratio <= paired.ratio_high).all()


def test_by_pairs_the_ratio_of_the_best_is_1_or_what_another_makes_of_it_and_equals_keep_all_their_ranks():
    rng, held = np.random.default_rng(3), 0
    for _ in range(100):
        values = rng.exponential(1.0, (50, 5)) * [1.0, 1.0, 1.0, 1.0, 4.0]
        found = ranked_by_pairs(values)
        held += bool((found.ratio_low <= [1, 1, 1, 1, 4]).all() and (found.ratio_high >= [1, 1, 1, 1, 4]).all())
        assert found.ratio_low[found.rank == 1.0] == 1.0
    assert held > 85
    assert found.rank_low.tolist() == [1.0, 1.0, 1.0, 1.0, 5.0]
    assert found.rank_high.tolist() == [4.0, 4.0, 4.0, 4.0, 5.0]
    found = ranked_by_pairs(np.stack([np.zeros(30), np.ones(30), np.arange(30.0)], axis=1))  # one without regret
    assert not np.isnan(np.concatenate([found.ratio_low, found.ratio_high, found.rank_low, found.rank_high])).any()


def test_the_interval_of_a_score_holds_it_where_the_best_policy_can_lock():
    """Resampled with its bound, the best policy seemed so bad that the others' intervals ended below their scores."""
    rng = np.random.default_rng(4)
    values = {"locks": rng.exponential(1.0, 20), "steady": rng.exponential(2.0, 20), "poor": rng.exponential(9.0, 20)}
    ratios = [regrets.mean() / min(other.mean() for other in values.values()) for regrets in values.values()]
    problems = pd.DataFrame({"policy": list(values), "problem": "close", "ratio": ratios})
    bounds = {"close": {"locks": 500.0, "steady": np.nan, "poor": np.nan}}
    board = rank_policies(problems, {"close": values}, seed=0, bounds=bounds)
    assert (board["score_low"] <= board["score"]).all()
    assert (board["score"] < board["score_high"]).all()


def test_the_rank_over_all_problems_is_what_paired_comparisons_leave():
    """Percentiles of a bootstrap of 20 replications held the true rank of epsilon-greedy play in 82 % only."""
    rng = np.random.default_rng(5)
    values = rng.exponential(1.0, (20, 4)) * [1.0, 1.2, 1.5, 30.0]
    regrets = dict(zip("abcd", values.T, strict=True))
    problems = pd.DataFrame({"policy": list("abcd"), "problem": "close", "ratio": values.mean(axis=0)})
    board = rank_policies(problems, {"close": regrets}, seed=0).set_index("policy").loc[list("abcd")]
    found = ranked_by_pairs(values)
    assert board["rank_low"].tolist() == found.rank_low.tolist()
    assert board["rank_high"].tolist() == found.rank_high.tolist() == [3.0, 3.0, 3.0, 4.0]


def test_a_rank_that_one_problem_leaves_open_two_make_sure():
    """The mean of two independent logarithms is surer than each by the root of two."""
    a = np.linspace(0.0, 2.0, 40)
    regrets = {"a": a, "b": 1.38 * a[::-1]}
    ratios = {"policy": ["a", "b"] * 2, "problem": ["close"] * 2 + ["short"] * 2, "ratio": [1.0, 1.38] * 2}
    both = {"close": regrets, "short": regrets}
    problems = pd.DataFrame(ratios)
    one = rank_policies(problems[:2], {"close": regrets}, seed=0)
    two = rank_policies(problems, both, seed=0)
    assert one["rank_high"].tolist() == [2.0, 2.0]
    assert two["rank_high"].tolist() == [1.0, 2.0]


def test_a_score_over_a_least_regret_of_0_has_an_interval_that_says_nothing():
    ratios = {"policy": ["a", "b"] * 2, "problem": ["close"] * 2 + ["short"] * 2, "ratio": [1.0, np.inf, 1.0, 2.0]}
    counts = np.arange(1.0, 6.0)
    regrets = {"close": {"a": np.zeros(5), "b": np.ones(5)}, "short": {"a": counts, "b": 2.0 * counts}}
    board = rank_policies(pd.DataFrame(ratios), regrets, seed=0).set_index("policy")
    assert board.loc["a", ["score", "score_low", "score_high"]].tolist() == [1.0, 1.0, 1.0]
    assert board.loc["b", ["score", "score_low", "score_high"]].tolist() == [np.inf, 1.0, np.inf]


@pytest.mark.jit
def test_the_table_has_the_regret_that_simulate_gives(command, tmp_path):
    command(*COMMAND)
    problems = pd.read_csv(tmp_path / "run" / "problems.csv").set_index(["problem", "policy"])
    for policy in (KLUCB(), Random()):
        played = simulate(policy, RandomBernoulli(arms=10), 200, 30, seed=0)
        assert problems.loc[("short", policy.name), "regret_mean"] == pytest.approx(played.pseudo_regret.mean())
    assert ("testbed", "kl_ucb") not in problems.index  # its rewards are not in [0, 1]
    board = pd.read_csv(tmp_path / "run" / "leaderboard.csv")
    assert set(board["policy"]) == {"kl_ucb", "random", "greedy", "exp3"}
    assert not {problem for problem, policy in problems.index if problem.startswith("exact") and policy == "exp3"}
    assert (board["rank"].diff().dropna() > 0).all()
