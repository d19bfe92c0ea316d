r"""Usual laws fitted to the length of a game, by maximum likelihood, and whether they fit.

All games won by the same side have lengths of the same parity: 7, 9, 11 ... plies for the side that began, 8, 10, 12
... for the other. Every law is therefore discretised on the admissible plies x_0, x_0 + d, ..., x_m and truncated to
them. The step d is 2 for one winner and 1 for both together. A continuous law with distribution function F gives x the
probability F(x + d/2) - F(x - d/2). A law on 0, 1, 2 ... gives x the probability of (x - x_0) / d. Each is divided by
the sum over all admissible plies.

Pearson's chi-square tests a law, with neighbouring plies pooled until each group expects at least 5 games. With enough
games the test rejects every law that is not exactly true. The total-variation distance, half the sum of
`|share observed - share expected|`, measures how far off a law is: the share of games that would need another length.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

LEVEL = 0.01  # of the test: a law with a smaller p-value is rejected
EXPECTED = 5.0  # least expected games in a group
FEWEST = 50  # games; no law is fitted to fewer
GROUPS = {"first": 1, "second": -1, "both": 0}  # whose wins: the sign of the winner in a table of lengths

Floats = npt.NDArray[np.float64]
_Cut = Callable[[Floats, float, Sequence[float]], Floats]


@dataclass(frozen=True)
class Law:
    """A usual law.

    Attributes
    ----------
    name : str
    parameters : tuple of str
        Their names.
    positive : tuple of bool
        Which parameters are positive, and so fitted on the logarithmic scale.
    start : callable
        Mean, variance and largest number -> the parameters where the search starts. The numbers are the lengths or, for
        a law on 0, 1, 2 ..., (x - x_0) / d.
    weights : callable
        Plies, step and parameters -> probabilities before the truncation.
    counts : bool
        Whether the law is on 0, 1, 2 ..., the values of (x - x_0) / d.
    """

    name: str
    parameters: tuple[str, ...]
    positive: tuple[bool, ...]
    start: Callable[[float, float, float], Sequence[float]]
    weights: _Cut
    counts: bool = False


@dataclass(frozen=True)
class Fit:
    """A law fitted to the lengths of games.

    Attributes
    ----------
    law : str
    parameters : dict of str to float
    plies : float64[m]
        The admissible plies.
    probability : float64[m]
        Of each ply under the fitted law.
    games : int
    chi_square : float
        Pearson's statistic over the groups.
    degrees : int
        Degrees of freedom: groups minus 1 minus the number of parameters.
    p_value : float
        NaN without a degree of freedom.
    total_variation : float
        Between the observed and the fitted shares, from 0 to 1.
    aic : float
        Akaike's criterion, twice the number of parameters minus twice the log-likelihood; lower is better.
    """

    law: str
    parameters: dict[str, float]
    plies: Floats
    probability: Floats
    games: int
    chi_square: float
    degrees: int
    p_value: float
    total_variation: float
    aic: float

    @property
    def verdict(self) -> str:
        """Whether the test rejects the law at the level of 1 %."""
        if math.isnan(self.p_value):
            return "too few games to test"
        return "rejected" if self.p_value < LEVEL else "not rejected"


def fit_all(
    plies: npt.ArrayLike, games: npt.ArrayLike, least: int, most: int, step: int, names: Sequence[str] = ()
) -> list[Fit]:
    """Fit every law to a table of lengths, and sort the fits by Akaike's criterion, the best first.

    Parameters
    ----------
    plies, games : sequences of int
        Lengths and the number of games of each; the lengths are among `least`, `least` + `step`, ... up to `most`.
    least, most : int
        The admissible plies.
    step : int
        1 or 2.
    names : sequence of str, default all
        The laws to fit.

    Returns
    -------
    list of Fit
        Empty for fewer than 50 games or fewer than four admissible plies, too few to distinguish laws.

    Raises
    ------
    ValueError
        A length that is not admissible.

    Examples
    --------
    >>> fits = fit_all([7, 9, 11, 13, 15], [40, 90, 120, 85, 30], least=7, most=15, step=2)
    >>> fits[0].verdict, round(fits[0].total_variation, 2)
    ('not rejected', 0.01)
    """
    admissible = np.arange(least, most + 1, step, dtype=np.float64)
    observed = np.zeros(admissible.size)
    for length, count in zip(np.asarray(plies).tolist(), np.asarray(games).tolist(), strict=True):
        index, rest = divmod(int(length) - least, step)
        if rest or not 0 <= index < admissible.size:
            raise ValueError(f"plies must be {least}, {least + step}, ... up to {most}; got {length}")
        observed[index] += count
    if observed.sum() < FEWEST or admissible.size < 4:
        return []
    fits = [_fit(law, admissible, observed, float(step)) for law in laws() if not names or law.name in names]
    return sorted(fits, key=lambda fit: (fit.aic, fit.law))


def laws() -> tuple[Law, ...]:
    """Return the usual laws: normal, lognormal, gamma, Weibull; Poisson, binomial, negative binomial and geometric."""
    from scipy import stats

    def interval(law: Callable[..., Floats]) -> _Cut:
        return lambda x, d, p: law(x + d / 2, *p) - law(x - d / 2, *p)

    def on_counts(law: Callable[..., Floats]) -> _Cut:
        return lambda x, d, p: law((x - x[0]) / d, *p)

    return (
        Law(
            "normal",
            ("mean", "deviation"),
            (False, True),
            lambda m, v, n: (m, math.sqrt(v)),
            interval(stats.norm.cdf),
        ),
        Law(
            "lognormal",
            ("log mean", "log deviation"),
            (False, True),
            lambda m, v, n: (math.log(m), math.sqrt(math.log1p(v / m**2))),
            interval(lambda x, mean, deviation: stats.norm.cdf((np.log(x) - mean) / deviation)),
        ),
        Law(
            "gamma",
            ("shape", "scale"),
            (True, True),
            lambda m, v, n: (m * m / v, v / m),
            interval(lambda x, shape, scale: stats.gamma.cdf(x / scale, shape)),
        ),
        Law(
            "Weibull",
            ("shape", "scale"),
            (True, True),
            lambda m, v, n: (1.1 * m / math.sqrt(v), 1.1 * m),
            interval(lambda x, shape, scale: stats.weibull_min.cdf(x / scale, shape)),
        ),
        Law("Poisson", ("mean",), (True,), lambda m, v, n: (m,), on_counts(stats.poisson.pmf), counts=True),
        Law(
            "binomial",
            ("odds",),
            (True,),
            lambda m, v, n: (m / max(n - m, 0.5),),
            lambda x, d, p: stats.binom.pmf((x - x[0]) / d, x.size - 1, p[0] / (1.0 + p[0])),
            counts=True,
        ),
        Law(
            "negative binomial",
            ("size", "mean"),
            (True, True),
            lambda m, v, n: (m * m / max(v - m, 0.05 * m), m),
            lambda x, d, p: stats.nbinom.pmf((x - x[0]) / d, p[0], p[0] / (p[0] + p[1])),
            counts=True,
        ),
        Law(
            "geometric",
            ("odds",),
            (True,),
            lambda m, v, n: (1.0 / m,),
            lambda x, d, p: stats.geom.pmf((x - x[0]) / d + 1.0, p[0] / (1.0 + p[0])),
            counts=True,
        ),
    )


def _fit(law: Law, plies: Floats, observed: Floats, step: float) -> Fit:
    """Fit the parameters by maximum likelihood and test the law."""
    from scipy import optimize, stats

    games = float(observed.sum())
    values = (plies - plies[0]) / step if law.counts else plies
    mean = max(float(observed @ values) / games, 0.05)
    variance = max(float(observed @ np.square(values - mean)) / games, 0.05)
    positive = np.array(law.positive)

    def unscaled(scaled: Floats) -> Floats:
        result: Floats = np.where(positive, np.exp(np.clip(scaled, -30.0, 30.0)), scaled)
        return result

    def probability(parameters: Floats) -> Floats:
        with np.errstate(all="ignore"):
            weights = np.nan_to_num(law.weights(plies, step, parameters.tolist()), nan=0.0, posinf=0.0)
        total = float(weights.sum())
        shares: Floats = np.maximum(weights / total if total > 0.0 else np.zeros_like(weights), 1e-300)
        return shares

    start = np.array(law.start(mean, variance, float(plies.size - 1)))
    begin = np.where(positive, np.log(np.where(positive, start, 1.0)), start)
    minimize: Any = optimize.minimize
    optimum = minimize(
        lambda x: -float(observed @ np.log(probability(unscaled(x)))),
        begin,
        method="Nelder-Mead",
        options={"xatol": 1e-7, "fatol": 1e-7, "maxiter": 4000, "maxfev": 4000},
    )
    parameters = unscaled(optimum.x)
    shares = probability(parameters)
    expected, counted = _pool_plies(games * shares, observed)
    statistic = float((np.square(counted - expected) / expected).sum())
    degrees = expected.size - 1 - positive.size
    return Fit(
        law=law.name,
        parameters=dict(zip(law.parameters, parameters.tolist(), strict=True)),
        plies=plies,
        probability=shares,
        games=int(games),
        chi_square=statistic,
        degrees=degrees,
        p_value=float(stats.chi2.sf(statistic, degrees)) if degrees > 0 else math.nan,
        total_variation=float(np.abs(observed / games - shares).sum() / 2.0),
        aic=2.0 * positive.size + 2.0 * float(optimum.fun),
    )


def _pool_plies(expected: Floats, observed: Floats) -> tuple[Floats, Floats]:
    """Pool neighbouring plies until every group expects at least `EXPECTED` games; the rest joins the last group."""
    groups: list[list[float]] = []
    waiting = [0.0, 0.0]
    for pair in zip(expected.tolist(), observed.tolist(), strict=True):
        waiting = [waiting[0] + pair[0], waiting[1] + pair[1]]
        if waiting[0] >= EXPECTED:
            groups.append(waiting)
            waiting = [0.0, 0.0]
    if not groups:
        groups.append([0.0, 0.0])
    groups[-1] = [groups[-1][0] + waiting[0], groups[-1][1] + waiting[1]]
    joined = np.array(groups)
    return joined[:, 0], joined[:, 1]
