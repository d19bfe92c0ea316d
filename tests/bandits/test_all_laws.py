"""What holds of every law, over the registry: what is paid, and how far a law is from the nearest of a higher mean."""

from __future__ import annotations

import math
import pickle
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import integrate, optimize, special

from bandits import (
    Arms,
    Bernoulli,
    Beta,
    Exponential,
    Finite,
    Gaussian,
    Mixture,
    RandomBernoulli,
    Uniform,
    bernoulli_kl,
    k_inf,
    lai_robbins_constant,
    make,
    simulate,
    trace,
)
from tests.bandits.laws import FIXED, NOT_HERE, RANDOM, moments, table
from tests.internals import MixedLaw

pytestmark = pytest.mark.kernels


def test_every_law_is_here():
    assert {arms.name for arms, _ in FIXED} | {arms.name for arms in RANDOM} | NOT_HERE == set(Arms.members)


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("arms", "laws"), FIXED, ids=lambda one: getattr(one, "name", ""))
def test_each_arm_pays_its_own_law_and_so_does_the_best_arm_beside_it(arms, laws):
    steps = trace(make("random"), arms, 4_000, seed=5).steps
    np.testing.assert_allclose(arms.fixed_means, [moments(law)[0] for law in laws], rtol=1e-9)
    paid = [steps.reward[steps.arm == arm] for arm in range(arms.count)]
    for rewards, law in [*zip(paid, laws, strict=True), (steps.best_reward, laws[int(np.argmax(arms.fixed_means))])]:
        mean, deviation = moments(law)
        assert abs(rewards.mean() - mean) < 4.5 * deviation / math.sqrt(rewards.size)
        assert abs(rewards.std() / deviation - 1.0) < 0.15
        if hasattr(law, "paid"):
            assert np.abs(rewards[:, None] - law.paid).min(axis=1).max() < 1e-12
    low, high = arms.reward_range
    assert low <= steps.reward.min() <= steps.reward.max() <= high
    assert arms.unit_rewards == (0.0 <= low <= high <= 1.0)


@pytest.mark.parametrize(("arms", "laws"), FIXED, ids=lambda one: getattr(one, "name", ""))
def test_values_and_weights_of_an_arm_are_its_law(arms, laws):
    for arm, law in enumerate(laws):
        given = arms.distribution(arm)
        if given is None:
            assert not arms.unit_rewards
            continue
        values, weights = given
        mean, deviation = moments(law)
        assert weights.sum() == pytest.approx(1.0, abs=1e-12)
        assert np.dot(weights, values) == pytest.approx(mean, rel=1e-10)
        assert np.dot(weights, (values - mean) ** 2) == pytest.approx(deviation**2, rel=1e-9)


@pytest.mark.parametrize("arms", [arms for arms, _ in FIXED], ids=lambda arms: arms.name)
def test_arms_travel_to_other_processes_and_say_in_a_line_what_they_are(arms):
    there = pickle.loads(pickle.dumps(arms))
    assert there == arms
    assert pickle.loads(pickle.dumps(arms.reward_law)).path == arms.reward_law.path
    assert "\n" not in arms.describe()
    assert arms.describe().startswith(f"{arms.count} ")
    assert (arms.law_class == "") == bool(arms.no_bound)
    assert math.isnan(lai_robbins_constant(arms)) == bool(arms.no_bound)


@pytest.mark.parametrize(
    ("count", "said"), [(24, "values (probabilities) 0 (0.04167), "), (25, "25 values from 0 to 1")]
)
def test_finite_laws_of_many_values_say_their_range(count: int, said: str):
    arms = Finite([np.linspace(0.0, 1.0, count)])
    assert arms.describe().startswith(f"1 arm of finite laws, mean 0.5, {said}")


# ---------------------------------------------------------------- K_inf
def naive_k_inf(values: np.ndarray, weights: np.ndarray, mean: float, high: float = 1.0) -> float:
    """The least divergence from F of a law on its values and `high` whose mean is as high: over the law itself."""
    points, own = np.append(values, high), np.append(weights, 0.0)

    def far(law):
        return float(np.sum(special.rel_entr(own, np.maximum(law, 1e-300))))

    start = 0.5 * own
    start[-1] += 0.5
    found = optimize.minimize(
        far,
        start,
        method="SLSQP",
        bounds=[(0.0, 1.0)] * points.size,
        options={"ftol": 1e-14, "maxiter": 500},
        constraints=[
            {"type": "eq", "fun": lambda law: law.sum() - 1.0},
            {"type": "ineq", "fun": lambda law: np.dot(law, points) - mean},
        ],
    )
    assert found.success
    return float(found.fun)


@pytest.mark.parametrize("p", [1e-9, 1e-3, 0.2, 0.5, 0.9])
def test_k_inf_of_bernoulli_laws_is_their_divergence(p):
    for q in (0.3, 0.7, 0.99, 1.0 - 1e-12, 1.0):
        if p < q:
            assert k_inf([0.0, 1.0], [1.0 - p, p], q) == pytest.approx(float(bernoulli_kl(p, q)), rel=1e-12)
    assert k_inf([0.0, 1.0], [0.5, 0.5], 0.5) == k_inf([0.0, 1.0], [0.4, 0.6], 0.5) == 0.0
    assert k_inf([1.0], [1.0], 1.0) == 0.0


@pytest.mark.parametrize("seed", range(6))
def test_k_inf_is_the_least_divergence_over_the_laws_themselves(seed):
    rng = np.random.default_rng(seed)
    values, weights, high = rng.random(4), rng.dirichlet(np.ones(4)), (1.0, 1.0, 2.5)[seed % 3]
    own = float(np.dot(values, weights))
    for mean in own + (high - own) * np.array([0.1, 0.5, 0.9]):
        assert k_inf(values, weights, mean, high) == pytest.approx(naive_k_inf(values, weights, mean, high), abs=2e-7)
        assert k_inf(values, weights, mean, high) >= 2.0 * ((mean - own) / high) ** 2  # Pinsker
    # moved and stretched, the same
    assert k_inf(3.0 * values - 1.0, weights, 3.0 * mean - 1.0, 3.0 * high - 1.0) == pytest.approx(
        k_inf(values, weights, mean, high), rel=1e-12
    )


def quad_k_inf_of_beta(a: float, b: float, mu: float) -> float:
    """The maximum of E[ln(1 - s (X - mu))] for a Beta law, by adaptive quadrature with the ends' powers taken out."""

    def expected(log_d: float) -> float:
        d = math.exp(log_d)

        def far(x: float) -> float:
            return math.log((1.0 - x + d * (x - mu)) / (1.0 - mu))

        low = integrate.quad(
            lambda x: far(x) * (1.0 - x) ** (b - 1.0), 0.0, 0.5, weight="alg", wvar=(a - 1.0, 0.0), epsabs=1e-13
        )[0]
        end = 0.5**b
        high = integrate.quad(
            lambda v: far(1.0 - v ** (1.0 / b)) * (1.0 - v ** (1.0 / b)) ** (a - 1.0) / b,
            0.0,
            end,
            limit=1_000,
            points=[min(d**b, 0.99 * end)],
            epsabs=1e-13,
        )[0]
        return float((low + high) / special.beta(a, b))

    return -float(optimize.minimize_scalar(lambda x: -expected(x), bounds=(-40.0, 0.0), method="bounded").fun)


@pytest.mark.filterwarnings("ignore::scipy.integrate.IntegrationWarning")  # of rounding at 1e-14
@pytest.mark.parametrize("concentration", [0.2, 2.0, 10.0])
def test_k_inf_of_beta_laws_is_that_of_adaptive_quadrature(concentration):
    for mean, mu in ((0.3, 0.5), (0.6, 0.95)):
        found = k_inf(*Beta([mean], concentration=concentration).distribution(0), mu)
        expected = quad_k_inf_of_beta(concentration * mean, concentration * (1.0 - mean), mu)
        assert found == pytest.approx(expected, abs=1e-10)


def test_k_inf_of_uniform_laws_is_that_of_their_closed_integral():
    """E[ln(1 - s (X - mu))] of X uniform on [0, 2 m] is an integral of ln, which is known."""

    def expected(s: float, width: float, mu: float) -> float:
        ends = np.array([1.0 + s * mu, 1.0 - s * (width - mu)])
        whole = special.xlogy(ends, ends) - ends
        return float((whole[0] - whole[1]) / (s * width))

    for m, mu in ((0.1, 0.3), (0.3, 0.45), (0.5, 0.55), (0.5, 0.9)):
        tried = np.linspace(1e-3, 1.0 / (1.0 - mu), 200_001)
        best = max(expected(s, 2.0 * m, mu) for s in tried[::1_000])
        near = tried[np.argmax([expected(s, 2.0 * m, mu) for s in tried[::100]]) * 100]
        best = max(expected(s, 2.0 * m, mu) for s in np.clip(near + np.linspace(-1e-3, 1e-3, 2_001), 1e-3, tried[-1]))
        assert k_inf(*Uniform([m]).distribution(0), mu) == pytest.approx(best, abs=1e-10)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (([0.0, 1.2], [0.5, 0.5], 0.8), "^values must be at most high = 1; got 1.2"),
        (([0.0, 1.0], [0.5, 0.5], 1.8), "^mean must be at most high = 1; got 1.8"),
        (([0.0, 1.0], [1.0], 0.5), "^weights must be as many as values; got shapes"),
        (([0.0, math.nan], [0.5, 0.5], 0.5), "^values must be at most high = 1; got nan"),
    ],
)
def test_what_is_no_law_or_beyond_the_interval_is_refused(given, said):
    with pytest.raises(ValueError, match=said):
        k_inf(*given)


# ---------------------------------------------------------------- the class of a bound
def test_the_bound_of_arms_of_unknown_kind_is_that_of_all_laws_on_their_interval():
    arms = Finite([0.0, 0.5, 1.0], [[0.5, 0.3, 0.2], [0.2, 0.2, 0.6]])
    expected = 0.35 / naive_k_inf(np.array([0.0, 0.5, 1.0]), np.array([0.5, 0.3, 0.2]), 0.7)
    assert lai_robbins_constant(arms) == pytest.approx(expected, rel=1e-5)
    assert arms.law_class == "all laws on [0, 1] (K_inf of Honda and Takemura 2010)"
    assert Finite([[-1.0, 0.0, 3.0], [2.0, 4.0]]).law_class.startswith("all laws on [-1, 4] (")
    # as if they were Bernoulli arms, the bound is that of Bernoulli arms
    bernoulli = Finite([0.0, 1.0], [[0.7, 0.3], [0.4, 0.6]])
    assert lai_robbins_constant(bernoulli) == pytest.approx(lai_robbins_constant([0.3, 0.6]), rel=1e-10)


def test_the_bound_of_a_mixture_is_that_of_the_class_of_its_arms():
    kinds = Mixture([Bernoulli([0.3]), Beta([0.6], concentration=4.0), Uniform([0.4])])
    assert kinds.law_class == "all laws on [0, 1] (K_inf of Honda and Takemura 2010)"
    parts = [k_inf([0.0, 1.0], [0.7, 0.3], 0.6), k_inf(*Uniform([0.4]).distribution(0), 0.6)]
    assert lai_robbins_constant(kinds) == pytest.approx(0.3 / parts[0] + 0.2 / parts[1], rel=1e-12)
    scales = Mixture([Gaussian([0.0], scale=1.0), Gaussian([0.5], scale=2.0), Gaussian([0.2], scale=3.0)])
    assert scales.law_class == "Gaussian arms"
    assert lai_robbins_constant(scales) == pytest.approx(2.0 / 0.5 + 2.0 * 9.0 / 0.3)
    assert not scales.no_bound
    wider = Mixture([Bernoulli([0.3]), Finite([[0.0, 4.0]])])
    assert wider.law_class.startswith("all laws on [0, 4]")
    assert lai_robbins_constant(wider) == pytest.approx(1.7 / k_inf([0.0, 1.0], [0.7, 0.3], 2.0, 4.0))
    unbounded = Mixture([Bernoulli([0.3]), Exponential([0.5])])
    assert "No lower bound is known" in unbounded.no_bound


def test_a_mixture_plays_the_arms_of_its_parts_with_the_same_random_numbers():
    """Arms of one law are that law, and any arm pays what it pays among others of its kind."""
    whole, parts = Gaussian([0.1, 0.4, 0.3], scale=0.5), [Gaussian([mean], scale=0.5) for mean in (0.1, 0.4, 0.3)]
    alone, mixed = (trace(make("ucb"), arms, 200, seed=2).steps for arms in (whole, Mixture(parts)))
    assert np.array_equal(alone.reward, mixed.reward)
    several = Mixture([*parts[:2], Bernoulli([0.3]), Mixture([parts[2]])])
    assert len(several.parts) == 4
    three = simulate("random", several, 60, 2, seed=1).replications
    beside = simulate("random", whole, 60, 2, seed=1).replications
    assert np.array_equal(three.best_reward_sum, beside.best_reward_sum)


# ---------------------------------------------------------------- bad input
@pytest.mark.parametrize(
    ("make_it", "said"),
    [
        (lambda: Finite("0"), r"^values must be a list of numbers, or a list of numbers for each arm; got '0'"),
        (lambda: Finite([]), r"^values must hold at least 1 number for each arm"),
        (lambda: Finite([[0.0], []]), r"^values must hold at least 1 number for each arm"),
        (lambda: Finite([[0.0, "x"], [1.0]]), r"^values\[0\]\[1\] must be a number"),
        (lambda: Finite([0.0, 1.0], [[0.5, 0.6], [0.5, 0.5]]), r"^probabilities\[0\] must sum to 1; got 1.1"),
        (lambda: Finite([0.0, 1.0], [[0.5, 0.5], [1.5, -0.5]]), r"^probabilities\[1\]\[0\] must be .* from 0 to 1"),
        (
            lambda: Finite([0.0, 1.0], [[0.5, 0.5], [1.0]]),
            r"^probabilities\[1\] must have 2 numbers, as the values of arm 1; got 1",
        ),
        (
            lambda: Finite([[0.0], [1.0], [2.0]], [[1.0], [1.0]]),
            r"^probabilities must be one list, or a list for each of 3 arms",
        ),
        (lambda: simulate("ucb", Finite([0.0, 1.0]), 5, 1), r"^values must hold at least 2 arms.*; got 1"),
        (lambda: Mixture("x"), r"^parts must be a list of arms"),
        (lambda: Mixture([]), r"^parts must hold at least 2 arms"),
        (lambda: Mixture([0.5]), r"^parts\[0\] must be arms, such as .*; got 0.5"),
        (
            lambda: Mixture([Bernoulli([0.5]), RandomBernoulli()]),
            r"^parts\[1\] must be arms with fixed means; got 10 Be",
        ),
        (
            lambda: Mixture([{"name": "gauss"}]),
            r"^parts\[0\] 'gauss' is unknown \(did you mean gaussian\?\); it must be one of ",
        ),
        (lambda: Mixture([{"means": [1.0]}]), r"^parts\[0\] must be arms, such as "),
        (lambda: Mixture([{"name": "beta", "means": [2.0]}]), r"^parts\[0\].means\[0\] must be a .* from 0 to 1"),
        (
            lambda: Mixture([{"name": "beta", "mean": 0.5}]),
            r"^parts\[0\].mean is not a parameter of beta \(did you mean means\?\); ",
        ),
        (lambda: simulate("ucb", Mixture([Bernoulli([0.5])]), 5, 1), r"^parts must hold at least 2 arms.*; got 1"),
        (
            lambda: simulate("thompson", Mixture([Bernoulli([0.5]), Gaussian([0.1])]), 5, 1),
            r"^arms must have rewards in \[0, 1\] for thompson",
        ),
    ],
)
def test_arms_that_are_none_are_a_sentence(make_it, said):
    with pytest.raises(ValueError, match=said):
        make_it()


def test_a_finite_law_pays_its_quantile():
    arms = Finite([[3.0, 1.0, 2.0], [0.0, 5.0, 5.0]], [[0.2, 0.5, 0.3], [0.5, 0.25, 0.25]])
    uniforms = np.array([0.0, 0.49999, 0.5, 0.79999, 0.8, 1.0 - 2.0**-53])
    for arm, expected in enumerate([[1.0, 1.0, 2.0, 2.0, 3.0, 3.0], [0.0, 0.0, 5.0, 5.0, 5.0, 5.0]]):
        paid = np.full(6, np.nan)
        arms.reward_law.compiled(uniforms, np.zeros(6), np.full(6, arm), arms.law_params, paid)
        assert paid.tolist() == expected
    assert table([1.0, 2.0], [0.5, 0.5]).paid.tolist() == [1.0, 2.0]


def test_a_mixture_is_ours_where_all_its_parts_are():
    ours, users = (SimpleNamespace(unit=True, is_ours=whose) for whose in (True, False))
    assert MixedLaw((ours, ours)).is_ours
    assert not MixedLaw((ours, users)).is_ours
