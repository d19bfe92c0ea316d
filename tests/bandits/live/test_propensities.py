"""The probability of each arm at a choice: against rationals, draws, and what it must not depend on."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy import special, stats

from bandits import Agent, Policy, compare_means, compare_rates, make
from bandits.kernels import propensities as kernels
from bandits.kernels.indices.highest_chance import GAUSSIAN
from bandits.live.propensities import asked_of, estimate_by_draws, propensities_of, shares_of
from numerics.random import Purpose, streams
from tests import naive
from tests.bandits.policies import EXAMPLES, FEATURED, LIMITED, PLANNED
from tests.internals import BETA, GUMBEL, CompiledEngine, highest_chances

pytestmark = pytest.mark.kernels

_kernels: Any = kernels
_highest: Any = highest_chances


def highest(kind: int, first: Any, second: Any) -> np.ndarray:
    """The chance that each law gives the highest draw."""
    out = np.empty(len(first))
    _highest(kind, np.array(first, dtype=float), np.array(second, dtype=float), out)
    return out


def beta_polynomials(won: int, lost: int) -> tuple[Any, Any]:
    """The coefficients of the density and the distribution function of Beta(1 + won, 1 + lost)."""
    scale = (won + lost + 1) * math.comb(won + lost, won)
    density = [Fraction(0)] * won + [Fraction(scale * math.comb(lost, i) * (-1) ** i) for i in range(lost + 1)]
    return np.array(density), np.array([Fraction(0), *(c / (i + 1) for i, c in enumerate(density))])


def best_in_rationals(counts: list[tuple[int, int]]) -> list[Fraction]:
    """The chance that each arm of (won, lost) has the highest rate."""
    laws = [beta_polynomials(*pair) for pair in counts]
    chances = []
    for a, (whole, _) in enumerate(laws):
        for _, below in laws[:a] + laws[a + 1 :]:
            whole = np.convolve(whole, below)
        chances.append(sum((c / (i + 1) for i, c in enumerate(whole)), Fraction(0)))
    return chances


def some_counts(rng: np.random.Generator) -> list[tuple[int, int]]:
    return [(int(w), int(w == 0 or rng.integers(12))) for w in rng.integers(0, 12, int(rng.integers(2, 5)))]


def test_chances_of_beta_laws_are_the_rationals():
    assert best_in_rationals([(2, 1), (1, 2), (0, 0)]) == [Fraction(1, 2), Fraction(1, 7), Fraction(5, 14)]
    cases = [[(0, 0), (1, 0)], [(9, 0), (0, 9)], [(4, 2), (3, 3), (8, 1), (0, 0), (1, 5)]]
    cases += [some_counts(np.random.default_rng(seed)) for seed in range(8)]
    known = [(counts, np.array(best_in_rationals(counts), dtype=float)) for counts in cases]
    # The example of the R package `bandit`: 10, 20, 30, 50 of 100, 102, 120, 130.
    chances = [1.6118633337100338e-07, 0.0008048292559527076, 0.01142867156177864, 0.9877663379959353]
    known.append(([(10, 90), (20, 82), (30, 90), (50, 80)], np.array(chances)))
    for counts, exact in known:
        found = highest(BETA, *zip(*((1 + won, 1 + lost) for won, lost in counts), strict=True))
        np.testing.assert_allclose(found, exact, rtol=1e-8, atol=0.0)
        agent = Agent.from_counts("thompson", dict(enumerate(counts)))
        assert list(agent.probabilities.values()) == pytest.approx(exact, abs=1e-6)


@pytest.mark.jit
def test_chances_agree_with_adaptive_quadrature_where_widths_differ_most():
    rng = np.random.default_rng(5)
    for arms in [*rng.integers(2, 12, 10).tolist(), 3, 1_000]:
        pulls = 10.0 ** rng.uniform(0.0, 6.0, arms)
        pulls[3:] *= arms < 1_000  # fresh arms
        won = rng.uniform(0.0, 1.0, arms) ** rng.integers(1, 5, arms) * pulls
        expected = compare_rates(won.tolist(), pulls.tolist()).best
        np.testing.assert_allclose(highest(BETA, 1.0 + won, 1.0 + pulls - won), expected, rtol=0.0, atol=1e-8)
        means, sds = rng.normal(size=arms), 10.0 ** rng.uniform(-4.0, 1.0, arms)
        expected = compare_means(means.tolist(), sds.tolist()).best
        np.testing.assert_allclose(highest(GAUSSIAN, means, sds), expected, rtol=0.0, atol=1e-8)


def test_chances_of_gumbel_laws_of_any_scales_are_those_of_a_fine_grid():
    means, scales = np.array([0.0, 1.0, 0.5, -2.0, 0.1, 0.9, 0.9]), np.array([1.0, 1.0, 0.5, 2.0, 0.02, 0.1, 0.1])
    z = (np.linspace(-45.0, 45.0, 60_001)[:, None] - means) / scales
    with np.errstate(over="ignore"):
        joint = np.exp(-z - np.log(scales) - np.exp(-z).sum(axis=1, keepdims=True))
    expected = np.trapezoid(joint, dx=90.0 / 60_000, axis=0)
    np.testing.assert_allclose(highest(GUMBEL, means, scales), expected, rtol=1e-6, atol=1e-12)


@pytest.mark.jit
def test_chances_of_the_hardest_laws():
    np.testing.assert_allclose(highest(BETA, [1e-6] * 3, [1e-6] * 3), [1 / 3] * 3, atol=1e-8)
    np.testing.assert_allclose(highest(BETA, [1e9, 1e9], [1e9, 1e9]), [0.5, 0.5], atol=1e-8)
    peaked = highest(BETA, [5e5, 1.0], [5e5, 1.0])
    np.testing.assert_allclose(peaked, [0.5, 0.5], atol=1e-8)
    assert highest(GAUSSIAN, [0.0, 8.0], [1.0, 1.0])[0] == pytest.approx(stats.norm.sf(8.0 / math.sqrt(2.0)), rel=1e-6)


@pytest.mark.jit
@pytest.mark.parametrize("arms", [2, 10_000])
def test_chances_of_many_arms_are_the_closed_forms(arms: int):
    for kind in (BETA, GAUSSIAN):
        np.testing.assert_allclose(highest(kind, [0.7] * arms, [0.2] * arms), [1 / arms] * arms, rtol=1e-9)
    for a, b in [(1.0, 2.0), (40.0, 3.0), (3e5, 20.0), (0.1, 1.0)]:  # the others' distribution function is x
        one = math.exp(-math.fsum(math.log1p(b / (a + i)) for i in range(arms - 1)))
        found = highest(BETA, [a] + [1.0] * (arms - 1), [b] + [1.0] * (arms - 1))
        np.testing.assert_allclose(found, [one] + [(1.0 - one) / (arms - 1)] * (arms - 1), rtol=1e-7, atol=1e-15)
    means = np.random.default_rng(arms).normal(size=arms)
    np.testing.assert_allclose(highest(GUMBEL, means, np.ones(arms)), special.softmax(means), rtol=1e-8)


# ------------------------------------------------------------ every policy


def played(policy: Policy, steps: int, horizon: int = 60) -> tuple[CompiledEngine, int]:
    """The engine of a policy after some choices and rewards, with features for the next choice."""
    arms = 2 if policy.limits is not None else 4
    agent = Agent(policy, arms, seed=3, horizon=horizon, features=3 if policy.needs_features else None)
    rng = np.random.default_rng(1)
    for _ in range(steps):
        choice = agent.choose(rng.normal(size=3) if policy.needs_features else None)
        agent.reward(choice, float(rng.random() < 0.3 + 0.15 * choice.index))
    engine = agent._play.engine
    engine.before(rng.normal(size=3) if policy.needs_features else None)
    return engine, agent.choices


def asked(engine: CompiledEngine, step: int, served: int | None = None) -> Any:
    """The propensities at the next choice."""
    given = asked_of(engine.spec), engine.numbers_of_rule, engine.numbers, engine.counts
    return propensities_of(*given, step, lambda: streams(0, (Purpose.PROPENSITY, 0), step, 1), served)


@pytest.mark.parametrize("policy", [*EXAMPLES, *PLANNED, *LIMITED, *FEATURED], ids=str)
@pytest.mark.jit
def test_propensities_are_the_shares_of_draws(policy: Policy, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("bandits.live.propensities._DRAWS", 10_000)
    for steps in (0, 30):
        engine, step = played(policy, steps)
        before = engine.numbers.copy(), engine.counts.copy(), engine.stream.copy()
        found, draws, tally = asked(engine, step), 10_000, np.zeros(engine.arms)
        given = engine.hooks, engine.numbers_of_rule, engine.numbers, streams(7, (Purpose.BENCHMARK,), step, 1)
        _kernels.count_draws(*given, engine.counts, step, -1, 0, draws, tally)
        assert found.chances.sum() == pytest.approx(1.0, abs=1e-9)
        assert (found.chances >= 0.0).all()
        spread = np.sqrt(found.chances * (1.0 - found.chances) / draws + found.errors**2)
        assert (np.abs(tally / draws - found.chances) <= 5.0 * spread + 1e-9).all(), (found.chances, tally)
        for now, then in zip((engine.numbers, engine.counts, engine.stream), before, strict=True):
            np.testing.assert_array_equal(now, then, err_msg="the state is left as it was")


FORMULAS = [
    *("thompson", "thompson_gaussian", "top_two_thompson", "boltzmann_gumbel", "softmax", "maillard", "kl_ms"),
    *("exp3", "exp3_ix", "exp3_s", "tsallis_inf", "gradient", "eb_tci", "epsilon_greedy", "random"),
    *("lin_thompson", "logistic_thompson", "lin_epsilon_greedy"),
]


@pytest.mark.parametrize("name", FORMULAS)
def test_policies_that_draw_have_a_formula(name: str):
    engine, step = played(make(name), 9)
    assert (asked(engine, step).errors == 0.0).all()


@pytest.mark.jit
@pytest.mark.parametrize(
    ("name", "arms"),
    [
        *((name, 1_000) for name in ("thompson", "top_two_thompson", "thompson_gaussian", "boltzmann_gumbel")),
        *(("lin_thompson", 300), ("logistic_thompson", 300), ("gumbel_halving", 1_000)),
    ],
)
def test_formulas_hold_for_many_arms_of_which_nearly_all_are_fresh(name: str, arms: int):
    policy, features = make(name), np.array([0.5, -1.0])
    agent = Agent(policy, arms, horizon=20_000, features=2 if policy.needs_features else None)
    engine = agent._play.engine
    for arm in range(arms if engine.spec.estimates.explore else 3):
        engine.update(arm, float(arm == 1), engine.choose(arm, features if policy.needs_features else None)[2])
    step = agent._play.step if name == "gumbel_halving" else arms
    engine = Agent(policy, arms, horizon=20_000)._play.engine if name == "gumbel_halving" else engine
    engine.before(features if policy.needs_features else None)
    found = asked(engine, step)
    assert (found.errors == 0.0).all()
    assert found.chances.sum() == pytest.approx(1.0, abs=1e-9)
    np.testing.assert_allclose(found.chances[5:], found.chances[5], rtol=1e-6)  # arms of the same rewards


# ------------------------------------------------------------ top-two Thompson sampling, in rationals


def top_two(counts: list[tuple[int, int]], beta: float, draws: int) -> list[float]:
    """The propensities of TTTS whose rival is that of T3C, argmin W, after so many draws."""
    best = best_in_rationals(counts)
    pulls = [won + lost for won, lost in counts]
    means = [Fraction(won, won + lost) for won, lost in counts]
    shares = [beta * float(p) for p in best]
    for leader, p in enumerate(best):
        costs = {}
        for a in range(len(counts)):
            if a != leader:
                middle = Fraction(counts[leader][0] + counts[a][0], pulls[leader] + pulls[a])
                costs[a] = 0.0
                if means[leader] > means[a]:
                    costs[a] = sum(pulls[i] * naive.bernoulli_kl(float(means[i]), float(middle)) for i in (leader, a))
        rivals = [a for a, cost in costs.items() if cost <= min(costs.values()) * (1.0 + 1e-12)]
        for a in costs:
            drawn = float(best[a] / (1 - p) * (1 - p**draws))
            shares[a] += (1.0 - beta) * float(p) * (drawn + float(p**draws) * (a in rivals) / len(rivals))
    return shares


def test_propensities_of_top_two_thompson_are_those_of_the_rival_of_t3c_in_rationals():
    rng = np.random.default_rng(2)
    cases = [(some_counts(rng), float(rng.choice([0.0, 0.5, 0.8])), int(rng.integers(1, 6))) for _ in range(20)]
    cases += [([(7, 16), (3, 10), (10, 10)], 0.0, 1), ([(60, 40), (5, 5), (110, 90)], 0.0, 1)]  # EB-TCI has another
    for counts, beta, draws in cases:
        agent = Agent.from_counts(make("top_two_thompson", beta=beta, draws=draws), dict(enumerate(counts)))
        np.testing.assert_allclose(list(agent.probabilities.values()), top_two(counts, beta, draws), atol=1e-8)


def test_estimated_propensities_say_so(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("bandits.live.propensities.TIMES", 20)
    engine, step = played(make("besa"), 25)
    assert asked(engine, step, served=1).errors[1] > 0.0


@pytest.mark.jit
def test_weights_by_inverse_sampling_are_unbiased_and_those_of_counted_draws_are_not():
    engine, step = played(make("thompson"), 30)
    served = int(np.argmin(asked(engine, step).chances))
    p, times, weights, counted = asked(engine, step).chances[served], 5, [], []
    given = engine.hooks, engine.numbers_of_rule, engine.numbers
    for run in range(2_000):
        stream, tally = streams(1, (Purpose.BENCHMARK,), run, 1), np.zeros(engine.arms)
        _kernels.count_draws(*given, stream, engine.counts, step, served, times, 10**6, tally)
        weights.append(tally.sum() / times)
        few = np.zeros(engine.arms)
        _kernels.count_draws(*given, stream, engine.counts, step, -1, 0, 7, few)
        counted.append(8.0 / (few[served] + 1.0))  # of 8 draws, the served one among them
    assert abs(np.mean(weights) * p - 1.0) < 4.0 * np.std(weights) * p / math.sqrt(len(weights))
    assert np.mean(counted) * p == pytest.approx(1.0 - (1.0 - p) ** 8, abs=0.05)


@pytest.mark.parametrize("p", [1e-6, 0.01, 0.06, 1.0])
def test_an_estimate_is_positive_covers_the_truth_and_its_weight_has_the_mean_that_its_draws_allow(p: float):
    rng, times, most, runs = np.random.default_rng(3), 5, 100, 400
    weights, covered = np.empty(runs), 0
    for run in range(runs):
        uniforms = iter(rng.random(most))
        found = estimate_by_draws(lambda uniforms=uniforms: int(next(uniforms) < p), 2, 1, times, most)
        assert found.chances.sum() == pytest.approx(1.0)
        assert found.chances[1] > 0.0
        assert (found.errors > 0.0).all()
        weights[run] = 1.0 / found.chances[1]
        covered += abs(found.chances[1] - p) <= 2.0 * found.errors[1]
    expected, noise = 1.0 - (1.0 - p) ** (most + 1), p * np.std(weights) / math.sqrt(runs)
    assert p * np.mean(weights) == pytest.approx(expected, abs=4.0 * noise + 1e-6)
    assert covered >= 0.85 * runs


@pytest.mark.jit
def test_the_choice_of_an_arm_that_no_draw_gives_has_a_propensity_above_0(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("bandits.live.propensities.MOST_DRAWS", 1)
    estimated = 0
    for policy in (policy for policy in EXAMPLES if policy.name not in FORMULAS):
        engine, step = played(policy, 30)
        found = asked(engine, step)
        if (found.errors > 0.0).any():
            estimated += 1
            for served in range(engine.arms):
                again = asked(engine, step, served)
                assert again.chances[served] > 0.0, policy
                assert again.errors[served] > 0.0, policy
    assert estimated


def test_shares_of_draws_have_the_error_of_a_share():
    assert shares_of(np.array([25.0, 75.0])).chances.tolist() == [0.25, 0.75]
    few = shares_of(np.array([0.0, 3.0]))  # with one more of each: 1 and 4 of 5
    assert few.errors.tolist() == pytest.approx([math.sqrt(0.2 * 0.8 / 3.0)] * 2)
