"""What holds of every law, over the registry: what is paid, and how far a law is from the nearest of a higher mean."""

from __future__ import annotations

import math
import pickle
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy import integrate, optimize, special, stats

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
    bernoulli_kl,
    k_inf,
    lai_robbins_constant,
    make,
    simulate,
    trace,
)
from tests.internals import ChangingArms, ContextualArms, MixedLaw

pytestmark = pytest.mark.kernels


# ---------------------------------------------------------------- arms of every law, each with SciPy's law of each arm
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


def moments(law: Any) -> tuple[float, float]:
    """Return mean and standard deviation of a law."""
    if not hasattr(law, "paid"):
        return float(law.mean()), float(law.std())
    shares = law.pmf(np.arange(law.paid.size))
    mean = float(np.dot(shares, law.paid))
    return mean, float(np.sqrt(np.dot(shares, (law.paid - mean) ** 2)))


def test_every_law_is_here():
    elsewhere = {name for name, cls in Arms.members.items() if issubclass(cls, ChangingArms | ContextualArms)}
    here = {arms.name for arms, _ in FIXED} | {arms.name for arms in RANDOM}
    assert here == set(Arms.members) - elsewhere - {"from_log"}  # Bernoulli arms of a file


@pytest.mark.parametrize(("arms", "laws"), FIXED, ids=lambda one: getattr(one, "name", ""))
def test_each_arm_pays_its_own_law_and_so_does_the_best_arm_beside_it(arms, laws):
    steps = trace(make("random"), arms, 600, seed=5).steps
    np.testing.assert_allclose(arms.fixed_means, [moments(law)[0] for law in laws], rtol=1e-9)
    paid = [steps.reward[steps.arm == arm] for arm in range(arms.count)]
    for rewards, law in [*zip(paid, laws, strict=True), (steps.best_reward, laws[int(np.argmax(arms.fixed_means))])]:
        mean, deviation = moments(law)
        assert abs(rewards.mean() - mean) < 5.0 * deviation / math.sqrt(rewards.size)
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


@pytest.mark.parametrize("arms", [*(arms for arms, _ in FIXED), *RANDOM], ids=lambda arms: arms.name)
def test_arms_travel_to_other_processes_and_say_in_a_line_what_they_are(arms):
    there = pickle.loads(pickle.dumps(arms))
    assert there == arms
    np.testing.assert_array_equal(there.draw_means(1, 2, 3), arms.draw_means(1, 2, 3))
    assert pickle.loads(pickle.dumps(arms.reward_law)).path == arms.reward_law.path
    assert "\n" not in arms.describe()
    assert arms.describe().startswith(f"{arms.count} ")
    assert math.isnan(lai_robbins_constant(arms)) == (bool(arms.no_bound) or arms in RANDOM)


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


def test_k_inf_of_bernoulli_laws_is_their_divergence():
    for p in (1e-9, 0.2, 0.9):
        for q in (0.3, 0.99, 1.0 - 1e-12, 1.0):
            if p < q:
                assert k_inf([0.0, 1.0], [1.0 - p, p], q) == pytest.approx(float(bernoulli_kl(p, q)), rel=1e-12)
    assert k_inf([0.0, 1.0], [0.5, 0.5], 0.5) == k_inf([0.0, 1.0], [0.4, 0.6], 0.5) == 0.0
    assert k_inf([1.0], [1.0], 1.0) == 0.0


@pytest.mark.parametrize("seed", range(3))
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


OF_BETA = [  # concentration, mean, mu, and the maximum of E[ln(1 - s (X - mu))] by adaptive quadrature of SciPy
    (0.2, 0.3, 0.5, 0.09716123665913287),
    (0.2, 0.6, 0.95, 0.7093150663878705),
    (2.0, 0.3, 0.5, 0.21262798082384565),
    (2.0, 0.6, 0.95, 1.6099605998212432),
    (10.0, 0.3, 0.5, 0.31417892659169117),
    (10.0, 0.6, 0.95, 2.0000973528923947),
]


@pytest.mark.parametrize(("concentration", "mean", "mu", "expected"), OF_BETA)
def test_k_inf_of_beta_laws_is_that_of_adaptive_quadrature(concentration, mean, mu, expected):
    found = k_inf(*Beta([mean], concentration=concentration).distribution(0), mu)
    assert found == pytest.approx(expected, abs=1e-10)


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


def test_a_mixture_is_ours_where_all_its_parts_are():
    ours, users = (SimpleNamespace(unit=True, is_ours=whose) for whose in (True, False))
    assert MixedLaw((ours, ours)).is_ours
    assert not MixedLaw((ours, users)).is_ours


# ---------------------------------------------------------------- what uniforms pay


GRID = (np.arange(1_000) + 0.5) / 1_000
EXTREME = [
    (Bernoulli([0.0, 1.0]), [0.0, 1.0]),
    (Beta([0.0, 1.0]), [0.0, 1.0]),
    (Binomial([0.0, 1.0], trials=7), [0.0, 1.0]),
    (Beta([0.03, 0.9], concentration=300.0), [stats.beta(9.0, 291.0), stats.beta(270.0, 30.0)]),
    (Binomial([0.02, 0.93], trials=1_000), [stats.binom(1_000, 0.02), stats.binom(1_000, 0.93)]),
    (Poisson([0.1, 45.0]), [stats.poisson(0.1), stats.poisson(45.0)]),
    (Exponential([0.1, 45.0]), [stats.expon(scale=0.1), stats.expon(scale=45.0)]),
]


@pytest.mark.parametrize(("arms", "laws"), [*FIXED, *EXTREME], ids=lambda one: getattr(one, "name", ""))
def test_evenly_spaced_uniforms_pay_the_quantiles_of_the_law_and_both_ends_are_finite(arms, laws):
    for arm, law in enumerate(laws):

        def paid(uniforms, arm=arm):
            size, out = len(uniforms), np.full(len(uniforms), np.nan)
            means = np.full(size, arms.fixed_means[arm])
            arms.reward_law.compiled(np.array(uniforms), means, np.full(size, arm), arms.law_params, out)
            return out

        assert np.isfinite(paid([0.0, 1.0 - 2.0**-53])).all(), "what a stream gives at its ends"
        rewards = paid(GRID)
        if isinstance(law, float):
            assert (rewards == law).all()
        elif getattr(law, "dist", None) and law.dist.name == "beta":  # drawn by rejection, from a stream of its own
            assert stats.kstest(paid(np.random.default_rng(2).random(1_000)), law.cdf).pvalue > 1e-3
            assert np.array_equal(rewards, paid(GRID))
        else:
            expected = law.ppf(GRID)
            expected = law.paid[expected.astype(int)] if hasattr(law, "paid") else expected
            trials = arms.trials if arms.name == "binomial" and not hasattr(law, "paid") else 1
            np.testing.assert_allclose(np.sort(rewards) * trials, np.sort(expected), rtol=1e-11, atol=1e-9)


@pytest.mark.jit
@pytest.mark.parametrize(("arms", "laws"), FIXED, ids=lambda one: getattr(one, "name", ""))
def test_the_divergence_is_that_of_the_definition(arms, laws):
    if arms.reward_law.divergence is None or arms.name in ("custom", "mixture"):
        return
    one, other = laws[:2]
    if hasattr(one, "paid"):
        k = np.flatnonzero(one.pmf(np.arange(one.paid.size)))
        expected = float(np.sum(one.pmf(k) * (one.logpmf(k) - other.logpmf(k))))
    else:
        expected = integrate.quad(lambda x: one.pdf(x) * (one.logpdf(x) - other.logpdf(x)), *one.support())[0]
    p, q = np.array(arms.fixed_means)[:2, None]
    far = arms.reward_law.divergence
    assert far(p, q, arms.law_params[:1])[0] == pytest.approx(expected, rel=1e-6)
    assert far(p, p, arms.law_params[:1])[0] == pytest.approx(0.0, abs=1e-12)
