"""The probability that an arm is the best and the expected loss of choosing it, from counts or from means.

The arms' means have independent posteriors with densities f_a and distribution functions F_a:

    P(a is best) = integral of f_a times the product of F_b over all b != a
    loss of a    = E[max over b of theta_b] - E[theta_a]

Both integrals are computed by Gauss-Legendre quadrature on panels whose edges are quantiles of the posteriors, so that
no posterior is too narrow. A panel is halved until its halves agree with the whole to 1e-10. Beta posteriors are
integrated over ln(x / (1 - x)), where their tails are exponential. Thompson sampling chooses
arm a with probability P(a is best).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from numerics import checks

Floats = npt.NDArray[np.float64]
# Of points, as an origin and the distance from it: values of the means, densities and F, both (K, Q).
Law = Callable[[Floats, Floats], tuple[Floats, Floats, Floats]]

_LEVELS = np.array([1e-18, 1e-15, 1e-12, 1e-9, 1e-7, 1e-5, 1e-4, 1e-3, 0.01, 0.1, 0.3, 0.5])
_NODES = 16  # in a panel
_PANELS = 128  # at first, at most
_AT_ONCE = 4_000  # nodes whose densities are in memory
_HALVINGS, _AGREED = 12, 1e-10
_FAR = 500.0  # of ln(x / (1 - x)): beyond it one term of the series of F is exact
_LOWEST, _MOST = 1e-6, 1e9  # of the parameters of a Beta law


@dataclass(frozen=True, eq=False)
class Chances:
    """How likely each arm is the best, and what choosing it costs.

    Attributes
    ----------
    best : ndarray of float64, shape (K,)
        Posterior probability that the arm has the highest mean; they sum to 1.
    loss : ndarray of float64, shape (K,)
        Expected loss of choosing the arm, E[highest mean] - E[its mean], at least 0, in the unit of the rewards.
    """

    best: Floats
    loss: Floats


def compare_rates(successes: Sequence[float], pulls: Sequence[float], alpha: float = 1.0, beta: float = 1.0) -> Chances:
    """Return how likely each arm has the highest success rate, from its counts.

    The rates have independent priors Beta(alpha, beta), so that arm a has the posterior
    Beta(alpha + successes[a], beta + pulls[a] - successes[a]).

    Parameters
    ----------
    successes : sequence of float, shape (K,)
        Number of successes of each arm, from 0 to its pulls; fractions are allowed.
    pulls : sequence of float, shape (K,)
        Number of pulls of each arm, from 0 to 1e9.
    alpha, beta : float, default 1
        The prior of every arm, from 1e-6 to 1e9; Beta(1, 1) is uniform.

    Returns
    -------
    Chances
        Absolute errors are below 1e-9.

    Raises
    ------
    ValueError
        Fewer than two arms, lists of different lengths, or a number out of its range.

    Examples
    --------
    >>> chances = compare_rates(successes=[10, 20, 30, 50], pulls=[100, 102, 120, 130])
    >>> chances.best.round(4).tolist()
    [0.0, 0.0008, 0.0114, 0.9878]
    >>> chances.loss.round(4).tolist()
    [0.2788, 0.1847, 0.1325, 0.0002]
    """
    won, of = _of_arms("successes", successes, "pulls", pulls)
    for arm, (s, n) in enumerate(zip(won, of, strict=True)):
        checks.number(f"pulls[{arm}]", n, 0.0, _MOST)
        checks.number(f"successes[{arm}]", s, 0.0, n)
    alpha = checks.number("alpha", alpha, _LOWEST, _MOST)
    beta = checks.number("beta", beta, _LOWEST, _MOST)
    a = alpha + np.array(won)
    b = beta + np.array(of) - np.array(won)
    quantiles = np.concatenate([_logit_quantiles(a, b), -_logit_quantiles(b, a)[::-1]])
    panels = _panels(np.zeros(a.size), quantiles, np.ones(a.size))
    return _chances(panels, functools.partial(_beta_law, a, b), a / (a + b))


def compare_means(means: Sequence[float], sds: Sequence[float]) -> Chances:
    """Return how likely each arm has the highest mean, where the posteriors are Gaussian.

    Parameters
    ----------
    means : sequence of float, shape (K,)
        Mean of each posterior, such as the average of an arm's rewards.
    sds : sequence of float, shape (K,)
        Standard deviation of each posterior, above 0, such as the standard error of the average.

    Returns
    -------
    Chances
        Absolute errors are below 1e-9, those of the losses in units of the largest standard deviation.

    Raises
    ------
    ValueError
        Fewer than two arms, lists of different lengths, or a number out of its range.

    Examples
    --------
    >>> chances = compare_means(means=[1.2, 1.5, 1.4], sds=[0.1, 0.2, 0.1])
    >>> chances.best.round(4).tolist()
    [0.017, 0.6666, 0.3164]
    >>> chances.loss.round(4).tolist()
    [0.3489, 0.0489, 0.1489]
    """
    centers, spreads = _of_arms("means", means, "sds", sds)
    for arm, (center, spread) in enumerate(zip(centers, spreads, strict=True)):
        checks.number(f"means[{arm}]", center, most=1e100)
        checks.number(f"sds[{arm}]", spread, 0.0, above=True, most=1e100)
    mean, sd = np.array(centers), np.array(spreads)
    unit, shift = sd.max(), mean.max()  # so that neither large nor equal means cost digits
    mean, sd = (mean - shift) / unit, sd / unit
    standardised = _chances(_gaussian_panels(mean, sd), functools.partial(_gaussian_law, mean, sd), mean)
    return Chances(standardised.best, standardised.loss * unit)


def _of_arms(
    first: str, values: Sequence[float], second: str, others: Sequence[float]
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return two lists, by their names, with a number for each of at least two arms."""
    left, right = checks.number_list(first, values), checks.number_list(second, others)
    if len(left) < 2:
        raise ValueError(f"{first} must have at least 2 arms; got {len(left)}")
    if len(right) != len(left):
        raise ValueError(f"{second} must have one number for each of the {len(left)} arms; got {len(right)}")
    return left, right


def _chances(panels: Floats, law: Law, means: Floats) -> Chances:
    """Return the chances of arms: halve the panels whose halves do not agree with the whole.

    A panel has two ends and the origin that they are measured from, which is near a narrow law of its own.
    """
    top = float(means.max())
    parts, total = _integrals(panels, law, top), np.zeros(means.size + 1)
    for _ in range(_HALVINGS):
        low, high, origin = panels
        middle = 0.5 * (low + high)
        halves = np.concatenate([[low, middle, origin], [middle, high, origin]], axis=1)
        finer = _integrals(halves, law, top)
        both = finer[:, : middle.size] + finer[:, middle.size :]
        apart = np.abs(both - parts).max(axis=0) > _AGREED
        total += both[:, ~apart].sum(axis=1)
        panels, parts = halves[:, np.tile(apart, 2)], finer[:, np.tile(apart, 2)]
        if not apart.any():
            break
    total += parts.sum(axis=1)
    return Chances(total[:-1] / total[:-1].sum(), np.maximum(top - means + total[-1], 0.0))


def _integrals(panels: Floats, law: Law, top: float) -> Floats:
    """Return of each panel, (K + 1, P): P(an arm's mean is the largest and in it) by arm, and E[the largest - top]."""
    count = panels.shape[1]
    points, weights = nodes(panels)
    columns = []
    for chosen in np.array_split(np.arange(count), max(1, math.ceil(points.size / _AT_ONCE))):
        values, density, below = law(np.repeat(panels[2, chosen], _NODES), points[chosen].ravel())
        with np.errstate(under="ignore"):
            every = below.prod(axis=0)
            share = np.divide(density * every, below, out=np.zeros_like(below), where=below > 0.0)
            share = (share * weights[chosen].ravel()).reshape(-1, chosen.size, _NODES)
            gain = (share.sum(axis=0) * (values.reshape(chosen.size, _NODES) - top)).sum(axis=-1)
        columns.append(np.vstack([share.sum(axis=-1), gain]))
    return np.concatenate(columns, axis=1)


def nodes(panels: Floats) -> tuple[Floats, Floats]:
    """Return nodes and weights of Gauss-Legendre quadrature, both (P, 16); the first two rows of panels are ends."""
    node, weight = np.polynomial.legendre.leggauss(_NODES)
    half = 0.5 * (panels[1] - panels[0])[:, None]
    points: Floats = panels[0][:, None] + half * (1.0 + node)
    return points, half * weight


def _panels(centers: Floats, offsets: Floats, scales: Floats) -> Floats:
    """Return panels whose edges are quantiles, in the range where the largest mean can be.

    Quantiles are offsets, of shape (levels, K), from the centers of their laws. So they differ for a law that is too
    narrow for `center + offset`. The origin of a panel is the center of the narrower law at its edges.
    """
    points = centers + offsets
    kept = (points >= points[0].max()) & (points <= points[-1].max())
    law, distance, point = np.nonzero(kept)[1], offsets[kept], points[kept]
    order = np.lexsort((distance, point))
    if order.size > _PANELS:
        order = order[np.unique(np.linspace(0, order.size - 1, _PANELS).astype(int))]
    law, distance = law[order], distance[order]
    before, after = law[:-1], law[1:]
    origins = centers[np.where(scales[before] <= scales[after], before, after)]
    ends = [distance[:-1] + (centers[before] - origins), distance[1:] + (centers[after] - origins)]
    panels: Floats = np.stack([*ends, origins])
    return panels[:, panels[0] != panels[1]]


def _gaussian_panels(mean: Floats, sd: Floats) -> Floats:
    from scipy.special import ndtri

    levels = ndtri(_LEVELS)
    return _panels(mean, np.concatenate([levels, -levels[::-1]])[:, None] * sd, sd)


def _gaussian_law(mean: Floats, sd: Floats, origins: Floats, distances: Floats) -> tuple[Floats, Floats, Floats]:
    from scipy.special import ndtr

    with np.errstate(under="ignore", over="ignore"):
        z = (origins - mean[:, None] + distances) / sd[:, None]
        density = np.exp(-0.5 * z * z) / (math.sqrt(2.0 * math.pi) * sd[:, None])
    return origins + distances, density, ndtr(z)


def _logit_quantiles(a: Floats, b: Floats) -> Floats:
    """Return ln(x / (1 - x)) at the lower quantiles x of Beta(a, b), of shape (levels, K)."""
    from scipy.special import betaincinv, betaln, logit

    x = betaincinv(a, b, _LEVELS[:, None])
    far = (np.log(_LEVELS)[:, None] + np.log(a) + betaln(a, b)) / a  # where F = x^a / (a B(a, b)), also below 1e-308
    with np.errstate(divide="ignore"):
        y = np.where(x > 1e-200, logit(np.minimum(x, 1.0 - 1e-16)), far)
    return np.sort(y, axis=0)


def _beta_law(a: Floats, b: Floats, origins: Floats, points: Floats) -> tuple[Floats, Floats, Floats]:
    """Return x, and of Beta laws the densities of ln(x / (1 - x)) and the distribution functions at points of it."""
    from scipy.special import expit

    return expit(points), _beta_density(a[:, None], b[:, None], points), _beta_below(a[:, None], b[:, None], points)


def _beta_density(a: Floats, b: Floats, y: Floats) -> Floats:
    """Return the density of y = ln(x / (1 - x)), from its height at the mean of x, so that 1e9 pulls cost no digit."""
    from scipy.special import log_expit

    n = a + b
    p, log_p, log_q = a / n, -np.log1p(b / a), -np.log1p(a / b)
    d = y - (log_p - log_q)
    near = a * d - n * np.log1p(p * np.expm1(np.clip(d, -1.0, 1.0)))
    log = np.where(np.abs(d) < 1.0, near, a * (log_expit(y) - log_p) + b * (log_expit(-y) - log_q))
    height = 0.5 * np.log(a * (b / n) / (2.0 * math.pi)) + _stirling(n) - _stirling(a) - _stirling(b)
    with np.errstate(under="ignore"):
        density: Floats = np.exp(log + height)
    return density


def _stirling(z: Floats) -> Floats:
    """Return ln Gamma(z) less (z - 1/2) ln z - z + ln(2 pi) / 2."""
    from scipy.special import gammaln

    small = np.minimum(z, 16.0)
    exact = gammaln(small) - ((small - 0.5) * np.log(small) - small + 0.5 * math.log(2.0 * math.pi))
    inverse = 1.0 / np.maximum(z, 16.0)
    square = inverse * inverse
    series = inverse * (1.0 / 12.0 - square * (1.0 / 360.0 - square * (1.0 / 1260.0 - square / 1680.0)))
    return np.where(z < 16.0, exact, series)


def _beta_below(a: Floats, b: Floats, y: Floats) -> Floats:
    """Return the distribution functions at x = 1 / (1 + exp(-y))."""
    from scipy.special import betainc, betaln, expit

    beta = betaln(a, b)
    with np.errstate(under="ignore", over="ignore"):
        tail = betainc(np.where(y < 0.0, a, b), np.where(y < 0.0, b, a), expit(-np.abs(y)))
        below = np.where(y < 0.0, tail, 1.0 - tail)
        below = np.where(y < -_FAR, np.exp(np.minimum(a * y - np.log(a) - beta, 0.0)), below)
        return np.where(y > _FAR, -np.expm1(np.minimum(-b * y - np.log(b) - beta, 0.0)), below)


def block_of_thompson(alpha: float, beta: float, pulls: tuple[int, ...]) -> Floats:
    """Return the probability that Thompson sampling pulls each arm, in all states of a block of `bandits.exact`.

    The arms have those pulls and the prior Beta(alpha, beta). In the state (s_1, ..., s_K) arm a has s_a successes,
    from 0 to its pulls; the last arm's vary fastest. All states share the nodes, so that each law is computed once.

    Returns
    -------
    ndarray of float64, shape (K, states)

    Examples
    --------
    >>> block_of_thompson(1.0, 1.0, (0, 0, 1)).round(3).tolist()  # (1, 1), (1, 1) and (1, 2) or (2, 1)
    [[0.417, 0.25], [0.417, 0.25], [0.167, 0.5]]
    """
    size = 2 ** math.ceil(math.log2(sum(pulls) + len(pulls) * (alpha + beta)))
    weights = nodes(_wide_panels(alpha, beta, size))[1].ravel()
    laws = [_laws_of_counts(alpha, beta, n, size) for n in pulls]
    products = []
    for arm in range(len(pulls) - 1):
        others = [density * weights if a == arm else below for a, (density, below) in enumerate(laws)]
        product = others[0]
        for other in others[1:-1]:
            product = (product[:, None] * other).reshape(-1, weights.size)
        products.append((product @ others[-1].T).ravel())
    return np.vstack([products, np.maximum(1.0 - np.sum(products, axis=0), 0.0)])


def _wide_panels(alpha: float, beta: float, size: int) -> Floats:
    """Return panels for products of laws of Beta(alpha + s, beta + n - s), n <= size, over ln(x / (1 - x)).

    No such product is narrower than 2 / sqrt(size), a fifth of a panel's width near 0. Beyond ln(size) + 1 they fall
    like exp(alpha y) and exp(-beta y), and the panels grow.
    """
    low = float(_logit_quantiles(np.array([alpha]), np.array([beta + size]))[0, 0])
    high = -float(_logit_quantiles(np.array([beta]), np.array([alpha + size]))[0, 0])
    middle = math.log(size) + 1.0
    begin, end = np.clip([low, high], -middle, middle)
    edges = np.linspace(begin, end, math.ceil(0.1 * (end - begin) * math.sqrt(size)) + 1)
    grown = 3.0 * (2.0 ** np.arange(1, 50) - 1.0)
    edges = np.unique(np.concatenate([[low, high], edges, begin - grown, end + grown]))
    edges = edges[(edges >= low) & (edges <= high)]
    return np.stack([edges[:-1], edges[1:]])


@functools.lru_cache(maxsize=1_024)
def _laws_of_counts(alpha: float, beta: float, pulls: int, size: int) -> tuple[Floats, Floats]:
    """Return densities and distribution functions of an arm at the nodes, a row for each number of successes."""
    points = nodes(_wide_panels(alpha, beta, size))[0].ravel()
    s = np.arange(pulls + 1.0)[:, None]
    a, b = alpha + s, beta + pulls - s
    return _beta_density(a, b, points), _beta_below(a, b, points)
