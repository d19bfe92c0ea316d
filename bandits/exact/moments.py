"""Expectations over all that a policy can meet: gain, regret, the arm most pulled; at some means or over a prior."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from bandits.exact.choices import Floats
from bandits.exact.states import Layer
from bandits.kernels.beta_order import chance_first_is_larger

_SUCCESSES = ((0, 0), (2, 0), (1, 1), (0, 2), (1, 0), (0, 1))  # more of each arm


@dataclass(frozen=True)
class Moments:
    """What is expected of a policy after T pulls.

    Attributes
    ----------
    gain_mean, gain_sd : float
        Of the sum of rewards.
    regret_mean, regret_sd : float
        Of the pseudo-regret, sum over arms of gap times pulls.
    best_arm_most_pulled : float
        Probability that a best arm has the most pulls; arms with equally many share.
    """

    gain_mean: float
    gain_sd: float
    regret_mean: float
    regret_sd: float
    best_arm_most_pulled: float


def at_means(layer: Layer, means: Sequence[float]) -> Moments:
    """Return the moments at some means, each in [0, 1].

    Examples
    --------
    >>> from bandits import Random
    >>> from bandits.exact.states import layers
    >>> *_, last = layers(Random(), arms=2, horizon=10)
    >>> found = at_means(last, [0.3, 0.5])
    >>> round(found.gain_mean, 12), round(found.regret_mean, 12)
    (4.0, 1.0)
    """
    best = max(means)
    total, gain, gains, regret, regrets, most = (0.0,) * 6
    for pulls, weights in layer.items():
        factors = [_factors(n, mean) for n, mean in zip(pulls, means, strict=True)]
        counts = [np.arange(n + 1.0) for n in pulls]
        plain = _summed(weights, factors)
        one = [_summed(weights, _times(factors, {a: counts[a]})) for a in range(len(pulls))]
        two = sum(
            _summed(weights, _times(factors, {a: counts[a] ** 2} if a == b else {a: counts[a], b: counts[b]}))
            for a in range(len(pulls))
            for b in range(len(pulls))
        )
        loss = sum((best - mean) * n for n, mean in zip(pulls, means, strict=True))
        leaders = [mean for n, mean in zip(pulls, means, strict=True) if n == max(pulls)]
        total, gain, gains = total + plain, gain + sum(one), gains + two
        regret, regrets = regret + loss * plain, regrets + loss * loss * plain
        most += plain * sum(mean == best for mean in leaders) / len(leaders)
    assert math.isclose(total, 1.0, rel_tol=1e-9), total
    return Moments(gain, _spread(gains, gain), regret, _spread(regrets, regret), most)


def regret_on_grid(layer: Layer, grid: Floats) -> Floats:
    """Return the mean pseudo-regret of two arms at every pair of a grid of means, float64 of shape (G, G).

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
    found: Floats = np.maximum(gaps, 0.0) * pulled[0] + np.maximum(-gaps, 0.0) * pulled[1]
    return found


def over_prior(layer: Layer, alpha: float = 1.0, beta: float = 1.0) -> Moments:
    """Return the moments where the means of two arms are drawn from Beta(alpha, beta): Bayesian gain and regret.

    What is best is not known in a state; given its counts both means have Beta laws, X and Y, and for X > Y

        E[X^2; X > Y] = E[X^2] P(X'' > Y)      E[X Y; X > Y] = E[X] E[Y] P(X' > Y')      P as in `beta_order`

    where each ' is a success more.

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
        ahead_of = [_larger((n, m), more, alpha, beta) for more in _SUCCESSES]
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


def _larger(pulls: tuple[int, int], more: tuple[int, int], alpha: float, beta: float) -> Floats:
    """Return P(X > Y) in every state of a block, after some more successes of each."""
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
    found: Floats = (2.0 * mean) ** s * (2.0 * (1.0 - mean)) ** (pulls - s)
    return found


def _beta_factors(pulls: int, alpha: float, beta: float) -> Floats:
    """Return the mean of `_factors` over Beta(alpha, beta): a beta-binomial law over the binomial one of mean 1/2.

    Both by the ratios of neighbours: logarithms of gamma functions would cost three digits after 1,000 pulls.
    """
    s = np.arange(float(pulls))
    even = (pulls - s) / (s + 1.0)
    found: Floats = _law(even * (alpha + s) / (beta + pulls - s - 1.0)) / _law(even)
    return found


def _law(ratios: Floats) -> Floats:
    """Return probabilities p_0, ..., p_n whose neighbours have the ratios p_(s + 1) / p_s, from the largest one out."""
    top = int(np.concatenate([[0.0], np.log(ratios).cumsum()]).argmax())
    below, above = np.cumprod(1.0 / ratios[:top][::-1])[::-1], np.cumprod(ratios[top:])
    found: Floats = np.concatenate([below, [1.0], above])
    found /= found.sum()
    return found


def _times(factors: list[Floats], more: dict[int, Floats]) -> list[Floats]:
    return [one * more[a] if a in more else one for a, one in enumerate(factors)]


def _summed(weights: Floats, factors: list[Floats]) -> float:
    """Return the sum over all states of weight times one factor an arm."""
    rest: npt.NDArray[np.float64] = weights
    for factor in factors[::-1]:
        rest = rest @ factor
    return float(rest)


def _spread(second: float, mean: float) -> float:
    return math.sqrt(max(0.0, second - mean * mean))
