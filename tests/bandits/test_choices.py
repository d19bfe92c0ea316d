"""Policies that draw by weights, eliminate or duel, and the Gittins index: against twins, closed forms and tables."""

from __future__ import annotations

import functools
import math
from itertools import product

import numpy as np
import pytest
from scipy import stats

from bandits import Beta, Finite, Gaussian, Policy, make, simulate
from bandits.hooks import ChoiceRule
from bandits.policies import besa, gittins
from numerics.random import streams
from tests import naive
from tests.bandits.policies import EXAMPLES
from tests.bandits.states import scores
from tests.bandits.test_indices import index_rule
from tests.data import read
from tests.internals import at_means, layers

pytestmark = pytest.mark.kernels


def test_the_gradient_bandit_stays_finite_at_rewards_of_any_size():
    for scale in (1e99, 1e-99):
        result = simulate(make("gradient", step_size=1e6), Gaussian([0.0, scale], scale=scale), 60, 4)
        assert (result.pulls.sum(axis=1) == 60).all()


def by_inversion(law, u: float) -> int:
    """The draw of a law on whole numbers from its mode outwards, up before down, until the masses exceed u."""
    low, high = law.support()
    mode = max(range(low, high + 1), key=lambda k: (round(law.pmf(k), 12), k))
    far = sorted(range(low, high + 1), key=lambda k: (abs(k - mode), -k))
    return next(k for k, mass in zip(far, np.cumsum(law.pmf(far)), strict=True) if u < mass)


@pytest.mark.parametrize("many", [3, 20])
def test_a_part_of_the_rewards_has_the_hypergeometric_law(many: int):
    for gained in (0, 1, many // 2, many):
        for few in (1, many // 2, many - 1):
            law = stats.hypergeom(many, gained, few)
            for k in range(few + 1):
                assert besa.hypergeometric_up_to(float(many), float(gained), float(few), float(k)) == pytest.approx(
                    law.cdf(k), abs=1e-12
                )
    rng, twin = streams(3, (9,), 0, 1), naive.Xoshiro(naive.stream(3, (9,), 0))
    for gained, few in product((1, many // 3, many - 1), (1, many // 2, many - 1)):
        for _ in range(12):
            drawn = besa.hypergeometric(float(many), float(gained), float(few), rng, 0)
            assert drawn == by_inversion(stats.hypergeom(many, gained, few), twin.uniform())


def chances(policy: Policy, pulls: list[float], means: list[float]) -> np.ndarray:
    hook = policy.spec().chances
    assert hook is not None
    return scores(hook, pulls, means, sum(pulls) + 1.0, policy.spec().params)


@pytest.mark.parametrize(
    ("n", "m"), [([9.0, 30.0], [1 / 3, 0.5]), ([40.0, 7.0], [0.6, 3 / 7]), ([8.0, 8.0], [0.5, 0.5])]
)
def test_probabilities_of_two_arms_are_those_of_their_closed_form(n: list[float], m: list[float]):
    spread = math.sqrt(1.0 / n[0] + 1.0 / n[1])
    s = [round(n[0] * m[0]), round(n[1] * m[1])]
    fewer = int(n[1] < n[0])
    wins = naive.duel(int(n[fewer]), s[fewer], int(n[1 - fewer]), s[1 - fewer])
    for name, first in (
        ("thompson_gaussian", stats.norm.cdf((m[0] - m[1]) / spread)),
        ("boltzmann_gumbel", naive.highest_of([stats.gumbel_r(m[a], n[a] ** -0.5) for a in range(2)])[0]),
        ("maillard", naive.maillard_choice(n, m, 0.5)[0]),
        ("kl_ms", naive.kl_maillard_choice(n, m)[0]),
        ("besa", 1.0 - wins if fewer else wins),
    ):
        np.testing.assert_allclose(chances(make(name), n, m), [first, 1.0 - first], atol=1e-9)


def test_probabilities_of_gumbel_draws_of_very_different_scales_are_exact():
    for gap in (-0.3, 0.0, 0.2):
        found = chances(make("boltzmann_gumbel", c=2.0), [90_000.0, 1.0], [0.5 + gap, 0.5])[0]
        x = np.linspace(-4.0, 40.0, 400_001)  # the draw of the first arm hardly moves: nearly P(Y < 0.5 + gap)
        exact = np.sum(stats.gumbel_r.pdf(x) * stats.gumbel_r.cdf((gap + 2.0 * x / 300.0) / 2.0)) * (x[1] - x[0])
        assert found == pytest.approx(exact, abs=1e-9)


DRAWN = [
    make("random"),
    make("softmax", temperature=0.3),
    *(make(n) for n in ("exp3", "exp3_ix", "gradient", "tsallis_inf")),
]


@pytest.mark.parametrize(("word", "arm"), [(0, 0), (2**64 - 1, 4)], ids=["least", "greatest"])
@pytest.mark.parametrize("policy", DRAWN, ids=str)
def test_the_least_number_draws_the_first_arm_and_the_greatest_the_last_whatever_is_rounded(policy, word, arm):
    spec, runs = policy.spec(), 300
    assert isinstance(spec.rule, ChoiceRule)
    pulls, means = np.ones((5, runs)), np.random.default_rng(0).random((5, runs))
    memory = np.zeros((spec.rule.memory + 5 * spec.rule.arm_memory, runs))
    if spec.rule.arm_memory:
        memory[spec.rule.memory : spec.rule.memory + 5] = means  # gains, losses or preferences
    state, chosen = [array.ravel() for array in (pulls, means, pulls, 0.0 * pulls, pulls / 5.0)], np.full(runs, -1)
    rng = np.tile(np.array([0, 1, 2, word], dtype=np.uint64), (runs, 1))
    spec.rule.compiled(*state, 6.0, 90.0, np.array(spec.params), rng, memory, chosen)
    assert (chosen == arm).all()


@pytest.mark.parametrize("policy", EXAMPLES, ids=str)
def test_an_index_rule_that_draws_gives_its_probabilities_and_they_sum_to_1(policy: Policy):
    """Exact expectations rest on it: without them a rule that draws would be taken for one that does not."""
    spec = policy.spec()
    hook = spec.chances
    if hook is not None:
        assert chances(policy, [7.0, 12.0], [3 / 7, 0.5]).sum() == pytest.approx(1.0, abs=1e-12)
    elif policy in [one for one in EXAMPLES if hasattr(one.spec().rule, "score")]:
        means = np.repeat([[0.3], [0.5]], 40, axis=1)
        out = scores(index_rule(policy), np.full((2, 40), 10.0), means, 21.0, spec.params, horizon=100.0, variances=0.2)
        assert (out == out[:, :1]).all(), "40 replications of one state, and one score: nothing is drawn"


def z_score(regret: np.ndarray, expected: float, error: float = 0.0) -> float:
    """How far the mean of independent regrets is from what is expected, in standard errors of both."""
    return float((regret.mean() - expected) / math.hypot(regret.std() / math.sqrt(regret.size), error))


@pytest.mark.jit
def test_besa_draws_from_kept_rewards_as_it_draws_from_counts():
    """Rewards of 0 and 2, which it keeps, have twice the regret of rewards of 0 and 1, known exactly from counts."""
    *_, last = layers(make("besa"), 2, 40)
    for means in ((0.4, 0.7), (0.7, 0.4)):
        doubled = Finite([[0.0, 2.0]] * 2, [[1.0 - mean, mean] for mean in means])
        regret = simulate(make("besa"), doubled, 40, 5_000).pseudo_regret
        assert abs(z_score(regret, 2.0 * at_means(last, means).regret_mean)) < 5.0


@pytest.mark.long
@pytest.mark.jit
def test_besa_has_the_regret_of_the_papers_algorithm_on_rewards_that_are_not_0_or_1():
    rng, means = np.random.default_rng(8), np.array([0.3, 0.45, 0.6])
    rewards = [functools.partial(rng.beta, 4.0 * mean, 4.0 - 4.0 * mean) for mean in means]
    papers = np.array([naive.besa(rewards, 60, rng) for _ in range(150)]) @ (means.max() - means)
    ours = simulate(make("besa"), Beta(means.tolist(), 4.0), 60, 4_000).pseudo_regret
    assert abs(z_score(ours, papers.mean(), papers.std() / math.sqrt(papers.size))) < 5.0


GITTINS = read("gittins")


@pytest.mark.parametrize("discount", ["0.9", pytest.param("0.95", marks=pytest.mark.jit)])
def test_gittins_indices_are_those_of_the_table(discount: str):
    found = gittins.indices(float(discount), 20)
    for wins, losses, index in GITTINS[discount]:
        n = wins + losses
        assert found[n * (n + 1) // 2 + wins] == pytest.approx(index, abs=1.2e-5)


def test_the_gittins_rule_reads_its_table_and_goes_on_beyond_it():
    policy = make("gittins", discount=0.5)
    table = gittins.indices(0.5, 200)
    rule, params = index_rule(policy), policy.spec().params
    pulls, means = [0.0, 3.0, 4.0, 200.0], [0.0, 2 / 3, 0.375, 0.5]
    out = scores(rule, pulls, means, 208.0, params)
    between = (table[4 * 5 // 2 + 1] + table[4 * 5 // 2 + 2]) / 2.0  # one success and a half
    np.testing.assert_allclose(out, [table[0], table[3 * 4 // 2 + 2], between, table[200 * 201 // 2 + 100]], rtol=1e-12)
    beyond = scores(rule, [201.0, 10_000.0], [0.5, 0.5], 1e4, params)
    assert out[3] == pytest.approx(beyond[0], abs=2e-3)
    assert beyond[0] > beyond[1] > 0.5
