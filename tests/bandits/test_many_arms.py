"""The kernel of many arms pulls the arms that the general kernel pulls, to the last one."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

from bandits import UCB, Arms, Bernoulli, Custom, RandomBernoulli, bonus_rule, make, simulate
from bandits.kernels import counting, many_arms
from bandits.kernels.arguments import Estimates
from bandits.kernels.counting import MOST_ARMS
from bandits.replications import Replications
from bandits.simulation import bonuses_of, default_checkpoints, replicate
from bandits.spec import PolicySpec

pytestmark = pytest.mark.kernels

MORE = MOST_ARMS + 1


@bonus_rule
def waves(t):
    return 1.0 + math.sin(t)


@bonus_rule
def falling(t):
    return 100.0 / t


class _Twice:
    """UCB1 that pulls every arm twice first; no subclass, which would be listed as a policy."""

    name, by_pulls, alarms = "twice", False, False

    def spec(self) -> PolicySpec:
        return dataclasses.replace(UCB().spec(), estimates=Estimates(explore=2))


def assert_same(policy: object, arms: Arms, horizon: int, runs: int, seed: int = 0) -> None:
    """Play with the kernel that the library chooses, which must be the one of many arms, and with the general one."""
    assert arms.count > MOST_ARMS
    assert bonuses_of(policy, arms, horizon) is not None
    times = default_checkpoints(horizon)
    chosen, general = (replicate(policy, arms, horizon, times, seed, 0, runs, block) for block in (None, 8))
    for field in dataclasses.fields(Replications):
        np.testing.assert_array_equal(getattr(chosen, field.name), getattr(general, field.name), err_msg=field.name)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("runs", [1, 4, 5, 9])  # as many as advance together, fewer, and more
def test_all_numbers_are_those_of_the_general_kernel(runs: int):
    assert_same(UCB(), RandomBernoulli(MORE), MORE + 90, runs, seed=runs)


@pytest.mark.parametrize("c", [0.0, 1e-320, 1e-9, 0.3, math.sqrt(2.0), 1e9])
def test_so_they_are_for_any_bonus(c: float):
    assert_same(UCB(c), RandomBernoulli(70), 160, 3)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("rule", ["waves", "falling"])
def test_so_they_are_for_a_bonus_that_rises_and_falls(rule: str):
    custom = Custom(rule=f"tests.bandits.test_many_arms.{rule}")
    assert_same(custom, RandomBernoulli(70), 230, 2)


@pytest.mark.parametrize(
    "arms",
    [
        Bernoulli([0.0] * MORE),  # ties at every step, of all arms
        Bernoulli([1.0] * MORE),
        Bernoulli([0.5] * 80),
        Bernoulli([0.2] * 40 + [0.6] * 40 + [0.6000000000000001]),
    ],
    ids=["never", "always", "equal", "two means"],
)
def test_so_they_are_where_arms_are_alike(arms: Arms):
    assert_same(UCB(), arms, arms.count + 130, 3, seed=5)
    assert_same(UCB(0.0), arms, arms.count + 70, 2, seed=6)


@pytest.mark.parametrize("more", [-60, -1, 0, 1, 2])
def test_so_they_are_for_a_horizon_shorter_than_the_number_of_arms_and_just_after(more: int):
    assert_same(UCB(), RandomBernoulli(MORE), MORE + more, 3)


def test_so_they_are_for_other_rules_and_more_first_pulls():
    for policy in (make("polynomial"), make("asymptotic_ucb"), _Twice()):
        assert_same(policy, RandomBernoulli(67), 190, 2)


@pytest.mark.sampled(7)
@pytest.mark.jit
@pytest.mark.parametrize("c", [0.0, 0.1, math.sqrt(2.0)])
@pytest.mark.parametrize(
    ("arms", "horizon", "runs"),
    [
        (RandomBernoulli(MORE), 20_000, 6),
        (Bernoulli([0.5] * 300), 10_000, 5),
        (RandomBernoulli(1_000), 4_000, 5),
        (Bernoulli(np.linspace(0.1, 0.9, 1_025).tolist()), 3_000, 3),
        (Bernoulli([0.001] * 99 + [0.002]), 30_000, 4),
    ],
    ids=["random", "equal", "thousand", "spread", "rare successes"],
)
def test_so_they_are_in_long_runs(arms: Arms, horizon: int, runs: int, c: float):
    assert_same(UCB(c), arms, horizon, runs, seed=1)


@pytest.mark.long
@pytest.mark.jit
def test_few_of_many_arms_are_asked(monkeypatch: pytest.MonkeyPatch):
    """A count, where a time would depend on the machine: arms of blocks that are asked, in plain Python."""
    asked: list[int] = []
    ask, arms, horizon = many_arms._ask, RandomBernoulli(400), 3_000

    def counted(means, widths, bonus, begun, end):
        asked.append(end - begun)
        return ask(means, widths, bonus, begun, end)

    monkeypatch.setattr(many_arms, "_ask", counted)
    monkeypatch.setattr(counting, "MOST_ARMS", arms.count)
    monkeypatch.setattr(counting, "play", many_arms.play.function)
    with np.errstate(divide="ignore"):  # 1 / sqrt(0), which is never looked up
        replicate(UCB(), arms, horizon, np.array([horizon]), 0, 0, 1)
    assert 0 < sum(asked) < 0.03 * arms.count * (horizon - arms.count)


def test_parts_of_a_run_are_its_rows():
    times = np.array([20, 100])
    whole = replicate(UCB(), RandomBernoulli(MORE), 100, times, 3, 0, 11)
    for first, runs in ((0, 3), (3, 1), (4, 7)):
        part = replicate(UCB(), RandomBernoulli(MORE), 100, times, 3, first, runs)
        np.testing.assert_array_equal(part.pulls, whole.pulls[first : first + runs])
        np.testing.assert_array_equal(part.best_reward_sum, whole.best_reward_sum[first : first + runs])


def test_workers_and_calls_change_nothing():
    arms = RandomBernoulli(MORE)
    one, two = (simulate(UCB(), arms, 120, 10, workers=workers) for workers in (1, 2))
    np.testing.assert_array_equal(one.pulls, two.pulls)
