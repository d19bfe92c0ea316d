"""Arms of every law, each with SciPy's law of each arm: a new law is tested by having its row here."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import stats

from bandits import (
    Arms,
    Bernoulli,
    Beta,
    Binomial,
    CustomArms,
    Exponential,
    Finite,
    Gaussian,
    Mixture,
    Poisson,
    RandomBernoulli,
    RandomGaussian,
    Uniform,
)


def table(values: list[float], probabilities: list[float]) -> Any:
    """Return a finite law of SciPy's, over the numbers of the values; `values` are kept beside it."""
    law = stats.rv_discrete(values=(np.arange(len(values)), probabilities))
    law.paid = np.array(values)
    return law


def _bernoulli(mean: float) -> Any:
    return table([0.0, 1.0], [1.0 - mean, mean])


def _beta(mean: float, c: float) -> Any:
    return stats.beta(c * mean, c * (1.0 - mean))


def _binomial(mean: float, n: int) -> Any:
    return table([k / n for k in range(n + 1)], stats.binom(n, mean).pmf(np.arange(n + 1)).tolist())


SHARES = [[0.5, 0.3, 0.2], [0.2, 0.2, 0.6]]
FIXED: list[tuple[Arms, list[Any]]] = [
    (Bernoulli([0.3, 0.6]), [_bernoulli(0.3), _bernoulli(0.6)]),
    (Gaussian([0.1, 0.5], scale=0.7), [stats.norm(0.1, 0.7), stats.norm(0.5, 0.7)]),
    (Beta([0.4, 0.6], concentration=3.0), [_beta(0.4, 3.0), _beta(0.6, 3.0)]),
    (Binomial([0.3, 0.55], trials=4), [_binomial(0.3, 4), _binomial(0.55, 4)]),
    (Exponential([1.0, 1.7]), [stats.expon(scale=1.0), stats.expon(scale=1.7)]),
    (Poisson([3.0, 4.0]), [table(list(range(60)), stats.poisson(m).pmf(np.arange(60)).tolist()) for m in (3.0, 4.0)]),
    (Uniform([0.2, 0.4]), [stats.uniform(0.0, 0.4), stats.uniform(0.0, 0.8)]),
    (Finite([0.0, 0.5, 1.0], SHARES), [table([0.0, 0.5, 1.0], own) for own in SHARES]),
    (Finite([[-1.0, 2.0], [0.0, 1.0, 1.5]]), [table([-1.0, 2.0], [0.5] * 2), table([0.0, 1.0, 1.5], [1 / 3] * 3)]),
    (
        Mixture([Bernoulli([0.3]), Beta([0.5], concentration=4.0), Uniform([0.4]), Binomial([0.6], trials=5)]),
        [_bernoulli(0.3), _beta(0.5, 4.0), stats.uniform(0.0, 0.8), _binomial(0.6, 5)],
    ),
    (
        Mixture([Gaussian([0.2, 0.6], scale=0.5), Finite([[0.0, 3.0]], [[0.8, 0.2]]), Exponential([0.5])]),
        [stats.norm(0.2, 0.5), stats.norm(0.6, 0.5), table([0.0, 3.0], [0.8, 0.2]), stats.expon(scale=0.5)],
    ),
    (Mixture([Gaussian([0.2], scale=0.5), Gaussian([0.6], scale=2.0)]), [stats.norm(0.2, 0.5), stats.norm(0.6, 2.0)]),
    (CustomArms([0.3, 0.6], law="bandits.arms.bernoulli.bernoulli"), [_bernoulli(0.3), _bernoulli(0.6)]),
]
RANDOM: list[Arms] = [RandomBernoulli(arms=3), RandomGaussian(arms=3)]
CHANGING = {"piecewise", "drift", "sine", "abrupt_best"}  # in tests.bandits.test_worlds
CONTEXTUAL = {"linear", "logistic"}  # in tests.bandits.test_contexts
NOT_HERE = {"from_log"} | CHANGING | CONTEXTUAL  # Bernoulli arms of a file


def moments(law: Any) -> tuple[float, float]:
    """Return mean and standard deviation of a law."""
    if not hasattr(law, "paid"):
        return float(law.mean()), float(law.std())
    shares = law.pmf(np.arange(law.paid.size))
    mean = float(np.dot(shares, law.paid))
    return mean, float(np.sqrt(np.dot(shares, (law.paid - mean) ** 2)))
