"""Laws of the length of a game: parameters are found again, true laws pass the test, wrong ones do not."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from numerics.statistics import fit_all, laws
from tests.refusals import refused

pytestmark = pytest.mark.jit  # how kernels run decides nothing here

PLIES = np.arange(7, 42, 2)


def discretised(law: str, parameters: tuple[float, ...], plies: np.ndarray, step: int) -> np.ndarray:
    """The probability of each ply by the definition, written out with SciPy's own laws."""
    ends = {
        "normal": lambda mean, deviation: stats.norm(mean, deviation),
        "lognormal": lambda mean, deviation: stats.lognorm(deviation, scale=math.exp(mean)),
        "gamma": lambda shape, scale: stats.gamma(shape, scale=scale),
        "Weibull": lambda shape, scale: stats.weibull_min(shape, scale=scale),
    }
    turns = (plies - plies[0]) // step
    if law in ends:
        frozen = ends[law](*parameters)
        weights = frozen.cdf(plies + step / 2) - frozen.cdf(plies - step / 2)
    else:
        counts = {
            "Poisson": lambda mean: stats.poisson(mean),
            "binomial": lambda odds: stats.binom(len(plies) - 1, odds / (1 + odds)),
            "negative binomial": lambda size, mean: stats.nbinom(size, size / (size + mean)),
            "geometric": lambda odds: stats.geom(odds / (1 + odds), loc=-1),
        }
        weights = counts[law](*parameters).pmf(turns)
    return weights / weights.sum()


TRUE = [
    ("normal", (21.0, 6.0)),
    ("lognormal", (2.9, 0.35)),
    ("gamma", (8.0, 2.5)),
    ("Weibull", (2.8, 22.0)),
    ("Poisson", (6.0,)),
    ("binomial", (0.7,)),
    ("negative binomial", (3.0, 5.0)),
    ("geometric", (0.3,)),
]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("law", "parameters"), TRUE)
def test_a_true_law_is_found_again_and_passes(law: str, parameters: tuple[float, ...]):
    shares = discretised(law, parameters, PLIES, 2)
    games = np.random.default_rng(len(law)).multinomial(40_000, shares)
    fits = fit_all(PLIES, games, 7, 41, 2)
    (found,) = [one for one in fits if one.law == law]
    assert list(found.parameters.values()) == pytest.approx(parameters, rel=0.08)
    assert found.probability == pytest.approx(discretised(law, tuple(found.parameters.values()), PLIES, 2), abs=1e-9)
    assert found.p_value > 1e-3
    assert found.total_variation < 0.02
    assert found.aic - fits[0].aic < 6.0  # no other law does much better than the true one


def test_wrong_laws_are_rejected():
    games = np.random.default_rng(3).multinomial(40_000, discretised("Weibull", (2.8, 22.0), PLIES, 2))
    verdicts = {one.law: one.verdict for one in fit_all(PLIES, games, 7, 41, 2)}
    assert verdicts["Weibull"] == "not rejected"
    assert {verdicts[law] for law in ("lognormal", "Poisson", "binomial", "geometric")} == {"rejected"}


def test_no_parameters_near_the_found_ones_are_likelier():
    games = np.random.default_rng(5).multinomial(3_000, discretised("gamma", (8.0, 2.5), PLIES, 2))
    (found,) = [one for one in fit_all(PLIES, games, 7, 41, 2) if one.law == "gamma"]
    shape, scale = found.parameters.values()
    best = games @ np.log(discretised("gamma", (shape, scale), PLIES, 2))
    for factors in ((1.02, 1.0), (0.98, 1.0), (1.0, 1.02), (1.0, 0.98), (1.01, 0.99)):
        near = discretised("gamma", (shape * factors[0], scale * factors[1]), PLIES, 2)
        assert games @ np.log(near) < best
    assert found.aic == pytest.approx(4.0 - 2.0 * best)


def test_the_statistic_is_the_one_of_the_pooled_groups():
    games = np.random.default_rng(6).multinomial(400, discretised("normal", (21.0, 6.0), PLIES, 2))
    (found,) = [one for one in fit_all(PLIES, games, 7, 41, 2) if one.law == "normal"]
    expected, groups, total = 400 * found.probability, [], np.zeros(2)
    for pair in zip(expected, games, strict=True):
        total = total + pair
        if total[0] >= 5:
            groups.append(total)
            total = np.zeros(2)
    groups[-1] = groups[-1] + total
    wanted, counted = np.array(groups).T
    truth = stats.chisquare(counted, wanted, ddof=2)
    assert found.chi_square == pytest.approx(truth.statistic)
    assert found.p_value == pytest.approx(truth.pvalue)
    assert found.degrees == len(groups) - 3
    assert found.total_variation == pytest.approx(np.abs(games / 400 - found.probability).sum() / 2)


def test_lengths_that_cannot_be_are_refused():
    refused(lambda: fit_all([7, 8], [100, 100], 7, 41, 2), "plies must", "got 8")
    refused(lambda: fit_all([43], [100], 7, 41, 2), "plies must", "got 43")


def test_few_games_and_few_lengths_are_not_fitted():
    assert fit_all([7, 9, 11], [10, 20, 19], 7, 41, 2) == []
    assert fit_all([7, 9], [500, 300], 7, 11, 2) == []


def test_games_of_one_length_have_laws_but_nothing_to_test():
    fits = fit_all([21], [60], 7, 41, 2)
    assert {one.law for one in fits} == {one.name for one in laws.laws()}
    assert all(math.isfinite(one.chi_square) and 0.0 <= one.total_variation <= 1.0 for one in fits)
    assert any(one.verdict == "too few games to test" for one in fits)
