"""The counting kernel pulls the arms that the general kernel pulls, to the last one, and plays only what it can."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
import pytest

from bandits import MOSS, UCB, Arms, Bernoulli, Custom, Gaussian, Greedy, Optimistic, RandomBernoulli, simulate
from bandits.kernels.arguments import Estimates
from bandits.kernels.counting import LONGEST, MOST_ARMS
from bandits.replications import Replications
from bandits.simulation import bonuses_of, replicate
from bandits.spec import PolicySpec

pytestmark = pytest.mark.kernels

TEN = Bernoulli(np.linspace(0.1, 0.9, 10).tolist())


def _assert_same(policy: object, arms: Arms, horizon: int, runs: int, seed: int = 0) -> None:
    """Play with the kernel that the library chooses, which must be the counting one, and with the general one."""
    assert bonuses_of(policy, arms, horizon) is not None
    chosen = simulate(policy, arms, horizon, runs, seed).replications
    general = simulate(policy, arms, horizon, runs, seed, block=64).replications
    for field in dataclasses.fields(Replications):
        np.testing.assert_array_equal(getattr(chosen, field.name), getattr(general, field.name), err_msg=field.name)


@pytest.mark.parametrize("runs", [1, 16, 17, 64, 130])  # a block, parts of one, and more
def test_all_numbers_are_those_of_the_general_kernel(runs: int):
    _assert_same(UCB(), TEN, 40, runs, seed=runs)


@pytest.mark.parametrize("c", [0.0, 1e-320, 1e-42, 1e-9, 0.3, math.sqrt(2.0), 1e9])
def test_so_they_are_for_any_bonus(c: float):
    _assert_same(UCB(c), TEN, 50, 64)


@pytest.mark.parametrize(
    "arms",
    [
        Bernoulli([0.0, 0.0]),  # ties at every step
        Bernoulli([1.0, 1.0, 0.0, 0.5]),
        Bernoulli([0.5] * 9),  # nine numbers take four bits of an index
        RandomBernoulli(MOST_ARMS),
        RandomBernoulli(7),  # other means in each replication
    ],
    ids=lambda arms: arms.describe(),
)
def test_so_they_are_for_any_arms(arms: Arms):
    _assert_same(UCB(), arms, arms.count + 30, 64, seed=5)


@pytest.mark.parametrize("horizon", [1, 2, 9, 10, 11, 13])
def test_so_they_are_while_every_arm_is_pulled_once_and_just_after(horizon: int):
    arms = TEN if horizon > 10 else Bernoulli(np.linspace(0.1, 0.9, max(2, horizon)).tolist())
    _assert_same(UCB(), arms, max(horizon, arms.count), 64)


@pytest.mark.sampled(2)
@pytest.mark.jit
@pytest.mark.parametrize(
    ("arms", "horizon", "runs"),
    [
        (TEN, 10_000, 640),
        (RandomBernoulli(10), 10_000, 320),
        (RandomBernoulli(MOST_ARMS), 5_000, 128),
        (Bernoulli([0.001] * 5 + [0.002]), 50_000, 64),
        (Bernoulli([0.9, 0.8]), LONGEST, 64),
    ],
    ids=["ten", "random", "most arms", "rare successes", "longest"],
)
def test_so_they_are_in_long_runs(arms: Arms, horizon: int, runs: int):
    _assert_same(UCB(), arms, horizon, runs, seed=1)


@pytest.mark.long
def test_a_rule_of_a_user_is_counted_too_and_gives_the_numbers_of_the_built_in_one():
    custom = Custom(rule="benchmarks.own_rule.my_ucb", c=math.sqrt(2.0))
    _assert_same(custom, TEN, 60, 64)
    np.testing.assert_array_equal(simulate(custom, TEN, 60, 64).pulls, simulate(UCB(), TEN, 60, 64).pulls)


def test_parts_of_a_run_are_its_rows_whichever_kernel_plays_them():
    times = np.array([20, 60])
    whole = replicate(UCB(), TEN, 60, times, 3, 0, 200)
    for first, runs in ((0, 5), (5, 64), (69, 31), (100, 100)):
        part = replicate(UCB(), TEN, 60, times, 3, first, runs)
        np.testing.assert_array_equal(part.pulls, whole.pulls[first : first + runs])
        np.testing.assert_array_equal(part.best_reward_sum, whole.best_reward_sum[first : first + runs])


class _Played:
    """UCB1 with another setting of the kernel; no subclass, which would be listed as a policy."""

    def __init__(self, **setting: Any):
        self.formula, self.setting = str(setting), setting

    def spec(self) -> PolicySpec:
        return dataclasses.replace(UCB().spec(), estimates=Estimates(**self.setting))


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("policy", "arms", "horizon"),
    [
        (UCB(), Gaussian([0.0, 1.0]), 50),  # rewards that cannot be counted
        (UCB(), TEN, LONGEST + 1),
        (UCB(1e100), TEN, 50),  # a bonus beyond float32
        (MOSS(), TEN, 50),
        (Greedy(), TEN, 50),
        (Optimistic(), TEN, 50),
        (Custom(rule="tests.bandits.test_own_rules.negative"), TEN, 50),
        (_Played(explore=0), TEN, 50),
        (_Played(step_size=0.1), TEN, 50),
        (_Played(prior_pulls=1.0), TEN, 50),
    ],
    ids=lambda value: getattr(value, "formula", None),
)
def test_what_cannot_be_counted_is_left_to_the_general_kernel(policy: object, arms: Arms, horizon: int):
    assert bonuses_of(policy, arms, horizon) is None
    if horizon < 1_000 and not isinstance(policy, _Played):
        assert simulate(policy, arms, horizon, 64).pulls.sum() == horizon * 64


def test_bonuses_are_those_of_the_formula_at_each_t_and_none_before():
    found = bonuses_of(UCB(0.7), TEN, 100)
    assert found is not None
    assert (found[:10] == 0.0).all()
    assert found[10:].tolist() == [0.7 * math.sqrt(math.log(t)) for t in range(11, 101)]


def test_an_index_in_float32_is_within_five_units_of_its_last_place():
    """The bound on which the kernel's margins stand, by the kernel's own operations on numbers of many sizes."""
    rng = np.random.default_rng(1)
    n = np.concatenate([np.arange(1, 2_000), rng.integers(1, 2**20, 200_000)])
    s = np.minimum(rng.integers(0, 2**20, n.size), n) // rng.choice([1, 2, 10, 1000, 2**20], n.size)
    bonus = rng.choice([0.0, 1e-44, 1e-20, 0.01, 1.0, math.sqrt(2.0 * math.log(1e4)), 1e9, 2.0**59], n.size)
    exact = s / n + bonus * (1.0 / np.sqrt(n))
    w = (1.0 / np.sqrt(n)).astype(np.float32)
    found = s.astype(np.float32) * w * w + bonus.astype(np.float32) * w
    units = found.view(np.int32).astype(np.int64) - exact.astype(np.float32).view(np.int32)
    assert np.abs(units).max() <= 5
    assert np.abs(units).max() >= 2  # numbers on which float32 does err
