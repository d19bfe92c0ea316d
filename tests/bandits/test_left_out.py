"""A trace shows every arm's score, also those that a rule left out because their arms could not win."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import optimize, stats

from bandits import Bernoulli, left_out, make, simulate
from bandits.simulate import Steps, trace

MEANS = [0.2, 0.5, 0.45, 0.7]


def _traced(policy, arms, horizon, seed, run) -> Steps:
    _, steps = trace(policy, arms, horizon, seed, run)
    left_out.complete(policy, steps, seed, run)
    return steps


def _pulls(arm: np.ndarray, arms: int) -> np.ndarray:
    pulled = arm[:, None] == np.arange(arms)
    return np.cumsum(pulled, axis=0) - pulled


@pytest.mark.parametrize("c", [0.0, 3.0])
def test_indices_that_kl_ucb_need_not_solve_for_are_those_of_its_definition(c: float):
    horizon = 150
    steps = _traced(make("kl_ucb", c=c), Bernoulli(MEANS), horizon, 0, 0)
    pulls = _pulls(steps.arm, len(MEANS))
    for step in range(len(MEANS), horizon):
        level = np.log(step + 1.0) + (c * np.log(np.log(step + 1.0)) if c else 0.0)
        for arm, (mean, count) in enumerate(zip(steps.means[step], pulls[step], strict=True)):

            def excess(q, mean=mean, budget=level / count):
                return stats.entropy([mean, 1.0 - mean], [q, 1.0 - q]) - budget

            root = 1.0 if mean == 1.0 else optimize.brentq(excess, mean, 1.0 - 1e-15, xtol=1e-14)
            assert steps.scores[step, arm] == pytest.approx(root, abs=1e-9)
    chosen = steps.scores[np.arange(horizon), steps.arm]
    assert (chosen[len(MEANS) :] >= steps.scores[len(MEANS) :].max(axis=1) - 1e-12).all()


@pytest.mark.jit
@pytest.mark.parametrize(("alpha", "beta"), [(1.0, 1.0), (0.5, 2.0)])
def test_all_draws_of_thompson_sampling_together_follow_the_posteriors(alpha: float, beta: float):
    policy, arms, horizon = make("thompson", alpha=alpha, beta=beta), Bernoulli(MEANS), 60
    quantiles = []
    for run in range(1_500):
        steps = _traced(policy, arms, horizon, 1, run)
        pulls = _pulls(steps.arm, arms.count)
        won = pulls * steps.means
        assert (steps.scores.argmax(axis=1) == steps.arm).all()
        quantiles.append(stats.beta.cdf(steps.scores, alpha + won, beta + pulls - won))
    found = np.array(quantiles)
    for step in (0, 1, 5, 20, 59):
        for arm in range(arms.count):
            assert stats.kstest(found[:, step, arm], "uniform").pvalue > 1e-4
        correlations = np.corrcoef(found[:, step], rowvar=False)[np.triu_indices(arms.count, 1)]
        assert np.abs(correlations).max() < 5.0 / np.sqrt(len(found))  # independent, given what was seen


@pytest.mark.parametrize("name", ["thompson", "kl_ucb"])
def test_what_is_made_up_for_changes_nothing_that_is_played(name: str):
    policy, arms, horizon = make(name), Bernoulli(MEANS), 80
    _, bare = trace(policy, arms, horizon, 2, 3)
    steps = _traced(policy, arms, horizon, 2, 3)
    assert np.isneginf(bare.scores).any()
    assert np.isfinite(steps.scores[np.isneginf(bare.scores)]).all()
    kept = ~np.isneginf(bare.scores)
    np.testing.assert_array_equal(steps.scores[kept], bare.scores[kept])
    np.testing.assert_array_equal(steps.arm, bare.arm)
    counts = np.bincount(steps.arm, minlength=arms.count)
    np.testing.assert_array_equal(counts, simulate(policy, arms, horizon, 5, 2).pulls[3])
    np.testing.assert_array_equal(_traced(policy, arms, horizon, 2, 3).scores, steps.scores)
