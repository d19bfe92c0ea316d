"""How often arms must be shown: the formula, and what a simulation of the choice says."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
import pytest
from scipy.special import ndtr

from bandits.logs.size import impressions_of_each

pytestmark = pytest.mark.jit  # no kernel is called
REPLICATIONS = 40_000


def wrong_share(means, shown, within=0.0):
    """Return how often the arm of the best mean is no right choice; ties are broken at random."""
    chance = np.random.default_rng(5)
    successes = chance.binomial(shown, means, size=(REPLICATIONS, len(means)))
    chosen = (successes + chance.random(successes.shape)).argmax(axis=1)
    right = np.asarray(means) >= (1.0 - within) * max(means)
    return 1.0 - right[chosen].mean()


@pytest.mark.sampled(7)
@pytest.mark.parametrize(
    ("means", "least"),
    [
        ((0.1, 0.2), 0.9),
        ((0.45, 0.55), 0.9),
        ((0.004, 0.006), 0.9),
        ((0.02, 0.03, 0.05), 0.8),
        ((0.01, 0.01, 0.01, 0.02), 0.6),
        (tuple(np.linspace(0.2, 0.5, 10)), 0.6),
        ((*[0.01] * 30, 0.02), 0.4),
    ],
)
@pytest.mark.parametrize("miss", [0.05, 0.2])
def test_the_choice_is_wrong_at_most_as_often_and_not_much_more_rarely(means, least, miss):
    share = wrong_share(means, impressions_of_each(means, miss))
    assert least * miss <= share <= 1.08 * miss  # the normal approximation, and 40,000 replications


def test_of_two_arms_it_is_the_textbooks_number():
    p, q, z = 0.3, 0.25, NormalDist().inv_cdf(0.95)
    exact = z**2 * (p * (1 - p) + q * (1 - q)) / (p - q) ** 2
    assert impressions_of_each([p, q]) == math.ceil(exact)
    assert impressions_of_each([q, p], 0.01) == math.ceil(exact * (NormalDist().inv_cdf(0.99) / z) ** 2)


def test_an_arm_that_is_nearly_as_good_may_be_chosen():
    means = [0.1, 0.095, 0.05]
    nearly = impressions_of_each(means, within=0.1)
    assert nearly == impressions_of_each([0.1, 0.05])
    assert nearly < impressions_of_each(means)
    assert wrong_share(means, nearly, 0.1) <= 0.054
    assert impressions_of_each(means, within=0.6) is None


def test_the_ends():
    assert impressions_of_each([0.0, 1.0]) == 1
    assert impressions_of_each([0.0, 0.0]) is None
    assert impressions_of_each([0.5, 0.5 - 1e-9]) > 1e17
    signal = (0.5 - 0.4) / np.sqrt(0.5 * 0.5 + 0.4 * 0.6)
    for shown in (1, 4, 7):  # a number that just misses no more often than may be is enough
        assert impressions_of_each([0.5, 0.4], miss=float(ndtr(-signal * np.sqrt(shown)))) == shown
    assert impressions_of_each([0.5, np.nextafter(0.5, 0.0)]) > 1e29
