"""What theory says of a bandit: divergences, the Lai-Robbins constant, regret in closed form."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from bandits.arms import Arms, RandomBernoulli, RandomGaussian


def bernoulli_kl(p: npt.ArrayLike, q: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Return kl(Bernoulli(p), Bernoulli(q)), elementwise, in nats; inf where q cannot make what p does.

    Examples
    --------
    >>> round(float(bernoulli_kl(0.5, 0.3)), 6)
    0.087177
    """
    p_, q_ = np.asarray(p, dtype=np.float64), np.asarray(q, dtype=np.float64)
    with np.errstate(all="ignore"):
        total: npt.NDArray[np.float64] = _part(p_, q_, p_ - q_) + _part(1.0 - p_, 1.0 - q_, q_ - p_)
    return total


def _part(a: npt.NDArray[np.float64], b: npt.NDArray[np.float64], d: npt.NDArray[np.float64]) -> Any:
    """Return a ln(a / b) - d where d = a - b, which is never negative; two of these make a divergence, with no loss."""
    from scipy.special import kl_div

    x = d / b
    series = 1 / 2 - x * (1 / 6 - x * (1 / 12 - x * (1 / 20 - x * (1 / 30 - x / 42))))
    return np.where(np.abs(x) < 0.01, d * x * series, kl_div(a, b))  # where a and b are close, kl_div's terms cancel


def lai_robbins_constant(arms: Arms) -> float:
    """Return the C of the asymptotic lower bound: a consistent policy's regret grows at least as C ln T.

    C = sum over suboptimal arms of gap / kl(mean, best mean): Lai and Robbins 1985, theorem 1; for Gaussian arms
    kl = gap^2 / (2 scale^2). It is a slope for T to infinity, no bound at a finite T.

    Returns
    -------
    float
        NaN where the means are drawn anew in every replication; 0 where all arms are equal or the best mean is 1.

    Examples
    --------
    >>> from bandits.arms import Bernoulli
    >>> round(lai_robbins_constant(Bernoulli([0.9, 0.6])), 4)
    0.9639
    """
    if arms.fixed_means is None:
        return math.nan
    means = np.asarray(arms.fixed_means)
    best = means.max()
    worse = means[means < best]
    gaps = best - worse
    with np.errstate(over="ignore", under="ignore"):  # at the ends of what floats hold the ratio is 0 or inf
        if arms.law == "gaussian":
            return float(np.sum(2.0 * arms.scale * (arms.scale / gaps)))
        return float(np.sum(gaps / bernoulli_kl(worse, best)))


def uniform_regret(arms: Arms) -> float:
    """Return the expected pseudo-regret of one uniformly random pull: best mean minus average mean.

    Where the means are drawn anew in every replication, in expectation over them too; NaN for arms of a user's own
    class whose means are not fixed.

    Examples
    --------
    >>> from bandits.arms import RandomBernoulli
    >>> round(uniform_regret(RandomBernoulli(arms=3)), 6)  # the best of three uniform numbers is 3/4 in the mean
    0.25
    """
    if arms.fixed_means is not None:
        means = np.asarray(arms.fixed_means)
        return float(means.max() - means.mean())
    if isinstance(arms, RandomBernoulli):
        return _mean_of_best(arms) - arms.a / (arms.a + arms.b)
    if isinstance(arms, RandomGaussian):
        from scipy.integrate import quad
        from scipy.special import ndtr

        # The mean of a variable is the integral of P(X > x) over x > 0 minus that of P(X <= x) over x < 0.
        above = quad(lambda x: 1.0 - ndtr(x) ** arms.count, 0.0, np.inf)[0]
        below = quad(lambda x: ndtr(x) ** arms.count, -np.inf, 0.0)[0]
        return float(arms.spread * (above - below))
    return math.nan


def _mean_of_best(arms: RandomBernoulli) -> float:
    """Return the expected largest of K draws from Beta(a, b): the integral of P(best > x) over [0, 1].

    On the axis y = ln(x / (1 - x)), where the law is never narrow at an end; cut at its quantiles, because it may be
    narrow between, and by Gauss and Legendre in each part.
    """
    from scipy.special import betaincc, betainccinv, expit, logit

    with np.errstate(all="ignore"):
        levels = expit(np.linspace(-28.0, 28.0, 57))
        quantiles = logit(betainccinv(arms.a, arms.b, -np.expm1(np.log(levels) / arms.count)))
        cuts = np.unique(np.concatenate([np.linspace(-60.0, 40.0, 101), np.clip(quantiles, -60.0, 40.0)]))
        nodes, weights = np.polynomial.legendre.leggauss(16)
        half = np.diff(cuts)[:, None] / 2.0
        y = cuts[:-1, None] + half * (1.0 + nodes)
        x = expit(y)
        above = -np.expm1(arms.count * np.log1p(-betaincc(arms.a, arms.b, x)))
        return float(np.sum(half * weights * above * x * expit(-y)))
