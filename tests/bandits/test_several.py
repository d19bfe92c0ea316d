"""Several policies in one call, policies by name, means for arms: what a first session at the prompt tries."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from bandits import UCB, Arms, Bernoulli, Comparison, Policy, Result, Thompson, simulate
from bandits.differences import COLUMNS, differences_of
from numerics.statistics import mean_interval, mean_p_value

TERMS = {"horizon": 60, "runs": 12, "seed": 4}
THREE = [0.2, 0.5, 0.7]


def test_names_and_means_stand_for_policies_and_bernoulli_arms():
    named, built = simulate("ucb", THREE, **TERMS), simulate(UCB(), Bernoulli(THREE), **TERMS)
    assert isinstance(named, Result)
    assert (named.policy, named.arms, named.label) == (UCB(), Bernoulli(THREE), "ucb")
    np.testing.assert_array_equal(named.pulls, built.pulls)
    np.testing.assert_array_equal(simulate("ucb", np.array(THREE), **TERMS).pulls, built.pulls)


def test_several_policies_are_the_results_of_each_over_the_same_random_numbers():
    compared = simulate(["ucb", UCB(c=0.5), Thompson()], THREE, **TERMS, workers=2)
    assert isinstance(compared, Comparison)
    assert list(compared) == ["ucb", "ucb c=0.5", "thompson"]
    for policy, (label, result) in zip(("ucb", UCB(c=0.5), "thompson"), compared.items(), strict=True):
        alone = simulate(policy, THREE, **TERMS)
        assert result.label == label
        np.testing.assert_array_equal(result.pulls, alone.pulls)
        np.testing.assert_array_equal(result.replications.best_reward_sum, alone.replications.best_reward_sum)
    first, last = compared["ucb"].pseudo_regret, compared["thompson"].pseudo_regret
    row = compared.differences.set_index(["policy_a", "policy_b"]).loc[("ucb", "thompson")]
    assert row["difference_mean"] == pytest.approx((first - last).mean())
    assert row["difference_se"] == pytest.approx((first - last).std(ddof=1) / 12**0.5)
    assert compared.summary["policy"].tolist() == list(compared)
    assert set(compared.curves["policy"]) == set(compared)


@pytest.mark.parametrize(("policies", "pairs"), [(2, 1), (4, 6)])
def test_the_intervals_of_all_pairs_hold_jointly(policies: int, pairs: int):
    finals = pd.DataFrame(np.random.default_rng(policies).normal(size=(30, policies)), columns=list("abcd")[:policies])
    table = differences_of(finals)
    assert len(table) == pairs
    for row in table.itertuples():
        difference = (finals[row.policy_a] - finals[row.policy_b]).to_numpy()
        ends = [float(end) for end in mean_interval(difference, confidence=1.0 - 0.05 / pairs)]
        assert [row.ci_low, row.ci_high] == pytest.approx(ends)
        assert row.p_adjusted == pytest.approx(min(1.0, pairs * mean_p_value(difference)))


def test_a_single_policy_has_no_differences():
    alone = simulate(["ucb"], THREE, **TERMS).differences
    assert (len(alone), list(alone)) == (0, list(COLUMNS))


def test_a_mapping_gives_the_labels():
    compared = simulate({"wide": UCB(), "narrow": UCB(c=0.1), "by name": "greedy"}, THREE, **TERMS)
    assert list(compared) == ["wide", "narrow", "by name"]
    assert compared["narrow"].policy == UCB(c=0.1)
    regrets = ", ".join(f"{label} {one.pseudo_regret.mean():.2f}" for label, one in compared.items())
    assert repr(compared) == f"Comparison(arms=3, horizon=60, runs=12, seed=4: pseudo-regret {regrets})"


def test_a_class_of_arms_or_a_policy_that_is_not_finished_says_what_it_must_define():
    class Mine(Arms): ...

    class Half(Policy): ...

    with pytest.raises(NotImplementedError, match=r"Mine .* count"):
        simulate(UCB(), Mine())
    with pytest.raises(NotImplementedError, match=r"Half .* spec"):
        simulate(Half(), THREE)


def test_a_label_that_no_policy_has_is_answered_with_the_labels():
    compared = simulate(["ucb", "thompson"], [0.1, 0.9], horizon=3, runs=1)
    with pytest.raises(KeyError, match=r"'tompson'.*thompson\?.*ucb, thompson"):
        compared["tompson"]
