"""Simple regret: the arm that a policy would recommend as it goes, in all kernels, in tables and in the figure."""

from __future__ import annotations

import dataclasses
from itertools import permutations

import numpy as np
import pytest

from bandits import UCB, Arms, Bernoulli, Gaussian, Policy, simulate, summaries
from bandits.figures import save, simple_regret
from bandits.replications import tie_breakers
from bandits.simulation import replicate_steps
from numerics.statistics import mean_interval
from tests.bandits.policies import EXAMPLES, LIMITED, PLANNED
from tests.drawn import assert_readable, curves, drawn_lines, legend_text, new_axes, played
from tests.internals import POLICIES, Context, check, layers, recommendation_at_means

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
    result = simulate(policy, arms, 60, 2, SEED, checkpoints=range(1, 61))
    for run in range(2):
        assert result.simple_regret[run, :-1].tolist() == twin(policy, arms, 60, run)


@pytest.mark.kernels
@pytest.mark.parametrize("arms", [4, 70])
def test_the_faster_kernels_recommend_the_same(arms):
    bernoulli = Bernoulli(np.random.default_rng(arms).random(arms).round(2).tolist())
    fast, general = (
        simulate(UCB(0.5), bernoulli, 90, 6, SEED, checkpoints=range(1, 91), block=block).simple_regret
        for block in (None, 3)
    )
    assert (fast == general).all()
    assert fast[5, :-1].tolist() == twin(UCB(0.5), bernoulli, 90, 5)


@pytest.mark.kernels
def test_a_class_of_the_user_recommends_the_highest_mean_too():
    result = simulate(TakesTurns, MEANS, 50, 2, SEED, checkpoints=range(1, 51))
    assert result.simple_regret[1, :-1].tolist() == twin(POLICIES.of(TakesTurns), Bernoulli(MEANS), 50, 1)


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


@pytest.mark.jit
@pytest.mark.usefixtures("house_style")
@pytest.mark.parametrize("count", [1, 8])
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


# ---------------------------------------------------------------- the order of the arms


IN_ORDER = (0.5, 0.4, 0.3)


def counted(policy: Policy, arms: int) -> bool:
    """Return whether exact expectations of a policy exist."""
    try:
        check(policy, arms, 12)
    except ValueError:
        return False
    return True


EXACT = [(policy, arms) for policy in [*EXAMPLES, *PLANNED, *LIMITED] for arms in (2, 3) if counted(policy, arms)]


@pytest.mark.jit
@pytest.mark.parametrize(("policy", "arms"), EXACT, ids=str)
def test_exact_errors_are_the_same_in_every_order(policy, arms):
    """After as many pulls of every arm, if they are pulled in turn."""
    *_, last = layers(policy, arms, 12)
    found = [recommendation_at_means(last, policy, means) for means in permutations(IN_ORDER[:arms])]
    assert 0.0 < found[0].wrong < 1.0
    for other in found[1:]:
        assert other.wrong == pytest.approx(found[0].wrong, abs=1e-12)
        assert other.simple_regret == pytest.approx(found[0].simple_regret, abs=1e-12)
