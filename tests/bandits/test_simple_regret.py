"""Simple regret: the arm that a policy would recommend as it goes, in all kernels, in tables and in the figure."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from scipy.stats import binom

from bandits import UCB, Arms, Bernoulli, Gaussian, Policy, RandomGaussian, identify_best, simulate, summaries
from bandits.figures import save, simple_regret
from bandits.replications import tie_breakers
from bandits.simulation import replicate_steps
from numerics.statistics import mean_interval
from tests.bandits.policies import EXAMPLES, PLANNED
from tests.drawn import assert_readable, curves, drawn_lines, legend_text, new_axes, played
from tests.internals import POLICIES, Context

MEANS = [0.3, 0.62, 0.6, 0.05]
SEED = 4


class TakesTurns:
    """Pull every arm in turn."""

    def __init__(self, arms):
        self.arms, self.t = arms, -1

    def choose(self):
        self.t += 1
        return self.t % self.arms

    def update(self, arm, reward):
        pass


def twin(policy: Policy, arms: Arms, horizon: int, run: int) -> list[float]:
    """Return the simple regret after steps 1 ... T - 1 of a replication whose every step was kept."""
    replication, steps = replicate_steps(policy, arms, horizon, SEED, run)
    means, pulls, regrets = replication.means[0].tolist(), [0] * arms.count, []
    (drawn,) = tie_breakers(SEED, run, 1)
    for t in range(horizon - 1):
        pulls[steps.arm[t]] += 1
        estimates = steps.means[t + 1].tolist()  # those before the next pull
        known = [pulls, estimates] if policy.by_pulls else [estimates, pulls]
        ranks = list(zip(*known, strict=True))
        equals = [a for a in range(arms.count) if ranks[a] == max(ranks)]
        regrets.append(max(means) - means[equals[int(drawn * len(equals))]])
    return regrets


@pytest.mark.kernels
@pytest.mark.parametrize("policy", [*EXAMPLES, *PLANNED], ids=str)
def test_every_policy_would_recommend_what_its_kept_steps_say(policy: Policy):
    arms = Bernoulli(MEANS) if policy.unit_rewards else Gaussian([0.4, -0.3, 0.35], scale=0.5)
    result = simulate(policy, arms, 60, 3, SEED, checkpoints=range(1, 61))
    assert result.simple_regret.shape == (3, 60)
    for run in range(3):
        assert result.simple_regret[run, :-1].tolist() == twin(policy, arms, 60, run)


@pytest.mark.kernels
@pytest.mark.parametrize("arms", [2, 4, 70, 300])
def test_the_faster_kernels_recommend_the_same(arms):
    bernoulli = Bernoulli(np.random.default_rng(arms).random(arms).round(2).tolist())
    result = simulate(UCB(0.5), bernoulli, 90, 11, SEED, checkpoints=range(1, 91))
    assert (
        result.simple_regret
        == simulate(UCB(0.5), bernoulli, 90, 11, SEED, checkpoints=range(1, 91), block=3).simple_regret
    ).all()
    assert result.simple_regret[5, :-1].tolist() == twin(UCB(0.5), bernoulli, 90, 5)


@pytest.mark.kernels
def test_a_class_of_the_user_recommends_the_highest_mean_too():
    result = simulate(TakesTurns, MEANS, 50, 2, SEED, checkpoints=range(1, 51))
    assert result.simple_regret[1, :-1].tolist() == twin(POLICIES.of(TakesTurns), Bernoulli(MEANS), 50, 1)


@pytest.mark.jit
@pytest.mark.parametrize("name", ["ucb", "thompson", "epsilon_greedy", "optimistic", "exp3", "sequential_halving"])
def test_it_is_that_of_a_run_which_ends_there(name):
    policy = POLICIES.of(name)
    result = simulate(policy, MEANS, 120, 40, SEED, checkpoints=[30, 120])
    for column, budget in enumerate([30, 120]):
        if budget == 120 or policy.spec().plan is None:
            ended = identify_best(policy, MEANS, "budget", budget, 40, SEED)
            assert (result.simple_regret[:, column] == ended.simple_regret).all()


@pytest.mark.jit
def test_of_two_arms_in_turn_it_is_wrong_as_often_as_binomial_numbers_are():
    result = simulate("round_robin", [0.6, 0.4], 20, 20_000, SEED, checkpoints=[20])
    s = np.arange(11)
    won = binom.pmf(s, 10, 0.6)
    wrong = float(won @ binom.sf(s, 10, 0.4) + 0.5 * won @ binom.pmf(s, 10, 0.4))
    error = math.sqrt(wrong * (1.0 - wrong) / 20_000)
    assert abs((result.simple_regret > 0.0).mean() - wrong) < 4.0 * error
    assert set(np.unique(result.simple_regret.round(12))) == {0.0, 0.2}


@pytest.mark.jit
def test_tables_hold_its_mean_with_an_interval_that_reckons_with_rare_mistakes():
    result = simulate(UCB(), [0.2, 0.9], 200, 50, SEED)
    simple, table, row = result.simple_regret, result.curves, result.summary.iloc[0]
    low, high = mean_interval(simple, 0.0, 0.9 - 0.2)
    assert (table["simple_regret_mean"] == simple.mean(axis=0)).all()
    assert (table["simple_regret_low"] == low).all()
    assert (table["simple_regret_high"] == high).all()
    assert not simple[:, -1].any()
    assert row["simple_regret_mean"] == 0.0
    assert row["simple_regret_high"] == pytest.approx(0.7 * (1.0 - 0.025 ** (1.0 / 50)))  # as good as rule of three
    (sheet,) = summaries.SHEET.of(result.summary)
    assert sheet.cells[0][sheet.heads.index("simple regret")] == f"0.0000 +{row['simple_regret_high']:.4f}"


def slower(first: float, power: float, runs: int = 200):
    """Make up replications whose simple regret falls as a power of t, and is 0 in all from t = 1,000 on if it falls."""
    one = played(runs=runs)
    gaps = np.where(one.checkpoints < 1_000, first * one.checkpoints**-power, first * (power == 0.0))
    return dataclasses.replace(one, simple_regret=np.linspace(0.5, 1.5, runs)[:, None] * gaps)


@pytest.mark.sampled(1)
@pytest.mark.jit
@pytest.mark.usefixtures("house_style")
@pytest.mark.parametrize("count", [1, 2, 4, 8])
def test_the_figure_can_be_read_and_says_which_lines_leave_it(count):
    names = ["greedy", *(f"a policy with a rather long name number {index}" for index in range(1, count))]
    table = curves(**{name: slower(0.4, 0.2 * index) for index, name in enumerate(names)})
    axes = new_axes()
    simple_regret.draw_simple_regret(axes, table, Context(runs=200, title="Simple regret"))
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")
    assert_readable(axes)
    said = legend_text(axes)
    assert ("a mean of 0 is below the view" in said) == (count > 1)
    assert said.count("≤") == count - 1
    assert "greedy: 0.4" in said
    assert len(axes.collections) == (count if count <= 3 else 0)
    means = [line for line in drawn_lines(axes) if len(line.get_xdata()) > 2]
    assert len(means) == count


@pytest.mark.jit
def test_equal_arms_have_no_such_figure():
    (figure,) = [figure for figure in save.FIGURES if figure.name == "simple_regret"]
    assert figure.when is not None
    result = simulate(["ucb", "moss"], MEANS, 100, 5)
    assert figure.when(result.curves, {"policies": ["moss"]})
    assert not figure.when(simulate("ucb", [0.5, 0.5], 100, 5).curves, {"policies": None})


@pytest.mark.jit
@pytest.mark.usefixtures("house_style")
def test_gaps_without_a_largest_value_leave_the_figure_finite():
    axes = new_axes()
    simple_regret.draw_simple_regret(axes, simulate("ucb", RandomGaussian(arms=3), 50, 20).curves)
    assert_readable(axes)
    assert "95 %" not in legend_text(axes)
