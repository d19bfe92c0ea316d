"""Index rules against formulas, other programs (`tests/data`) and, if they draw, the chances of their papers."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal, localcontext
from typing import Any

import numpy as np
import pytest
from scipy import special, stats
from scipy.optimize import brentq

from bandits import (
    Bernoulli,
    Policy,
    RandomBernoulli,
    RandomGaussian,
    Thompson,
    bernoulli_kl,
    lai_robbins_constant,
    make,
)
from bandits.hooks import ChoiceRule, IndexRule
from bandits.policies import gittins, kl_ucb, ucb
from numerics.random import streams
from tests import naive
from tests.bandits.states import scores
from tests.data import read
from tests.internals import beta_quantile, beta_tail, highest_draw, kl_index

pytestmark = pytest.mark.kernels

HORIZON = 5_000.0
# which score -inf where an arm cannot win
BOUNDED = {"kl_ucb", "kl_ucb_plus", "kl_ucb_plus_plus", "kl_ucb_switch", "imed", "bayes_ucb"}

FORMULAS: list[tuple[Policy, Callable[..., float]]] = [
    (make("greedy"), lambda n, m, v, t, arms, best: m),
    (make("ucb", c=0.7), lambda n, m, v, t, arms, best: naive.ucb(n, m, t, 0.7)),
    (make("ucb_v", zeta=0.9, c=0.4), lambda n, m, v, t, arms, best: naive.ucb_v(n, m, v, t, 0.9, 0.4)),
    (make("moss"), lambda n, m, v, t, arms, best: naive.moss(n, m, HORIZON, arms)),
    (make("asymptotic_ucb", c=0.4), lambda n, m, v, t, arms, best: naive.asymptotic_ucb(n, m, t, 0.4)),
    (make("polynomial", c=0.3), lambda n, m, v, t, arms, best: naive.polynomial(n, m, t, 0.3)),
    (make("ucb_tuned"), lambda n, m, v, t, arms, best: naive.ucb_tuned(n, m, v, t)),
    (make("moss_anytime", alpha=0.2), lambda n, m, v, t, arms, best: naive.moss_anytime(n, m, t, arms, 0.2)),
    (make("kl_ucb", c=3.0), lambda n, m, v, t, arms, best: naive.kl_ucb(n, m, t, 3.0)),
    (make("kl_ucb_plus"), lambda n, m, v, t, arms, best: naive.kl_ucb_plus(n, m, t)),
    (make("kl_ucb_plus_plus"), lambda n, m, v, t, arms, best: naive.kl_ucb_plus_plus(n, m, HORIZON, arms)),
    (make("kl_ucb_switch"), lambda n, m, v, t, arms, best: naive.kl_ucb_switch(n, m, HORIZON, arms)),
    (make("imed"), lambda n, m, v, t, arms, best: naive.imed(n, m, best)),
    (make("bayes_ucb", alpha=0.5, beta=2.0), lambda n, m, v, t, arms, best: naive.bayes_ucb(n, m, t, 0.5, 2.0)),
]


def index_rule(policy: Policy) -> IndexRule:
    rule = policy.spec().rule
    assert isinstance(rule, IndexRule)
    return rule


def states(arms: int, replications: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Pulls and means [K, L] as 0/1 rewards give them: few pulls and many, means 0 and 1, arms that are copies."""
    generator = np.random.default_rng(seed)
    shape = (arms, replications)
    pulls = np.where(generator.random(shape) < 0.4, generator.integers(1, 6, shape), generator.integers(1, 900, shape))
    wins = generator.binomial(pulls, generator.choice([0.0, 0.1, 0.6, 0.65, 1.0], shape))
    pulls[0, ::3], wins[0, ::3] = pulls[-1, ::3], wins[-1, ::3]
    return pulls.astype(float), wins / pulls


@pytest.mark.parametrize(("policy", "formula"), FORMULAS, ids=[str(policy) for policy, _ in FORMULAS])
@pytest.mark.parametrize(("arms", "replications"), [(6, 1), (3, 30)])
def test_the_highest_score_is_that_of_the_formula_and_no_other_is_higher(policy, formula, arms, replications):
    pulls, means = states(arms, replications, seed=arms + replications)
    variances = means * (1.0 - means)
    t, best = float(pulls.sum(axis=0).max()) + 1.0, means.max(axis=0)
    params = policy.spec().params
    out = scores(index_rule(policy), pulls, means, t, params, horizon=HORIZON, variances=variances)
    expected = np.array(
        [
            [formula(pulls[a, r], means[a, r], variances[a, r], t, arms, best[r]) for r in range(replications)]
            for a in range(arms)
        ]
    )
    top = expected.max(axis=0)
    np.testing.assert_allclose(out.max(axis=0), top, rtol=1e-11)
    solved = np.isfinite(out)
    np.testing.assert_allclose(out[solved], expected[solved], rtol=1e-11, atol=1e-13)
    assert not (np.isnan(out) | (out == math.inf)).any()
    np.testing.assert_array_equal(out == out.max(axis=0), expected >= top - 1e-13 * np.abs(top))
    if policy.name not in BOUNDED:
        assert solved.all()


def test_the_bound_of_arms_that_cannot_win_spares_the_work():
    generator = np.random.default_rng(1)
    wins = generator.binomial(1_000, np.linspace(0.1, 0.9, 10)[:, None], (10, 64))
    for name in ("kl_ucb_plus", "imed", "bayes_ucb", "thompson_gaussian"):
        policy = make(name)
        out = scores(index_rule(policy), np.full((10, 64), 1e3), wins / 1e3, 10_001.0, policy.spec().params)
        assert np.isfinite(out).sum() < 1.2 * 64


@pytest.mark.parametrize(
    ("policy", "law"),
    [
        (make("maillard", scale=0.2), lambda n, m: naive.maillard_choice(n, m, 0.2)),
        (make("kl_ms"), naive.kl_maillard_choice),
    ],
    ids=["maillard", "kl_ms"],
)
def test_the_arm_that_is_drawn_scores_its_probability_in_its_own_replication(policy, law):
    pulls, means = states(5, 9, seed=4)
    out = scores(index_rule(policy), pulls, means, 900.0, policy.spec().params)
    for r, arm in enumerate(out.argmax(axis=0)):
        assert out[arm, r] == pytest.approx(law(pulls[:, r].tolist(), means[:, r].tolist())[arm], rel=1e-9)
    assert (np.isfinite(out).sum(axis=0) == 1).all()


PULLS, MEANS, DRAWS = [4.0, 30.0, 12.0, 7.0], [0.25, 0.5, 0.5, 3.0 / 7.0], 10_000

CHANCES = [
    (make("thompson_gaussian", scale=0.2), [stats.norm(m, 0.2 * n**-0.5) for n, m in zip(PULLS, MEANS, strict=True)]),
    (make("boltzmann_gumbel", c=0.3), [stats.gumbel_r(m, 0.3 * n**-0.5) for n, m in zip(PULLS, MEANS, strict=True)]),
    (Thompson(), [stats.beta(1 + n * m, 1 + n - n * m) for n, m in zip(PULLS, MEANS, strict=True)]),
    (make("maillard", scale=0.4), naive.maillard_choice(PULLS, MEANS, 0.4)),
    (make("kl_ms"), naive.kl_maillard_choice(PULLS, MEANS)),
]


def chosen(policy: Policy, draws: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the scores [K, draws] of the state above, and the arm that each draw chooses."""
    pulls, means = (np.repeat(np.array(values)[:, None], draws, axis=1) for values in (PULLS, MEANS))
    out = scores(index_rule(policy), pulls, means, 54.0, policy.spec().params, seed=seed)
    return out, out.argmax(axis=0)


@pytest.mark.sampled(2)
@pytest.mark.jit
@pytest.mark.parametrize(("policy", "laws"), CHANCES, ids=[str(policy) for policy, _ in CHANCES])
def test_arms_are_chosen_with_the_probabilities_of_the_paper(policy, laws):
    chances = laws if isinstance(laws[0], float) else naive.highest_of(laws)
    assert sum(chances) == pytest.approx(1.0, abs=1e-8)
    counts = np.bincount(chosen(policy, DRAWS, seed=3)[1], minlength=4)
    assert stats.chisquare(counts, np.array(chances) * DRAWS).pvalue > 1e-4


@pytest.mark.jit
@pytest.mark.parametrize("name", ["thompson_gaussian", "boltzmann_gumbel"])
def test_the_highest_draw_has_the_law_of_the_highest(name: str):
    law = {"thompson_gaussian": stats.norm, "boltzmann_gumbel": stats.gumbel_r}[name]
    out, _ = chosen(make(name), DRAWS, seed=8)
    laws = [law(m, n**-0.5) for n, m in zip(PULLS, MEANS, strict=True)]
    assert stats.kstest(out.max(axis=0), lambda x: np.prod([one.cdf(x) for one in laws], axis=0)).pvalue > 1e-4


@pytest.mark.parametrize("law", [stats.norm, stats.gumbel_r], ids=["normal", "Gumbel"])
def test_the_bound_that_rules_a_draw_out_is_above_the_mass_of_its_tail_and_close_to_it(law):
    z = np.linspace(0.05, 5.0, 100)
    bounds = np.array([highest_draw._tail_bound(point, law is stats.gumbel_r) for point in z])
    assert (bounds >= law.sf(z)).all()
    envelope = np.exp(-z) if law is stats.gumbel_r else law.pdf(z) / z
    assert (bounds <= 1.25 * np.minimum(envelope, 1.0)).all()


@pytest.mark.parametrize(("wins", "losses"), [(0, 0), (4, 16), (500, 20)])
def test_the_bound_that_rules_a_beta_draw_out_is_above_the_mass_of_its_tail(wins: int, losses: int):
    law = stats.beta(wins + 1, losses + 1)
    for x in law.ppf(1.0 - np.geomspace(0.9, 1e-6, 40)):
        for flat in (False, True):
            assert beta_tail.tail_bound(float(wins), float(losses), x, flat) >= law.sf(x) * (1.0 - 1e-9)


@pytest.mark.parametrize(
    ("means", "chances"),
    [([1.0, 1.0, 0.5], [0.5, 0.5, 0.0]), ([0.0, 0.0, 0.0], [1 / 3] * 3), ([1.0, 0.0, 0.9], [1.0, 0.0, 0.0])],
)
def test_kl_maillard_sampling_never_pulls_what_an_arm_that_always_paid_excludes(means, chances):
    out = scores(
        index_rule(make("kl_ms")), np.full((3, 60), 20.0), np.repeat(np.array(means)[:, None], 60, axis=1), 61.0
    )
    arm = out.argmax(axis=0)
    np.testing.assert_allclose(out[arm, np.arange(60)], np.array(chances)[arm], rtol=1e-12)
    assert set(arm) == set(np.flatnonzero(chances))


@pytest.mark.parametrize(
    ("prior", "pulls", "mean"),
    [(0.5, 1, 0.0), (3.0, 1, 1.0), (1.0, 7, 3 / 7), (0.5, 400, 0.01), (1.0, 400, 1.0), (3.0, 30_000, 0.9)],
)
def test_the_upper_quantile_of_a_posterior_is_scipys(prior: float, pulls: int, mean: float):
    n, m = np.float64(pulls), np.float64(mean)
    a, b = prior + n * m, prior + n * (1.0 - m)
    for level in (0.6931471805599453, 3.0, 9.2, 30.0):
        found = beta_quantile.beta_upper(a, b, level, beta_quantile.guess(m, n, level))
        assert found == pytest.approx(stats.beta(a, b).isf(np.exp(-level)), rel=1e-11)
        if found == 1.0:  # to the last digit: its distance to 1 is gone
            continue
        log_tail, hazard = beta_quantile.tail_and_hazard(a, b, found, 1.0 - found, beta_quantile.log_beta(a, b))
        assert log_tail == pytest.approx(stats.beta(a, b).logsf(found), abs=1e-9)
        assert hazard == pytest.approx(stats.beta(a, b).pdf(found) / stats.beta(a, b).sf(found), rel=1e-9)


# ---------------------------------------------------------------- published values


PUBLISHED, FACTS = read("bandit_exact_values"), read("index_values")


@pytest.mark.parametrize("row", PUBLISHED["ucb1"], ids=str)
def test_ucb1_has_the_published_index(row: dict[str, float]):
    out = scores(ucb.ucb, [row["n"], row["n"]], [row["mu"], 0.0], row["t"], [math.sqrt(2.0)])
    assert out[0] == pytest.approx(row["index"], abs=1e-9)


@pytest.mark.parametrize("row", PUBLISHED["klucb_c0"], ids=str)
def test_kl_ucb_has_the_published_index(row: dict[str, float]):
    alone = scores(kl_ucb.kl_ucb, [row["n"]], [row["mu"]], row["t"], [0.0])
    assert alone[0] == pytest.approx(row["index"], abs=1e-9)
    crowd = scores(kl_ucb.kl_ucb, [1e6, row["n"], 1e6], [0.0, row["mu"], 0.0], row["t"], [0.0])
    assert crowd[1] == pytest.approx(row["index"], abs=1e-9)
    assert int(np.argmax(crowd)) == 1


@pytest.mark.parametrize("pair", PUBLISHED["klBern"])
def test_bernoulli_divergences_are_the_published_ones(pair: str):
    p, q = map(float, pair.split(","))
    assert float(bernoulli_kl(p, q)) == pytest.approx(PUBLISHED["klBern"][pair], abs=1e-12)
    assert kl_index.bernoulli_kl(p, q) == pytest.approx(PUBLISHED["klBern"][pair], abs=1e-12)


def test_bernoulli_divergence_at_the_ends():
    assert float(bernoulli_kl(0.0, 0.0)) == 0.0
    assert float(bernoulli_kl(1.0, 1.0)) == 0.0
    assert math.isinf(float(bernoulli_kl(0.5, 1.0)))
    assert math.isinf(float(bernoulli_kl(0.5, 0.0)))
    assert float(bernoulli_kl(0.0, 0.25)) == pytest.approx(-math.log(0.75))
    np.testing.assert_allclose(bernoulli_kl([0.1, 0.2], 0.4), [naive.bernoulli_kl(p, 0.4) for p in (0.1, 0.2)])


@pytest.mark.parametrize("row", PUBLISHED["lai_robbins"], ids=lambda row: str(row["mus"]))
def test_lai_robbins_constants_are_the_published_ones(row: dict):
    assert lai_robbins_constant(Bernoulli(row["mus"])) == pytest.approx(row["constant"], rel=1e-12)


def test_lai_robbins_constant_is_0_without_a_worse_arm_or_below_certainty_and_unknown_for_random_means():
    assert lai_robbins_constant(Bernoulli([0.4, 0.4])) == 0.0
    assert lai_robbins_constant(Bernoulli([1.0, 0.3])) == 0.0
    assert math.isnan(lai_robbins_constant(RandomBernoulli(arms=2)))


def _divergence(p: float, q: float) -> float:
    """The definition in 400 digits."""
    with localcontext() as context:
        context.prec = 400
        a, b = Decimal(p), Decimal(q)
        return float((a * (a / b).ln() if a else 0) + (1 - a) * ((1 - a) / (1 - b)).ln())


def test_the_divergence_loses_no_digits_where_its_terms_cancel_or_vanish():
    pairs = [(0.0, 1e-17), (1e-20, 2e-20), (1e-300, 2e-300), (0.1, 0.1 + 1e-7), (0.3, 0.9), (1e-9, 1.001e-9)]
    for p, q in [*pairs, (0.2, 1.0 - 1e-16), (0.999999, 0.9999995), (0.0608, 0.0601), (0.5, 1e-300)]:
        assert float(bernoulli_kl(p, q)) == pytest.approx(_divergence(p, q), rel=1e-10, abs=0.0)


@pytest.mark.parametrize(("a", "arms"), [(1e-6, 2), (0.1, 100_000), (1.0, 10), (30.0, 1_000), (1e6, 100_000)])
def test_the_best_of_many_random_means_is_exact_where_its_law_is_narrow(a, arms):
    # The best of K means with P(X < x) = x^a has P = x^(a K), so that its mean is a K / (a K + 1).
    exact = a * arms / (a * arms + 1.0) - a / (a + 1.0)
    assert RandomBernoulli(arms, a, 1.0).uniform_regret() == pytest.approx(exact, rel=1e-8)


def test_uniform_regret_is_the_best_mean_less_the_average():
    assert Bernoulli([0.2, 0.9, 0.4]).uniform_regret() == pytest.approx(0.9 - 0.5)
    assert RandomBernoulli(arms=2).uniform_regret() == pytest.approx(2 / 3 - 1 / 2)  # of uniform means
    assert RandomGaussian(arms=2, spread=3.0).uniform_regret() == pytest.approx(3.0 / math.sqrt(math.pi))
    for arms in (RandomBernoulli(5, a=0.05, b=2.0), RandomBernoulli(20, a=30.0, b=0.2), RandomGaussian(10)):
        means = arms.draw_means(seed=2, first=0, runs=10_000)
        gaps = means.max(axis=1) - means.mean(axis=1)
        assert abs(gaps.mean() - arms.uniform_regret()) < 5.0 * gaps.std() / math.sqrt(10_000)


# ---------------------------------------------------------------- values of other programs


def index(policy: Any, state: dict[str, Any]) -> np.ndarray:
    pulls = np.array(state["pulls"], dtype=np.float64)
    means = np.array(state["successes"]) / pulls
    return scores(
        index_rule(policy),
        pulls,
        means,
        state["t"],
        policy.spec().params,
        horizon=state.get("horizon", 1.0),
        variances=means * (1.0 - means),
    )


@pytest.mark.parametrize("row", FACTS["indices"] + FACTS["formulas"], ids=lambda row: row["policy"])
def test_indices_are_those_of_another_program(row: dict[str, Any]):
    found, expected = index(make(row["policy"], **row.get("parameters", {})), FACTS), np.array(row["index"])
    solved = np.isfinite(found)  # arms that cannot win get -inf
    assert found.argmax() == expected.argmax()
    np.testing.assert_allclose(found[solved], expected[solved], rtol=1e-11)


def test_each_index_is_asked_for_alone_where_the_others_cannot_win():
    for row in FACTS["indices"]:
        for a, expected in enumerate(row["index"]):
            alone = {"pulls": [FACTS["pulls"][a], *[1e9] * 3], "successes": [FACTS["successes"][a], 0.0, 0.0, 0.0]}
            assert index(make(row["policy"], **row["parameters"]), FACTS | alone)[0] == pytest.approx(
                expected, rel=1e-11
            )


def test_ucb_tuned_has_the_index_of_another_program():
    np.testing.assert_allclose(index(make("ucb_tuned"), FACTS["ucb_tuned"]), FACTS["ucb_tuned"]["index"], rtol=1e-13)


@pytest.mark.parametrize("row", FACTS["kl_ucb_switch"], ids=str)
def test_kl_ucb_switch_is_kl_ucb_for_an_arm_of_few_pulls(row: dict[str, Any]):
    alone = {"pulls": [row["pulls"], *[1e9] * 3], "successes": [row["successes"], 0.0, 0.0, 0.0]}
    assert index(make("kl_ucb_switch"), FACTS | alone)[0] == pytest.approx(row["index"], rel=1e-11)


def test_kl_maillard_sampling_has_the_probabilities_of_its_authors():
    pulls = np.array(FACTS["kl_ms"]["pulls"], dtype=np.float64)
    hook = make("kl_ms").spec().chances
    assert hook is not None
    found = scores(hook, pulls, np.array(FACTS["kl_ms"]["successes"]) / pulls, pulls.sum() + 1.0)
    np.testing.assert_allclose(found, FACTS["kl_ms"]["chance"], rtol=1e-11)


@pytest.mark.parametrize("row", FACTS["gittins"], ids=str)
def test_the_gittins_index_of_many_pulls_is_the_approximation_of_brezzi_and_lai(row: dict[str, Any]):
    params = (-math.log(row["discount"]),)  # without the table of few pulls
    out = scores(gittins.gittins, [row["pulls"]], [row["successes"] / row["pulls"]], row["pulls"] + 1.0, params)
    assert out[0] == pytest.approx(row["index"], rel=1e-12)


def test_improved_ucb_ends_its_phases_where_another_program_does():
    facts, policy = FACTS["improved_ucb"], make("improved_ucb")
    rule = policy.spec().rule
    assert isinstance(rule, ChoiceRule)
    rng, arm, nothing, half = streams(0, (7,), 0, 1), np.zeros(1, np.int64), np.zeros(2), np.full(2, 0.5)

    def phase_after(pulls: int, phase: int) -> float:
        memory = np.zeros((3, 1))
        memory[0, 0] = phase
        n, horizon = np.full(2, float(pulls)), float(facts["horizon"])
        rule.compiled(n, half, nothing, nothing, half, 1.0, horizon, nothing, rng, memory, arm)
        return float(memory[0, 0])

    for phase, each in enumerate(facts["pulls_of_phases"]):
        assert phase_after(each - 1, phase) == phase
        assert phase_after(each, phase) == phase + 1
    assert phase_after(10**9, facts["last_phase"] + 1) == facts["last_phase"] + 1


def test_exp3_has_the_probabilities_of_another_program():
    facts = FACTS["exp3"]
    twin = naive.Exp3(facts["arms"], facts["gamma"])  # whose pulls are the kernel's: test_simulation
    for arm, reward, expected in facts["steps"]:
        twin.learn(arm, reward, 1.0)
        np.testing.assert_allclose(twin.chances(1.0), expected, rtol=1e-11)


# ---------------------------------------------------------------- the solver of KL-UCB


KL_MEANS = [0.0, 1e-9, 0.003, 0.1, 1.0 / 3.0, 0.5, 0.77, 0.99, 1.0 - 1e-6, 1.0]
LEVELS = [1e-8, 1e-6, 1e-4, 0.003, 0.02, 0.1, 0.5, 1.3, 4.0, 9.2, 30.0]


def _root(p: float, level: float) -> float:
    """The largest q with kl(p, q) <= level, to the last digits also where q - p or 1 - q is small."""
    if p == 0.0:
        return -math.expm1(-level)
    if p == 1.0:
        return 1.0

    def excess(d: float) -> float:
        return -p * math.log1p(d / p) - (1.0 - p) * math.log1p(-d / (1.0 - p)) - level

    end = (1.0 - p) * (1.0 - 1e-16)
    return p + brentq(excess, 0.0, end, xtol=1e-16, rtol=1e-15) if excess(end) > 0.0 else 1.0


@pytest.mark.parametrize("p", KL_MEANS)
def test_the_exact_solution_is_the_root_and_the_bound_lies_above_it(p: float):
    for level in LEVELS:
        mean, budget, root = np.float64(p), np.float64(level), _root(p, level)
        bound = kl_index.kl_upper_bound(mean, budget)
        exact = kl_index.kl_upper(mean, budget, bound + kl_index.START_SLACK)
        rounding = 1e-12 + 1e-15 / max(root - p, 1e-9)  # kl is flat at p: its own rounding moves the root
        assert exact == pytest.approx(root, abs=rounding)
        assert bound >= exact - rounding
        assert p <= exact <= 1.0


@pytest.mark.parametrize(("arms", "replications"), [(1, 1), (2, 7), (5, 8), (2, 67)])
def test_the_highest_mean_is_found_with_its_lowest_arm(arms: int, replications: int):
    means = np.random.default_rng(arms).integers(0, 3, (arms, replications)).astype(float)
    top, first = np.empty(replications), np.empty(replications, np.int64)
    kl_index.highest_means(means.ravel(), top, first)
    np.testing.assert_array_equal(top, means.max(axis=0))
    np.testing.assert_array_equal(first, means.argmax(axis=0))


def test_the_gauss_constants_are_those_of_the_shifted_jacobi_rule():
    nodes, weights = special.roots_sh_jacobi(4, 2.0, 2.0)
    np.testing.assert_allclose(kl_index.NODES, nodes, rtol=1e-14)
    np.testing.assert_allclose(kl_index.WEIGHTS, weights, rtol=1e-13)
