"""All laws on an interval: the divergence of a law from the nearest law of a higher mean."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from numerics import checks

Floats = npt.NDArray[np.float64]

_LEAST = -100.0  # lower end of ln d: a smaller d changes nothing
_NODES, _REACH = 1_500, 4.0  # of the quadrature: nodes on either side of 1/2, and the range of its variable


def k_inf(values: npt.ArrayLike, weights: npt.ArrayLike, mean: float, high: float = 1.0) -> float:
    """Return K_inf(F, mu): the least divergence of F from a law with mean mu or more and rewards of at most `high`.

    It is the maximum of E[ln(1 - s (X - mu))] over s in [0, 1 / (high - mu)] (Honda and Takemura 2010, theorem 8). The
    function is concave in s. For rewards of 0 and 1 it is the divergence of Bernoulli laws.

    Parameters
    ----------
    values, weights : array_like of float, shape (n,)
        F: its values, at most `high`, and their probabilities, which sum to 1; or nodes and weights of a quadrature.
    mean : float
        mu, at most `high`.
    high : float, default 1
        The largest reward of laws in the class.

    Returns
    -------
    float
        In nats; 0 if the mean of F is mu or more, inf if mu is `high` and F does not always pay `high`.

    Raises
    ------
    ValueError
        A value or mean above `high`, or values and weights of different lengths.

    Examples
    --------
    >>> round(k_inf([0.0, 1.0], [0.7, 0.3], 0.5), 6)  # kl(0.3, 0.5)
    0.082283
    >>> round(k_inf([0.0, 0.5, 1.0], [0.2, 0.6, 0.2], 0.7), 6)
    0.193846
    """
    from scipy.optimize import brentq

    x, w = checks.numbers_in("values", values), checks.numbers_in("weights", weights)
    mean, high = checks.number("mean", mean), checks.number("high", high)
    if x.ndim != 1 or x.shape != w.shape:
        raise ValueError(f"weights must be as many as values; got shapes {w.shape} and {x.shape}")
    for name, most in (("values", x.max(initial=-np.inf)), ("mean", mean)):
        if not most <= high:
            raise ValueError(f"{name} must be at most high = {high:g}; got {most:g}")
    x, w = x[w > 0.0], w[w > 0.0]
    if np.dot(w, x - mean) >= 0.0:
        return 0.0
    if mean == high:
        return np.inf
    # In units of high - mu, y = (X - mu) / (high - mu) <= 1, and the argument is 1 - (1 - d) y for d in [0, 1]. We use
    # below = 1 - y, which is precise for y near 1, because the maximum may be at d = 1e-15.
    y, below = (x - mean) / (high - mean), (high - x) / (high - mean)

    def slope(log_d: float) -> float:
        """Return d times the derivative with respect to d, which changes sign once, from positive to negative."""
        d = math.exp(log_d)
        return float(np.dot(w, d * y / (below + d * y)))

    d = math.exp(brentq(slope, _LEAST, 0.0, xtol=1e-12)) if slope(_LEAST) > 0.0 else math.exp(_LEAST)
    return float(np.dot(w, np.log(below + d * y)))


@functools.cache
def levels() -> tuple[Floats, Floats, Floats]:
    """Return levels u of a quantile function, 1 - u, and weights: the weighted sum of quantiles is a law's mean.

    The trapezoid rule after u = 1 / (1 + exp(-pi sinh(t))), for which singularities at the ends are harmless: Takahasi
    and Mori 1974.
    """
    t = np.linspace(-_REACH, _REACH, 2 * _NODES + 1)
    turned = np.exp(-np.pi * np.sinh(np.abs(t)))
    near, far = turned / (1.0 + turned), 1.0 / (1.0 + turned)  # distances from the nearer and the farther end
    weights = np.cosh(t) * near * far
    u = np.where(t < 0.0, near, far)
    return u, u[::-1].copy(), weights / weights.sum()


def by_quantile(quantile: Callable[[Floats, Floats], Floats]) -> tuple[Floats, Floats]:
    """Return values and weights of a law from its quantile function, which takes u and 1 - u."""
    u, rest, weights = levels()
    return quantile(u, rest), weights
