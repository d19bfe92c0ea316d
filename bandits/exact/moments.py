"""Exact expectations over all states of a policy: gain, regret, most pulled and recommended arm."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from bandits.exact.choices import Floats, Pulls
from bandits.exact.states import Layer
from bandits.kernels.indices.beta_order import chance_first_is_larger
from bandits.policies.base import Policy

_SUCCESSES = ((0, 0), (2, 0), (1, 1), (0, 2), (1, 0), (0, 1))  # additional successes of the two arms


@dataclass(frozen=True)
class Moments:
    """Moments of a policy after T pulls.

    Attributes
    ----------
    gain_mean, gain_sd : float
        Mean and standard deviation of the sum of rewards.
    regret_mean, regret_sd : float
        Mean and standard deviation of the pseudo-regret, the sum over arms of gap times pulls.
    best_arm_most_pulled : float
        Probability that a best arm has the most pulls; arms tied for the most pulls share it equally.
    """

    gain_mean: float
    gain_sd: float
    regret_mean: float
    regret_sd: float
    best_arm_most_pulled: float


@dataclass(frozen=True)
class Recommendation:
    """The arm that a policy recommends after T pulls.

    Attributes
    ----------
    wrong : float
        Probability that its mean is not the best.
    simple_regret : float
        Mean of the best mean less its mean.
    """

    wrong: float
    simple_regret: float


def at_means(layer: Layer, means: Sequence[float]) -> Moments:
    """Return the moments at given means, each in [0, 1].

    Examples
    --------
    >>> from bandits import Random
    >>> from bandits.exact.states import layers
    >>> *_, last = layers(Random(), arms=2, horizon=10)
    >>> moments = at_means(last, [0.3, 0.5])
    >>> round(moments.gain_mean, 12), round(moments.regret_mean, 12)
    (4.0, 1.0)
    """
    best = max(means)
    total, gain, gains, regret, regrets, most = (0.0,) * 6
    for pulls, weights in layer.items():
        factors = [_factors(n, mean) for n, mean in zip(pulls, means, strict=True)]
        counts = [np.arange(n + 1.0) for n in pulls]
        plain = _sum_of_products(weights, factors)
        first_moments = [_sum_of_products(weights, _times(factors, {a: counts[a]})) for a in range(len(pulls))]
        second_moments = sum(
            _sum_of_products(weights, _times(factors, {a: counts[a] ** 2} if a == b else {a: counts[a], b: counts[b]}))
            for a in range(len(pulls))
            for b in range(len(pulls))
        )
        loss = sum((best - mean) * n for n, mean in zip(pulls, means, strict=True))
        leaders = [mean for n, mean in zip(pulls, means, strict=True) if n == max(pulls)]
        total, gain, gains = total + plain, gain + sum(first_moments), gains + second_moments
        regret, regrets = regret + loss * plain, regrets + loss * loss * plain
        most += plain * sum(mean == best for mean in leaders) / len(leaders)
    assert math.isclose(total, 1.0, rel_tol=1e-9), total
    return Moments(gain, _spread(gains, gain), regret, _spread(regrets, regret), most)


def recommendation_at_means(layer: Layer, policy: Policy, means: Sequence[float]) -> Recommendation:
    """Return how good the recommended arm is at given means, each in [0, 1].

    The recommended arm is that of `identify_best`. It has the highest estimate, and ties go to the arm with the most
    pulls. Policies that recommend by pulls compare pulls first and estimates second. Arms equal in both share the
    recommendation.

    Examples
    --------
    >>> from bandits import RoundRobin
    >>> from bandits.exact.states import layers
    >>> *_, last = layers(RoundRobin(), arms=2, horizon=2)
    >>> recommendation_at_means(last, RoundRobin(), [0.25, 0.75])  # of like rewards half of the time
    Recommendation(wrong=0.25, simple_regret=0.125)
    """
    regrets = max(means) - np.asarray(means)
    wrong = simple_regret = 0.0
    for pulls, weights in layer.items():
        shares = _recommendation_probabilities(pulls, policy)
        factors = [_factors(n, mean) for n, mean in zip(pulls, means, strict=True)]
        wrong += _sum_of_products(weights * np.tensordot(regrets > 0.0, shares, 1), factors)
        simple_regret += _sum_of_products(weights * np.tensordot(regrets, shares, 1), factors)
    return Recommendation(wrong, simple_regret)


def _recommendation_probabilities(pulls: Pulls, policy: Policy) -> Floats:
    """Return the probability that each arm is recommended in every state of a block, float64 of shape (K, ...).

    As `kernels.step.recommend` finds it: arms that are equal in estimates and pulls share it.
    """
    estimates = policy.spec().estimates
    weight, start = estimates.prior_pulls, estimates.prior_pulls * estimates.initial
    known = [
        (start + np.arange(n + 1.0)) / (weight + n) if weight + n else np.full(1, estimates.initial) for n in pulls
    ]
    estimate = np.stack(np.meshgrid(*known, indexing="ij"))
    count = np.broadcast_to(np.reshape(np.array(pulls, dtype=np.float64), (-1, *[1] * len(pulls))), estimate.shape)
    first, second = (count, estimate) if policy.by_pulls else (estimate, count)
    leads = first == first.max(axis=0)
    second = np.where(leads, second, -np.inf)
    best = leads & (second == second.max(axis=0))
    shares: Floats = best / best.sum(axis=0)
    return shares


def regret_on_grid(layer: Layer, grid: Floats) -> Floats:
    """Return the mean pseudo-regret for every pair of means of two arms on a grid, float64 of shape (G, G).

    Examples
    --------
    >>> from bandits import UCB
    >>> from bandits.exact.states import layers
    >>> *_, last = layers(UCB(), arms=2, horizon=20)
    >>> bool(np.isclose(regret_on_grid(last, np.array([0.3, 0.5]))[0, 1], at_means(last, [0.3, 0.5]).regret_mean))
    True
    """
    pulled = np.zeros((2, len(grid), len(grid)))  # expected pulls of each arm
    for pulls, weights in layer.items():
        first, second = (np.stack([_factors(n, mean) for mean in grid]) for n in pulls)
        chance = first @ weights @ second.T
        pulled += np.array(pulls, dtype=np.float64)[:, None, None] * chance
    gaps = grid[None, :] - grid[:, None]
    regret: Floats = np.maximum(gaps, 0.0) * pulled[0] + np.maximum(-gaps, 0.0) * pulled[1]
    return regret


def over_prior(layer: Layer, alpha: float = 1.0, beta: float = 1.0) -> Moments:
    """Return the moments of Bayesian gain and regret, with the means of two arms drawn from Beta(alpha, beta).

    A state does not reveal which arm is best. Given its counts, the means X and Y have Beta posteriors, and

        E[X^2; X > Y] = E[X^2] P(X'' > Y)      E[X Y; X > Y] = E[X] E[Y] P(X' > Y')      P as in `beta_order`

    where each ' stands for an additional success.

    Examples
    --------
    >>> from bandits import BayesOptimal
    >>> from bandits.exact.states import layers
    >>> *_, last = layers(BayesOptimal(), arms=2, horizon=6)
    >>> round(120 * over_prior(last).gain_mean, 9)
    421.0
    """
    gain, gains, regrets, most, best = (0.0,) * 5
    for (n, m), weights in layer.items():
        factors = [_beta_factors(k, alpha, beta) for k in (n, m)]
        chance = weights * factors[0][:, None] * factors[1]
        i, k = np.arange(n + 1.0)[:, None], np.arange(m + 1.0)
        gain, gains = gain + float((chance * (i + k)).sum()), gains + float((chance * (i + k) ** 2).sum())
        a, b, c, d = alpha + i, beta + n - i, alpha + k, beta + m - k
        ahead_of = [_probability_of_larger((n, m), more, alpha, beta) for more in _SUCCESSES]
        x, y = a / (a + b), c / (c + d)
        xx, yy = x * (a + 1.0) / (a + b + 1.0), y * (c + 1.0) / (c + d + 1.0)
        ahead = xx * ahead_of[1] - 2.0 * x * y * ahead_of[2] + yy * ahead_of[3]  # E[(X - Y)^2; X > Y]
        behind = xx - 2.0 * x * y + yy - ahead
        regrets += float((chance * (ahead * m * m + behind * n * n)).sum())
        best += float((chance * (x * ahead_of[4] + y * (1.0 - ahead_of[5]))).sum())
        most += float((chance * (ahead_of[0] if n > m else 1.0 - ahead_of[0] if n < m else 0.5)).sum())
    horizon = sum(next(iter(layer)))
    regret = horizon * best - gain
    return Moments(gain, _spread(gains, gain), regret, _spread(regrets, regret), most)


def recommendation_over_prior(layer: Layer, policy: Policy, alpha: float = 1.0, beta: float = 1.0) -> Recommendation:
    """Return how good the recommended arm is, with the means of two arms drawn from Beta(alpha, beta).

    Examples
    --------
    >>> from bandits import RoundRobin
    >>> from bandits.exact.states import layers
    >>> *_, last = layers(RoundRobin(), arms=2, horizon=2)
    >>> after = recommendation_over_prior(last, RoundRobin())  # wrong: 1/6 after unlike rewards, 1/2 after like ones
    >>> round(3 * after.wrong, 9), round(12 * after.simple_regret, 9)
    (1.0, 1.0)
    """
    wrong = simple_regret = 0.0
    for (n, m), weights in layer.items():
        factors = [_beta_factors(k, alpha, beta) for k in (n, m)]
        chance, (one, other) = weights * factors[0][:, None] * factors[1], _recommendation_probabilities((n, m), policy)
        i, k = np.arange(n + 1.0)[:, None], np.arange(m + 1.0)
        x, y = (alpha + i) / (alpha + beta + n), (alpha + k) / (alpha + beta + m)
        ahead = _probability_of_larger((n, m), (0, 0), alpha, beta)
        best = x * _probability_of_larger((n, m), (1, 0), alpha, beta) + y * (
            1.0 - _probability_of_larger((n, m), (0, 1), alpha, beta)
        )
        wrong += float((chance * (one * (1.0 - ahead) + other * ahead)).sum())
        simple_regret += float((chance * (best - one * x - other * y)).sum())
    return Recommendation(wrong, simple_regret)


def _probability_of_larger(pulls: tuple[int, int], more: tuple[int, int], alpha: float, beta: float) -> Floats:
    """Return P(X > Y) in every state of a block, with `more` additional successes of the arms."""
    n, m = pulls[0] + more[0], pulls[1] + more[1]
    i, k = np.meshgrid(np.arange(more[0], n + 1.0), np.arange(more[1], m + 1.0), indexing="ij")
    states, out = i.size, np.empty(i.size)
    counts = np.repeat([float(n), float(m)], states)
    means = np.concatenate([(i / max(n, 1)).ravel(), (k / max(m, 1)).ravel()])
    write_chances: Any = chance_first_is_larger
    write_chances(counts, means, states, alpha, beta, out)
    return out.reshape(i.shape)


def _factors(pulls: int, mean: float) -> Floats:
    """Return (2 mu)^s (2 (1 - mu))^(n - s) for s = 0, ..., n."""
    s = np.arange(pulls + 1)
    factors: Floats = (2.0 * mean) ** s * (2.0 * (1.0 - mean)) ** (pulls - s)
    return factors


def _beta_factors(pulls: int, alpha: float, beta: float) -> Floats:
    """Return the mean of `_factors` over Beta(alpha, beta): beta-binomial over binomial(1/2) probabilities.

    Both come from ratios of neighbours: logarithms of gamma functions would lose three digits after 1,000 pulls.
    """
    s = np.arange(float(pulls))
    even = (pulls - s) / (s + 1.0)
    ratio: Floats = _law(even * (alpha + s) / (beta + pulls - s - 1.0)) / _law(even)
    return ratio


def _law(ratios: Floats) -> Floats:
    """Return probabilities p_0, ..., p_n from their ratios p_(s + 1) / p_s, multiplied outwards from the largest."""
    top = int(np.concatenate([[0.0], np.log(ratios).cumsum()]).argmax())
    below, above = np.cumprod(1.0 / ratios[:top][::-1])[::-1], np.cumprod(ratios[top:])
    law: Floats = np.concatenate([below, [1.0], above])
    law /= law.sum()
    return law


def _times(factors: list[Floats], more: dict[int, Floats]) -> list[Floats]:
    return [factor * more[a] if a in more else factor for a, factor in enumerate(factors)]


def _sum_of_products(weights: Floats, factors: list[Floats]) -> float:
    """Return the sum over all states of the weight times a factor for each arm."""
    rest: npt.NDArray[np.float64] = weights
    for factor in factors[::-1]:
        rest = rest @ factor
    return float(rest)


def _spread(second: float, mean: float) -> float:
    return math.sqrt(max(0.0, second - mean * mean))
