"""When to stop looking for the best arm: the bound on pulls, and stopping rules."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.special import rel_entr

from bandits import (
    Bernoulli,
    Binomial,
    Exponential,
    Gaussian,
    Poisson,
    Stopping,
    characteristic_time,
    identify_best,
    stopping_rule,
)
from bandits.stopping.base import STOPPING
from bandits.stopping.chernoff import chernoff
from bandits.stopping.chernoff_heuristic import chernoff_heuristic
from tests.internals import BERNOULLI, EXPONENTIAL, GAUSSIAN, POISSON, tail_of_exponential, transport, transport_beyond

pytestmark = pytest.mark.kernels

MEANS = (0.5, 0.45, 0.43, 0.4)
DIVERGENCES = {
    BERNOULLI: lambda p, q: rel_entr(p, q) + rel_entr(1.0 - p, 1.0 - q),
    GAUSSIAN: lambda p, q: 0.5 * (p - q) ** 2,
    EXPONENTIAL: lambda p, q: p / q - 1.0 - math.log(p / q),
    POISSON: lambda p, q: rel_entr(p, q) - p + q,
}


# ---------------------------------------------------------------- the bound


@pytest.mark.jit
@pytest.mark.parametrize(
    ("means", "time", "weights"),  # computed apart from this program
    [
        ((0.5, 0.45, 0.43, 0.4), 989.7921, (0.4165, 0.3903, 0.1362, 0.0570)),
        ((0.3, 0.21, 0.2, 0.19, 0.18), 326.6421, (0.3359, 0.2515, 0.1766, 0.1324, 0.1036)),
        ((0.4, 0.5, 0.6, 0.7, 0.8), 167.9320, None),
    ],
)
def test_characteristic_times_are_the_known_ones(means, time, weights):
    known = characteristic_time(means)
    assert known.time == pytest.approx(time, abs=5e-5)
    assert known.weights.sum() == pytest.approx(1.0, abs=1e-12)
    if weights:
        np.testing.assert_allclose(known.weights, weights, atol=5.1e-5)


@pytest.mark.jit
@pytest.mark.parametrize("scale", [0.5, 3.0])
def test_of_gaussian_arms_the_time_is_that_of_the_closed_form(scale):
    two = characteristic_time(Gaussian([0.0, 0.7], scale=scale))
    assert two.time == pytest.approx(8.0 * scale**2 / 0.49, rel=1e-10)
    several = characteristic_time(Gaussian([0.2, 0.2, 0.9, 0.2, 0.2], scale=scale))  # 2 s^2 (1 + sqrt(K - 1))^2 / gap^2
    assert several.time == pytest.approx(2.0 * scale**2 * 9.0 / 0.49, rel=1e-10)
    assert several.weights[2] == pytest.approx(2.0 * several.weights[0], rel=1e-8)


@pytest.mark.jit
@pytest.mark.parametrize(
    "arms",
    [Bernoulli(MEANS), Exponential([1.0, 1.4, 0.3]), Poisson([2.0, 5.0, 4.0]), Binomial([0.3, 0.6], trials=5)],
    ids=str,
)
def test_no_shares_of_pulls_reach_a_larger_cost_and_those_of_the_bound_reach_it(arms):
    means, best = np.asarray(arms.fixed_means), int(np.argmax(arms.fixed_means))
    divergence = arms.reward_law.divergence

    def cost(shares):
        costs = []
        for other in set(range(means.size)) - {best}:
            pair = [best, other]

            def paid(m, pair=pair):
                return float(shares[pair] @ divergence(means[pair], np.full(2, m), arms.law_params[pair]))

            costs.append(
                minimize_scalar(paid, bounds=sorted(means[pair]), method="bounded", options={"xatol": 1e-9}).fun
            )
        return min(costs)

    known, rng = characteristic_time(arms), np.random.default_rng(0)
    assert cost(known.weights) == pytest.approx(1.0 / known.time, rel=1e-6)
    for spread in (3.0, 300.0):
        for shares in rng.dirichlet(spread * known.weights, 30):
            assert cost(shares) <= 1.0 / known.time * (1.0 + 1e-6)


@pytest.mark.jit
def test_the_bound_on_pulls_is_the_time_times_a_divergence_and_says_nothing_of_a_coin():
    known = characteristic_time(MEANS)
    assert known.pulls(0.1) == pytest.approx(known.time * 0.8 * math.log(9.0))
    assert known.pulls(0.5) == known.pulls(0.9) == 0.0
    assert characteristic_time([0.5, 0.5, 0.1]).time == math.inf
    assert characteristic_time([1.0, 0.0]).time == pytest.approx(1.0 / math.log(2.0))


# ---------------------------------------------------------------- stopping rules


@pytest.mark.parametrize("x", [0.01, 1.0, 30.0])
def test_the_threshold_is_the_minimum_that_it_stands_for(x):
    """C(x) = 2 min over 1 < y <= 3/2 of y (z - ln ln y), z from the upper root of u - ln u = 1 + x."""
    low, high = 1.0, 4.0 + 3.0 * x
    for _ in range(200):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if middle - math.log(middle) < 1.0 + x else (low, middle)
    z = 0.5 * (low + math.log(math.pi**2 / 3.0))
    ys = np.linspace(1.0 + 1e-6, 1.5, 400_001)
    assert tail_of_exponential(x) == pytest.approx(2.0 * float((ys * (z - np.log(np.log(ys)))).min()), rel=1e-8)


@pytest.mark.parametrize("family", list(DIVERGENCES))
def test_the_evidence_is_the_least_that_any_common_mean_leaves(family):
    rng, divergence = np.random.default_rng(family), DIVERGENCES[family]
    for epsilon in (0.0, 0.05, 0.3) * 3:
        q, p = np.sort(rng.uniform(0.05, 0.65, 2))
        n, m = rng.integers(1, 500, 2).astype(float)
        grid = np.linspace(max(q - epsilon, 1e-9 if family != GAUSSIAN else q - epsilon), p, 2_001)
        least = min(n * divergence(p, x) + m * divergence(q, x + epsilon) for x in grid)
        got = transport_beyond(family, n, p, m, q, epsilon) if epsilon else transport(family, n, p, m, q)
        assert got == pytest.approx(least, rel=1e-5, abs=1e-6)


@pytest.mark.parametrize(
    "text", ["chernoff delta=0.1", "chernoff delta=0.02 epsilon=0.1", "chernoff_heuristic delta=0.1"]
)
def test_likelihood_ratios_stop_where_the_formula_says(text):
    rule, arms, rng = STOPPING.of(text), Bernoulli([0.5] * 3), np.random.default_rng(2)
    stop = chernoff if rule.name == "chernoff" else chernoff_heuristic
    epsilon, answers = rule.aim[1], []
    for _ in range(200):
        pulls, means = rng.integers(1, 400, 3).astype(float), rng.uniform(0.05, 0.95, 3)
        best = int(means.argmax())
        wanted = True
        for other in set(range(3)) - {best}:
            z = (
                transport_beyond(BERNOULLI, pulls[best], means[best], pulls[other], means[other], epsilon)
                if epsilon
                else transport(BERNOULLI, pulls[best], means[best], pulls[other], means[other])
            )
            if rule.name == "chernoff":
                logs = sum(3.0 * math.log(1.0 + math.log(pulls[a])) for a in (best, other))
                enough = logs + 2.0 * tail_of_exponential(0.5 * math.log(2.0 / rule.aim[0]))
            else:
                enough = math.log((1.0 + math.log(pulls.sum())) / rule.aim[0])
            wanted &= z > enough
        assert stop(pulls, means, means, pulls.sum(), rule.numbers(arms)) == wanted
        answers.append(wanted)
    assert 20 < sum(answers) < 180, "both answers are tried"


def test_units_of_gaussian_arms_and_trials_of_binomial_ones_are_reckoned_with():
    chernoff = STOPPING.of("chernoff delta=0.1")
    one, ten = (
        identify_best("round_robin", Gaussian([0.0, s], scale=s), chernoff, runs=10, seed=4) for s in (1.0, 10.0)
    )
    np.testing.assert_array_equal(one.pulls, ten.pulls)
    single = identify_best("round_robin", Bernoulli([0.5, 0.3]), chernoff, runs=30, seed=4).times.mean()
    several = identify_best("round_robin", Binomial([0.5, 0.3], trials=4), chernoff, runs=30, seed=4).times.mean()
    assert 3.0 < single / several < 5.5, "a share of four trials says about as much as four pulls"


@stopping_rule
def long_enough(pulls, means, variances, t, params):
    return t >= params[0]


def test_a_rule_of_the_user_stops_a_run_by_its_path_and_as_an_object():
    made = Stopping.make("custom", rule=long_enough, params=(17.0,))
    for rule in (made, f"custom rule={__name__}.long_enough params=[17]"):
        ended = identify_best("ucb", MEANS, rule, runs=5)
        assert ended.times.tolist() == [17] * 5
        assert ended.sure.all()
