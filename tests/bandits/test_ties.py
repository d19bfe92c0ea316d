"""Indices that are equal in exact arithmetic tie: in all states of two arms, against 50 digits and fractions."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from bandits import Bernoulli, Policy
from bandits.hooks import IndexRule
from bandits.simulation import replicate_steps
from tests import naive
from tests.bandits.policies import EXAMPLES
from tests.internals import Choice

PULLS = 28  # of both arms together, and the horizon of rules that know it
NEAR = 1e-9  # two indices as close as this are compared in exact arithmetic


def log(x: Fraction) -> Decimal:
    return (Decimal(x.numerator) / Decimal(x.denominator)).ln()


def kl(p: Fraction, q: Decimal) -> Decimal:
    """The divergence; q is a decimal."""
    pairs = ((p, q), (1 - p, 1 - q))
    return sum((Decimal(x.numerator) / x.denominator * (log(x) - y.ln()) for x, y in pairs if x), Decimal(0))


def kl_index(n: int, m: Fraction, level: Decimal, start: float) -> Decimal:
    """The upper root of n kl(m, q) = level, by Newton's iteration from a close start."""
    if m == 1 or level <= 0:
        return Decimal(m.numerator) / m.denominator
    q, p = Decimal(start), Decimal(m.numerator) / m.denominator
    for _ in range(6):
        q -= (kl(m, q) - level / n) * q * (1 - q) / (q - p)
    return q


def exact_index(policy: Policy, n: int, s: int, t: int, near: float, best: Fraction) -> Any:
    """The index of s successes in n pulls, which is near a floating-point number; `best` is the highest mean."""
    m = Fraction(s, n) if n else Fraction(0)
    x = Fraction(PULLS, 2 * n) if n else Fraction(1)
    if policy.name == "greedy":
        return m
    if policy.name == "optimistic":  # a start value of 1 that counts for a pull
        return Fraction(1 + s, 1 + n)
    if policy.name == "puct":
        return m.numerator / Decimal(m.denominator) + Decimal(t - 1).sqrt() / 2 / (1 + n)
    if policy.name == "ucb_e":
        return m.numerator / Decimal(m.denominator) + (Decimal(policy.a) / n).sqrt()
    if policy.name == "imed":
        others = kl(m, Decimal(best.numerator) / best.denominator) if best < 1 else Decimal(0 if m == 1 else "inf")
        return -(n * others + Decimal(n).ln())
    levels = {
        "kl_ucb": lambda: Decimal(t).ln(),
        "kl_ucb_plus": lambda: log(Fraction(t, n)),
        "kl_ucb_plus_plus": lambda: (max(Decimal(0), log(x)) ** 2 + 1).ln() + log(x),
        "kl_ucb_switch": lambda: max(Decimal(0), log(x)),
    }
    level = levels[policy.name]()
    if policy.name == "kl_ucb_switch" and n > math.floor((PULLS / 2) ** 0.2):
        return m.numerator / Decimal(m.denominator) + (level / (2 * n)).sqrt()
    return kl_index(n, m, level, near)


INDICES = [
    policy
    for policy in EXAMPLES
    if isinstance(policy.spec().rule, IndexRule) and policy.spec().chances is None and policy.name != "round_robin"
]  # the index of round_robin is a count, which rounding does not touch


def tables(policy: Policy, choice: Choice, n: int, m: int, t: int) -> tuple[np.ndarray, np.ndarray]:
    """The floating-point index of either arm in all states of n and m pulls, shaped (n + 1, m + 1)."""
    shape = (n + 1, m + 1)
    if policy.name == "imed":  # which leaves arms out, so that its scores are no indices
        means = np.arange(n + 1)[:, None] / n, np.arange(m + 1)[None] / m
        best = np.maximum(*means)
        each = [np.broadcast_to(mean, shape) for mean in means]
        first, second = (
            np.array([naive.imed(k, *pair) for pair in zip(mean.ravel(), best.ravel(), strict=True)]).reshape(shape)
            for k, mean in zip((n, m), each, strict=True)
        )
        return first, second
    scores = choice.scores(t)
    return np.broadcast_to(scores[n][:, None], shape), np.broadcast_to(scores[m][None], shape)


@pytest.mark.sampled(2)
@pytest.mark.jit
@pytest.mark.parametrize("policy", INDICES, ids=str)
def test_no_tie_of_two_arms_is_decided_by_rounding(policy: Policy):
    choice, ties = Choice(policy, 2, PULLS), 0
    least = choice.turns // 2
    for t in range(max(choice.turns, 1) + 1, PULLS + 2):
        for n in range(least, t - least):
            m = t - 1 - n
            first, second = tables(policy, choice, n, m, t)
            chances = choice((n, m), t)[0].reshape(n + 1, m + 1)
            with np.errstate(invalid="ignore"):
                near = (first == second) | (np.abs(first - second) <= NEAR * np.maximum(1.0, np.abs(first)))
            np.testing.assert_array_equal(chances[~near], (first > second)[~near])
            for s, z in np.argwhere(near):
                if (n, s) == (m, z):
                    difference = Decimal(0)
                else:
                    best = max(Fraction(int(s), n or 1), Fraction(int(z), m or 1))
                    with localcontext(prec=50):
                        difference = exact_index(policy, n, int(s), t, first[s, z], best) - exact_index(
                            policy, m, int(z), t, second[s, z], best
                        )
                tie = abs(difference) < Decimal("1e-40")
                assert chances[s, z] == (0.5 if tie else difference > 0), (n, s, m, z)
                ties += tie
    assert ties >= 100, "arms of equal statistics, at least"


@pytest.mark.sampled(2)
@pytest.mark.jit
@pytest.mark.parametrize("policy", INDICES, ids=str)
def test_arms_tie_in_the_simulation_where_they_tie_in_exact_chances(policy: Policy):
    """Whatever the order of the rewards."""
    choice, ties = Choice(policy, 2, PULLS), 0
    for run in range(30):
        _, steps = replicate_steps(policy, Bernoulli([0.5, 0.5]), PULLS, seed=3, run=run)
        pulls = np.cumsum(steps.arm[:, None] == [0, 1], axis=0)
        won = np.cumsum(steps.reward[:, None] * (steps.arm[:, None] == [0, 1]), axis=0)
        for t in range(choice.turns + 1, PULLS):
            (n, m), (s, z) = pulls[t - 1].tolist(), won[t - 1].astype(int)
            first, second = steps.scores[t]
            chance = choice((n, m), t + 1)[0].reshape(n + 1, m + 1)[s, z]
            assert chance == 0.5 * ((first >= second) + 1.0 - (second >= first)), (n, s, m, z)
            ties += chance == 0.5
    assert ties >= 5
