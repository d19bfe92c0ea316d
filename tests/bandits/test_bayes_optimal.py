"""The Bayes-optimal policy: its plan against fractions, its play against exact expectations, and what it refuses."""

from __future__ import annotations

import functools
import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from bandits import BayesOptimal, Bernoulli, Beta, Gaussian, RandomBernoulli, simulate, trace
from tests.internals import Choice
from tests.refusals import refused

pytestmark = pytest.mark.kernels

POLICY = BayesOptimal()


@functools.cache
def gains(n: int, s: int, m: int, z: int, horizon: int) -> tuple[Fraction, Fraction]:
    """What is left to gain after n and m pulls with s and z successes, by the next arm."""
    p, q = Fraction(s + 1, n + 2), Fraction(z + 1, m + 2)
    return (
        p * (1 + value(n + 1, s + 1, m, z, horizon)) + (1 - p) * value(n + 1, s, m, z, horizon),
        q * (1 + value(n, s, m + 1, z + 1, horizon)) + (1 - q) * value(n, s, m + 1, z, horizon),
    )


def value(n: int, s: int, m: int, z: int, horizon: int) -> Fraction:
    return max(gains(n, s, m, z, horizon)) if n + m < horizon else Fraction(0)


@pytest.mark.jit
def test_every_state_is_decided_as_fractions_decide_it():
    horizon = 16
    assert POLICY.value(horizon) == pytest.approx(float(value(0, 0, 0, 0, horizon)), abs=1e-13)
    choose = Choice(POLICY, 2, horizon)
    for pulls in itertools.product(range(horizon), repeat=2):
        if (t := sum(pulls) + 1) <= horizon:
            found = choose(pulls, t)[0].reshape(pulls[0] + 1, pulls[1] + 1)
            for s, z in itertools.product(range(pulls[0] + 1), range(pulls[1] + 1)):
                first, second = gains(pulls[0], s, pulls[1], z, horizon)
                assert found[s, z] == (0.5 if first == second else float(first > second)), (pulls, s, z)


@pytest.mark.jit
def test_it_explores_more_where_more_pulls_follow():
    """An arm with 2 of 3 against one with 5 of 7: the last pull goes to the better mean, an early one to less known."""
    state = (2 * 8 + 5,)  # of the block, the second arm's successes varying fastest
    assert Choice(POLICY, 2, 11)((3, 7), 11)[0][state] == 0.0
    assert Choice(POLICY, 2, 100)((3, 7), 11)[0][state] == 1.0


@pytest.mark.jit
def test_its_play_has_the_published_mean_and_variance():
    gain = simulate(POLICY, Bernoulli([0.3, 0.5]), 60, 4_000, seed=2).replications.reward_sum[:, -1]
    variance = 23.650456467947016
    assert abs(gain.mean() - 27.667781619675154) < 5.0 * math.sqrt(variance / gain.size)
    squares = (gain - gain.mean()) ** 2
    assert abs(squares.mean() - variance) < 5.0 * squares.std() / math.sqrt(gain.size)
    prior = simulate(POLICY, RandomBernoulli(arms=2), 60, 4_000, seed=3).pseudo_regret
    mean = 60.0 * 2.0 / 3.0 - 38.562343246635564  # E max of two uniforms = 2 / 3
    assert abs(prior.mean() - mean) < 5.0 * prior.std() / math.sqrt(prior.size)


def test_a_trace_scores_the_chosen_arm_1_and_both_where_either_is_as_good():
    steps = trace("bayes_optimal", [0.2, 0.7], horizon=30, seed=1).to_frame()
    scores = steps[["index_0", "index_1"]].to_numpy()
    assert scores[0].tolist() == [1.0, 1.0]
    assert (scores[np.arange(30), steps["arm"]] == 1.0).all()
    assert (scores.min(axis=1) == 0.0).any()


@pytest.mark.parametrize(
    ("arms", "horizon", "start", "fact"),
    [
        (Bernoulli([0.1, 0.2, 0.3]), 10, "arms", "3 Bernoulli arms"),
        (Beta([0.1, 0.2]), 10, "arms", "2 Beta arms"),
        (Gaussian([0.1, 0.2]), 10, "arms", "[0, 1]"),
        (Bernoulli([0.1, 0.2]), 501, "horizon", "500"),
    ],
    ids=str,
)
def test_what_it_is_not_defined_for_is_refused_before_the_plan(arms, horizon, start, fact):
    for play in (lambda: simulate(POLICY, arms, horizon, 2), lambda: trace(POLICY, arms, horizon)):
        refused(play, start, fact, "bayes_optimal")
