"""What theory says of a bandit: divergences, the Lai-Robbins constant, regret in closed form."""

from __future__ import annotations

import math

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
    from scipy.special import rel_entr

    p_, q_ = np.asarray(p, dtype=np.float64), np.asarray(q, dtype=np.float64)
    with np.errstate(all="ignore"):
        # Two terms of the Taylor series where p and q are so close that the exact terms cancel.
        d, room = p_ - q_, q_ * (1.0 - q_)
        near = d**2 / (2.0 * room) * (1.0 - d * (1.0 - 2.0 * q_) / (3.0 * room))
        total: npt.NDArray[np.float64] = rel_entr(p_, q_) + rel_entr(1.0 - p_, 1.0 - q_)
        return np.where(np.abs(d) < 1e-6 * room, near, total)


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
    divergence = bernoulli_kl(worse, best) if arms.law == "bernoulli" else 0.5 * (gaps / arms.scale) ** 2
    return float(np.sum(gaps / divergence))


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
    from scipy.integrate import quad
    from scipy.special import betainc, ndtr

    # The mean of a variable is the integral of P(X > x) over x > 0 minus that of P(X <= x) over x < 0.
    if isinstance(arms, RandomBernoulli):
        best = quad(lambda x: 1.0 - betainc(arms.a, arms.b, x) ** arms.count, 0.0, 1.0, limit=200)[0]
        return float(best - arms.a / (arms.a + arms.b))
    if isinstance(arms, RandomGaussian):
        above = quad(lambda x: 1.0 - ndtr(x) ** arms.count, 0.0, np.inf)[0]
        below = quad(lambda x: ndtr(x) ** arms.count, -np.inf, 0.0)[0]
        return float(arms.spread * (above - below))
    return math.nan
