"""Exact expectations, and the Bayes-optimal policy: against all paths, published values and simulation."""

from __future__ import annotations

import functools
import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import integrate, stats

from bandits import (
    UCB,
    BayesOptimal,
    Bernoulli,
    Custom,
    Greedy,
    Policy,
    RandomBernoulli,
    Thompson,
    identify_best,
    make,
    simulate,
    trace,
    vector_rule,
)
from bandits.hooks import IndexRule
from tests.bandits.policies import EXAMPLES, LIMITED
from tests.data import read
from tests.internals import (
    COMPILED,
    POLICIES,
    Choice,
    Moments,
    at_means,
    layers,
    over_prior,
    recommend,
    recommendation_at_means,
    recommendation_over_prior,
)

pytestmark = pytest.mark.kernels

PUBLISHED, CLOSED = read("bandit_exact_values"), read("exact_regret")
TABLE = CLOSED["two_bernoulli_arms"]
MEANS = (0.3, 0.5)
SE = 5.0  # standard errors that a simulation may be off


def policies(texts: str) -> list[Policy]:
    return [POLICIES.of(text) for text in texts.split(", ")]


COUNTED = policies(
    "random, greedy explore=0, optimistic, explore_then_commit explore=2, epsilon_greedy epsilon=1 decay=3, softmax, "
    "ucb, ucb_v, kl_ucb, moss, puct, thompson alpha=0.5 beta=2"
)


def last_layer(policy, arms, horizon):
    *_, found = layers(policy, arms, horizon)
    return found


def test_the_bayes_optimal_value_is_the_published_one():
    """Jacko's BinaryBandit, and the facts; that of 100 pulls is in the jitted lane."""
    for row in PUBLISHED["bayes_optimal_2arm_uniform"]:
        assert BayesOptimal().value(row["T"]) == pytest.approx(row["float"], abs=1e-13)
    for horizon in (10, 50, *([100] if COMPILED else [])):
        assert BayesOptimal().value(horizon) == pytest.approx(CLOSED["bayes_optimal_successes"][str(horizon)], abs=1e-6)


@pytest.mark.sampled(3)
@pytest.mark.jit
@pytest.mark.parametrize("name", TABLE["pseudo_regret"])
def test_regret_on_two_arms_is_the_one_that_another_program_finds(name):
    found = [at_means(layer, TABLE["means"]).regret_mean for layer in layers(Policy.make(name), 2, 100)]
    assert [found[t - 1] for t in TABLE["horizons"]] == pytest.approx(TABLE["pseudo_regret"][name], abs=1e-6)


@pytest.mark.jit
def test_the_bayes_optimal_policy_at_two_means_is_the_published_one():
    layer = last_layer(BayesOptimal(), 2, 60)
    found = at_means(layer, [0.3, 0.5])
    assert found.gain_mean == pytest.approx(27.667781619675154, abs=1e-10)
    assert found.gain_sd**2 == pytest.approx(23.650456467947016, abs=1e-9)
    assert over_prior(layer).gain_mean == pytest.approx(38.562343246635564, abs=1e-10)
    assert BayesOptimal().value(60) == pytest.approx(38.562343246635564, abs=1e-10)


@functools.cache
def gains(n: int, s: int, m: int, z: int, horizon: int) -> tuple[Fraction, Fraction]:
    """What is left to gain after n and m pulls with s and z successes, by the next arm."""
    p, q = Fraction(s + 1, n + 2), Fraction(z + 1, m + 2)
    return (
        p * (1 + value(n + 1, s + 1, m, z, horizon)) + (1 - p) * value(n + 1, s, m, z, horizon),
        q * (1 + value(n, s, m + 1, z + 1, horizon)) + (1 - q) * value(n, s, m + 1, z, horizon),
    )


def value(n: int, s: int, m: int, z: int, horizon: int) -> Fraction:
    return max(gains(n, s, m, z, horizon)) if n + m < horizon else Fraction(0)


@pytest.mark.jit
def test_every_state_is_decided_as_fractions_decide_it():
    horizon = 16
    assert BayesOptimal().value(horizon) == pytest.approx(float(value(0, 0, 0, 0, horizon)), abs=1e-13)
    choose = Choice(BayesOptimal(), 2, horizon)
    for pulls in itertools.product(range(horizon), repeat=2):
        if (t := sum(pulls) + 1) <= horizon:
            found = choose(pulls, t)[0].reshape(pulls[0] + 1, pulls[1] + 1)
            for s, z in itertools.product(range(pulls[0] + 1), range(pulls[1] + 1)):
                first, second = gains(pulls[0], s, pulls[1], z, horizon)
                assert found[s, z] == (0.5 if first == second else float(first > second)), (pulls, s, z)


def test_a_trace_scores_the_chosen_arm_1_and_both_where_either_is_as_good():
    steps = trace("bayes_optimal", [0.2, 0.7], horizon=30, seed=1).to_frame()
    scores = steps[["index_0", "index_1"]].to_numpy()
    assert scores[0].tolist() == [1.0, 1.0]
    assert (scores[np.arange(30), steps["arm"]] == 1.0).all()
    assert (scores.min(axis=1) == 0.0).any()


def by_every_path(policy: Policy, means, horizon: int) -> Moments:
    """Follow every sequence of arms and rewards, each with its probability, one pull after another."""
    arms = len(means)
    choose = Choice(policy, arms, horizon)
    paths = [(1.0, (0,) * arms, (0,) * arms)]
    for t in range(1, horizon + 1):
        following = []
        for chance, pulls, sums in paths:
            place = 0
            for n, s in zip(pulls, sums, strict=True):
                place = place * (n + 1) + s
            for arm in range(arms):
                chosen = chance * choose(pulls, t)[arm, place]
                for reward, share in ((1, means[arm]), (0, 1.0 - means[arm])):
                    if chosen * share > 0.0:
                        more = tuple(n + (a == arm) for a, n in enumerate(pulls))
                        won = tuple(s + reward * (a == arm) for a, s in enumerate(sums))
                        following.append((chosen * share, more, won))
        paths = following
    chance = np.array([one[0] for one in paths])
    pulls, gain = np.array([one[1] for one in paths]), np.array([sum(one[2]) for one in paths])
    regret = pulls @ (max(means) - np.array(means))
    most = pulls == pulls.max(axis=1, keepdims=True)
    best = (most[:, [a for a in range(arms) if means[a] == max(means)]].sum(axis=1) / most.sum(axis=1)) @ chance
    assert math.isclose(chance.sum(), 1.0)
    spread = [float(np.sqrt(chance @ x**2 - (chance @ x) ** 2)) for x in (gain, regret)]
    return Moments(float(chance @ gain), spread[0], float(chance @ regret), spread[1], float(best))


@pytest.mark.parametrize(
    ("policy", "means", "horizon"),
    [
        (make("ucb_v"), (0.3, 0.5), 6),
        (Greedy(explore=0), (0.2, 0.6, 0.6), 4),
        (make("epsilon_greedy"), (0.0, 1.0), 4),
        (UCB(), (0.2, 0.5, 0.6, 0.6), 5),
    ],
    ids=str,
)
def test_it_is_the_sum_over_all_paths(policy, means, horizon):
    found, plain = at_means(last_layer(policy, len(means), horizon), means), by_every_path(policy, means, horizon)
    for name, value in vars(plain).items():
        assert getattr(found, name) == pytest.approx(value, abs=1e-7 if name.endswith("sd") else 1e-12), name


def test_thompson_chooses_with_the_probability_that_its_draw_is_the_larger():
    alpha, beta, n, m = 0.5, 2.0, 2, 3
    found = Choice(Thompson(alpha, beta), 2, 50)((n, m), n + m + 1)
    for place, (i, k) in enumerate(itertools.product(range(n + 1), range(m + 1))):
        first, second = stats.beta(alpha + i, beta + n - i), stats.beta(alpha + k, beta + m - k)
        expected = integrate.quad(
            lambda u, one=first, other=second: other.cdf(one.ppf(u)), 0.0, 1.0, epsabs=1e-11, limit=200
        )[0]
        assert found[0, place] == pytest.approx(expected, abs=1e-9)
    assert np.array_equal(found.sum(axis=0), np.ones((n + 1) * (m + 1)))


def test_thompson_chooses_among_any_number_of_arms_with_the_probabilities_that_polynomials_give():
    """The fractions are integrals of polynomials, of which no program of ours computed one."""
    pulls, won = (6, 6, 9, 0, 6), (4, 3, 8, 0, 1)
    exact = (
        Fraction(32301983, 266112990),
        Fraction(382643, 11827244),
        Fraction(3107419, 4548940),
        Fraction(1251001, 7713420),
        Fraction(515987, 532225980),
    )
    found = Choice(Thompson(), 5, 40)(pulls, sum(pulls) + 1).reshape(5, *(n + 1 for n in pulls))
    np.testing.assert_allclose(found[(slice(None), *won)], [float(one) for one in exact], atol=1e-13)


INDEX = [one for one in EXAMPLES if isinstance(one.spec().rule, IndexRule) and not one.spec().chances]


@pytest.mark.parametrize(
    ("policy", "arms", "horizon"),
    [(policy, *((2, 14), (3, 7))[place % 2]) for place, policy in enumerate(INDEX)],
    ids=str,
)
def test_scores_of_single_arms_lead_where_the_rule_leads_in_every_state(monkeypatch, policy, arms, horizon):
    alone = Choice(policy, arms, horizon).looks_at_one_arm()
    assert alone == (policy.name != "imed"), "IMED compares an arm with the highest mean"
    found = last_layer(policy, arms, horizon)
    monkeypatch.setattr(Choice, "looks_at_one_arm", lambda self: False)
    asked = last_layer(policy, arms, horizon)
    assert found.keys() == asked.keys()
    for pulls, weights in asked.items():
        np.testing.assert_allclose(found[pulls], weights, rtol=1e-13)


@vector_rule
def means_apart(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    """Looks at one arm up to 30 pulls, and at the others then."""
    for i in range(out.size):
        out[i] = means[i] if t < 30.0 else -means[(i + rng.shape[0]) % out.size]


def test_a_rule_of_a_user_is_asked_about_every_state_unless_it_is_a_formula():
    path = f"{__name__}.means_apart"
    assert not Choice(Custom(path), 2, 40).looks_at_one_arm()
    for rule in ("bandits.policies.ucb.ucb", "tests.bandits.test_own_rules.slow_index"):
        assert Choice(Custom(rule, c=1.0), 2, 40).looks_at_one_arm()


@pytest.mark.sampled(8)
@pytest.mark.jit
@pytest.mark.parametrize(
    ("policy", "arms"),
    [
        *((policy, Bernoulli(MEANS)) for policy in [*COUNTED, BayesOptimal()]),
        *((policy, RandomBernoulli(arms=2)) for policy in (UCB(), Thompson())),
        *((policy, Bernoulli([0.2, 0.6, 0.5])) for policy in (make("kl_ucb"), Thompson())),
        (Thompson(0.5, 1.5), Bernoulli([0.3, 0.5, 0.7, 0.2])),
    ],
    ids=str,
)
def test_every_policy_plays_as_its_exact_regret_says(policy, arms):
    horizon = {2: 60, 3: 20, 4: 8}[arms.count]
    layer = last_layer(policy, arms.count, horizon)
    exact = over_prior(layer) if isinstance(arms, RandomBernoulli) else at_means(layer, arms.means)
    played = simulate(policy, arms, horizon, 10_000, seed=3)
    regret, root = played.pseudo_regret, math.sqrt(played.replications.runs)
    assert abs(regret.mean() - exact.regret_mean) < SE * exact.regret_sd / root + 1e-9
    fourth = ((regret - regret.mean()) ** 4).mean()
    spread = math.sqrt(max(fourth - regret.var() ** 2, 0.0)) / root  # of the variance
    assert abs(regret.var() - exact.regret_sd**2) < SE * spread + 1e-9
    gain = played.replications.reward_sum[:, -1]
    assert abs(gain.mean() - exact.gain_mean) < SE * exact.gain_sd / root
    most = played.pulls == played.pulls.max(axis=1, keepdims=True)
    best = played.replications.means.argmax(axis=1)
    share = most[np.arange(best.size), best] / most.sum(axis=1)
    assert abs(share.mean() - exact.best_arm_most_pulled) < SE * share.std() / root + 1e-9


@pytest.mark.parametrize("policy", COUNTED, ids=str)
def test_none_beats_the_bayes_optimal_policy_over_its_prior_and_gain_and_regret_agree(policy):
    for t, layer in enumerate(layers(policy, 2, 12), start=1):
        found = over_prior(layer)
        assert found.gain_mean <= BayesOptimal().value(t) + 1e-12
        assert found.gain_mean + found.regret_mean == pytest.approx(2.0 * t / 3.0, abs=1e-12)


TABULATED = [
    one for one in [*EXAMPLES, *LIMITED] if one.spec().chances is not None or isinstance(one.spec().rule, IndexRule)
]


@pytest.mark.parametrize("policy", TABULATED, ids=str)
def test_arms_that_change_places_are_chosen_alike(policy):
    """Half of the states of two arms are computed because of it."""
    choice = Choice(policy, 2, 60)
    for n, m in ((10, 10), (11, 13), (10, 20)):
        here, there = choice((n, m), n + m + 1), choice((m, n), n + m + 1)
        swapped = there.reshape(2, m + 1, n + 1).transpose(0, 2, 1)[::-1].reshape(2, -1)
        np.testing.assert_allclose(here, swapped, atol=1e-13)


# ---------------------------------------------------------------- the recommended arm


RECOMMENDING = policies("round_robin, sequential_halving, successive_rejects, ucb, thompson, greedy explore=0")
RUNS = 10_000


@pytest.mark.sampled(2)
@pytest.mark.jit
@pytest.mark.parametrize(
    ("policy", "arms"),
    [
        *((policy, Bernoulli([(0.4, 0.5), (0.5, 0.3, 0.4)][place % 2])) for place, policy in enumerate(RECOMMENDING)),
        (make("sequential_halving"), RandomBernoulli(arms=2)),
    ],
    ids=str,
)
def test_a_run_of_a_fixed_budget_errs_as_often_as_the_exact_number_says(policy, arms):
    layer = last_layer(policy, arms.count, 30)
    if isinstance(arms, RandomBernoulli):
        exact = recommendation_over_prior(layer, policy)
    else:
        exact = recommendation_at_means(layer, policy, arms.means)
    regret = identify_best(policy, arms, "budget", most=30, runs=RUNS, seed=5).simple_regret
    wrong, root = (regret > 0.0).mean(), math.sqrt(RUNS)
    assert 0.02 < exact.wrong < 0.6
    assert abs(wrong - exact.wrong) < SE * math.sqrt(exact.wrong * (1.0 - exact.wrong)) / root
    assert abs(regret.mean() - exact.simple_regret) < SE * regret.std() / root


def test_uniform_play_errs_where_the_worse_arm_has_more_successes_and_half_of_the_time_where_it_has_as_many():
    layer, won = last_layer(make("round_robin"), 2, 40), np.arange(21)
    worse, better = (stats.binom.pmf(won, 20, mean) for mean in (0.3, 0.5))
    wrong = float(worse @ stats.binom.cdf(won - 1, 20, 0.5) + 0.5 * worse @ better)
    exact = recommendation_at_means(layer, make("round_robin"), MEANS)
    assert exact.wrong == pytest.approx(wrong, abs=1e-12)
    assert exact.simple_regret == pytest.approx(0.2 * exact.wrong, abs=1e-12)


EACH = policies("round_robin, greedy explore=0, optimistic initial=0.7 prior_pulls=2, sequential_halving")


@pytest.mark.parametrize("policy", EACH, ids=str)
def test_every_state_recommends_as_a_run_does(policy):
    """The sum over all states, each asked by itself; priors and arms without pulls included."""
    means, estimates = np.array([0.2, 0.6, 0.5]), policy.spec().estimates
    weight, initial = estimates.prior_pulls, estimates.initial
    wrong, regret, named = 0.0, 0.0, np.zeros(1, np.int64)
    layer = last_layer(policy, 3, 5)
    for pulls, weights in layer.items():
        counts = np.array(pulls, dtype=np.float64)
        for sums, state in np.ndenumerate(weights):
            known = [
                (weight * initial + s) / (weight + n) if weight + n else initial
                for s, n in zip(sums, pulls, strict=True)
            ]
            chance = state * np.prod((2.0 * means) ** sums * (2.0 * (1.0 - means)) ** (counts - sums))
            for sixth in range(6):  # of two or three equal arms each gets as many
                recommend(counts, np.array(known), policy.by_pulls, np.array([(sixth + 0.5) / 6.0]), named)
                arm = named[0]
                wrong, regret = wrong + chance / 6.0 * (arm != 1), regret + chance / 6.0 * (0.6 - means[arm])
    exact = recommendation_at_means(layer, policy, means.tolist())
    assert (exact.wrong, exact.simple_regret) == pytest.approx((wrong, regret), abs=1e-12)
