"""Intervals of the mean of bounded values: as known ones are, and covering what no sample shows."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from bandits import Bernoulli, RandomGaussian, choice_rule, index_rule, simulate
from bandits.bounds import can_lock, regret_bound
from bandits.differences import differences_of, paired_differences
from numerics.statistics import mean_interval, mean_p_value, means, rare_values
from tests.internals import POLICIES


@pytest.mark.parametrize(("ones", "size"), [(0, 20), (1, 20), (5, 30), (3, 1_000)])
def test_of_ones_and_zeros_the_ends_are_those_of_clopper_and_pearson(ones, size):
    values = np.repeat([1.0, 0.0], [ones, size - ones])
    known = stats.binomtest(ones, size).proportion_ci(method="exact")
    low, high = mean_interval(values, 0.0, 1.0)
    ends = [min(1.0, max(0.0, float(end))) for end in means.interval_of(values)]
    assert float(low) == pytest.approx(min(known.low, ends[0]), rel=0.01)
    assert float(high) == pytest.approx(max(known.high, ends[1]), rel=0.006)


def test_the_end_is_the_quantile_of_the_mean_under_random_weights():
    rng = np.random.default_rng(0)
    values = rng.gamma(0.3, 3.0, 20)
    weights = rng.dirichlet(np.ones(21), 50_000)
    known = np.quantile(weights @ np.append(values, 200.0), 0.975)
    assert float(mean_interval(values, 0.0, 200.0)[1]) == pytest.approx(known, rel=0.02)


def test_a_p_value_is_below_the_level_where_the_interval_excludes_0():
    rng, apart = np.random.default_rng(2), 0
    for shift in np.linspace(-1.0, 1.0, 40):
        values = rng.choice([0.0, 0.1, 5.0], 40, p=[0.7, 0.25, 0.05]) + shift
        low, high = mean_interval(values, -6.0, 6.0)
        outside = bool(low > 0.0 or high < 0.0)
        assert outside == (mean_p_value(values, -6.0, 6.0) < 0.05)
        apart += outside
    assert 0 < apart < 40


def test_no_end_lies_beyond_the_bounds():
    values = np.append(np.ones(29), 400.0)
    assert means.interval_of(values)[0] < 0.0
    assert mean_interval(values, 0.0, 400.0)[0] == 0.0
    low, high = mean_interval(np.array([0.0, 1.0]), 0.0, 1.0)
    assert (low, high) == (0.0, 1.0)


def test_values_without_a_bound_have_no_end_and_no_small_p_value():
    low, high = mean_interval(np.arange(1.0, 31.0), 0.0, math.inf)
    assert 0.0 < low < 15.5
    assert high == math.inf
    assert mean_p_value(np.arange(-30.0, -1.0), -1.0, math.inf) == 1.0


def test_two_constants_that_differ_are_no_certainty():
    finals = pd.DataFrame({"a": np.full(30, 15.0), "b": np.full(30, 30.0)})
    (row,) = differences_of(finals, largest=300.0).itertuples()
    assert row.ci_low < -15.0 < 0.0 < row.ci_high
    assert row.p_value > 0.05
    (row,) = differences_of(finals).itertuples()
    assert (row.ci_low, row.ci_high, row.p_value) == (-math.inf, math.inf, 1.0)


def test_the_largest_regret_is_that_of_the_arms_that_lie_farthest_apart_in_any_replication():
    gaps = np.linspace(0.1, 0.8, 30)
    rows = [
        {"policy": policy, "run": run, "arm": arm, "mean": 0.1 + gap * arm, "pulls": pulls}
        for policy, shares in (("a", (20, 80)), ("b", (30, 70)))
        for run, gap in enumerate(gaps)
        for arm, pulls in enumerate(shares)
    ]
    finals = pd.DataFrame({"a": 20.0 * gaps, "b": 30.0 * gaps})
    found, known = paired_differences(pd.DataFrame(rows), ["b"]), differences_of(finals, ["b"], 0.8 * 100)
    pd.testing.assert_frame_equal(found, known)
    assert not np.isclose(known["ci_low"], differences_of(finals, ["b"], 0.1 * 100)["ci_low"], rtol=0.1).any()


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("policy", "means"), [("greedy", [0.1, 0.9]), ("explore_then_commit explore=20", [0.4, 0.6])])
def test_the_mean_regret_of_play_that_locks_is_covered(policy, means):
    arms, rng = Bernoulli(means), np.random.default_rng(4)
    law = simulate(policy, arms, 500, 10_000, seed=3, checkpoints=[500]).pseudo_regret
    for size in (20, 100):
        drawn = rng.choice(law, (size, 400))
        bound = regret_bound(POLICIES.of(policy), arms, 500, drawn[:, 0])
        low, high = mean_interval(drawn, 0.0 if bound > 0.0 else math.nan, bound)
        assert np.mean((low <= law.mean()) & (law.mean() <= high)) > 0.92  # at 95 %, less once in 200


def test_a_sample_of_a_rule_of_which_nothing_is_known_is_looked_at():
    many, bound = np.linspace(1.0, 30.0, 30), 300.0
    assert not rare_values(many, bound)
    assert rare_values(np.append(many, 290.0), bound)
    assert not rare_values(np.append(many, 30.0 + 0.5 * bound), bound), "half of what is possible, and no more"
    assert rare_values(np.repeat([15.0, 16.0], [29, 1]), bound)
    assert rare_values(np.repeat([15.0, 60.0], 15), bound)


def test_a_rule_says_that_it_can_lock():
    @index_rule(can_lock=True)
    def locks(mean):
        return mean

    @choice_rule
    def unknown(pulls, means, widths, variances, priors, t, horizon, params, rng, memory, arm):
        arm[:] = 0

    assert (locks.can_lock, unknown.can_lock) == (True, None)
    texts = ("greedy", "epsilon_greedy epsilon=0", "ucb c=0", "epsilon_greedy", "ucb", "thompson")
    assert [can_lock(POLICIES.of(text)) for text in texts] == [True, True, True, None, False, False]
    for name in ("epsilon_greedy", "lin_epsilon_greedy"):  # exploration that is rare, or becomes so
        texts = tuple(f"{name} epsilon={numbers}" for numbers in ("0.0499", "0.05", "0.2", "0.2 decay=3"))
        assert [POLICIES.of(text).locks for text in texts] == [True, None, None, True]


def test_gaps_without_a_largest_value_leave_the_interval_without_an_end():
    arms = RandomGaussian(arms=3)
    assert 100 * arms.largest_gap == math.inf
    summary = simulate("greedy", arms, 20, 10).summary
    assert summary["pseudo_regret_high"].iloc[0] == math.inf
    assert simulate("ucb", arms, 20, 10).summary["pseudo_regret_high"].iloc[0] < math.inf
