"""The kernels for rewards of 0 and 1 pull the arms that the general kernel pulls, to the last one."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
import pytest

from bandits import (
    MOSS,
    UCB,
    Arms,
    Bernoulli,
    Custom,
    Gaussian,
    Greedy,
    RandomBernoulli,
    Thompson,
    bonus_rule,
    make,
    simulate,
)
from bandits.kernels import counting, general, many_arms
from bandits.replications import Replications
from bandits.simulation import bonuses_of, default_checkpoints, prepare, replicate
from bandits.spec import PolicySpec
from tests.internals import LONGEST, MOST_ARMS, Estimates

pytestmark = pytest.mark.kernels

TEN = Bernoulli(np.linspace(0.1, 0.9, 10).tolist())
MORE = MOST_ARMS + 1  # played by the kernel of many arms, fewer by the counting kernel


@bonus_rule
def waves(t):
    return 1.0 + math.sin(t)


@bonus_rule
def falling(t):
    return 100.0 / t


class _Like:
    """UCB1 with another setting of the kernel; no subclass, which would be listed as a policy."""

    name, by_pulls, alarms = "like", False, False

    def __init__(self, **setting: Any):
        self.formula, self.setting = str(setting), setting

    def spec(self) -> PolicySpec:
        return dataclasses.replace(UCB().spec(), estimates=Estimates(**self.setting))


def assert_same(policy: object, arms: Arms, horizon: int, runs: int, seed: int = 0) -> None:
    """Play with the kernel that the library chooses, which must be a fast one, and with the general one."""
    assert bonuses_of(policy, arms, horizon) is not None
    times = default_checkpoints(horizon)
    chosen, general = (replicate(policy, arms, horizon, times, seed, 0, runs, block) for block in (None, 64))
    for field in dataclasses.fields(Replications):
        np.testing.assert_array_equal(getattr(chosen, field.name), getattr(general, field.name), err_msg=field.name)


@pytest.mark.parametrize(
    ("arms", "runs"),  # a block, parts of one, and more
    [*((TEN, runs) for runs in (17, 64)), *((RandomBernoulli(MORE), runs) for runs in (4, 5))],
    ids=lambda value: getattr(value, "name", value),
)
def test_all_numbers_are_those_of_the_general_kernel(arms: Arms, runs: int):
    assert_same(UCB(), arms, arms.count + 50, runs, seed=runs)


@pytest.mark.parametrize("c", [0.0, 1e-320, 1e-42, 1e-9, 0.3, 1e9])
def test_so_they_are_for_any_bonus(c: float):
    assert_same(UCB(c), RandomBernoulli(10), 50, 9)
    assert_same(UCB(c), RandomBernoulli(70), 90, 2)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("rule", ["waves", "falling"])
def test_so_they_are_for_a_bonus_that_rises_and_falls(rule: str):
    assert_same(Custom(rule=f"{__name__}.{rule}"), RandomBernoulli(70), 230, 2)


@pytest.mark.parametrize(
    "arms",
    [
        Bernoulli([0.0, 0.0]),  # ties at every step
        Bernoulli([0.5] * 9),  # nine numbers take four bits of an index
        RandomBernoulli(MOST_ARMS),
        RandomBernoulli(7),  # other means in each replication
        Bernoulli([0.0] * MORE),  # ties at every step, of all arms
        Bernoulli([0.2] * 40 + [0.6] * 40 + [0.6000000000000001]),
    ],
    ids=lambda arms: f"{arms.count} arms",
)
def test_so_they_are_where_arms_are_alike(arms: Arms):
    assert_same(UCB(), arms, arms.count + 70, 2 if arms.count == MORE else min(20, 600 // arms.count), seed=5)
    assert_same(UCB(0.0), arms, arms.count + 40, 2, seed=6)


@pytest.mark.parametrize("count", [10, MORE])
def test_so_they_are_for_a_horizon_shorter_than_the_number_of_arms_and_just_after(count: int):
    for horizon in (1, count - 1, count, count + 1):
        assert_same(UCB(), RandomBernoulli(count), horizon, 2)


def test_so_they_are_for_other_rules_and_more_first_pulls():
    for policy in (make("polynomial"), make("asymptotic_ucb"), _Like(explore=2)):
        assert_same(policy, RandomBernoulli(67), 190, 2)


@pytest.mark.sampled(3)
@pytest.mark.jit
@pytest.mark.parametrize(
    ("arms", "horizon", "runs", "c"),
    [
        (RandomBernoulli(10), 10_000, 64, math.sqrt(2.0)),
        (RandomBernoulli(MOST_ARMS), 5_000, 64, 0.1),
        (Bernoulli([0.9, 0.8]), LONGEST, 1, math.sqrt(2.0)),
        (RandomBernoulli(MORE), 20_000, 3, math.sqrt(2.0)),
        (Bernoulli(np.linspace(0.1, 0.9, 1_025).tolist()), 3_000, 2, 0.1),
        (Bernoulli([0.001] * 99 + [0.002]), 30_000, 2, math.sqrt(2.0)),
    ],
    ids=["random", "most", "longest", "more", "spread", "rare of many"],
)
def test_so_they_are_in_long_runs(arms: Arms, horizon: int, runs: int, c: float):
    assert_same(UCB(c), arms, horizon, runs, seed=1)


@pytest.mark.parametrize("arms", [TEN, RandomBernoulli(MORE)], ids=["few", "many"])
def test_parts_of_a_run_are_its_rows_and_workers_change_nothing(arms: Arms):
    horizon = arms.count + 20
    times = np.array([20, horizon])
    whole = replicate(UCB(), arms, horizon, times, 3, 0, 70)
    for first, runs in ((0, 3), (3, 1), (5, 64)):
        part = replicate(UCB(), arms, horizon, times, 3, first, runs)
        np.testing.assert_array_equal(part.pulls, whole.pulls[first : first + runs])
        np.testing.assert_array_equal(part.best_reward_sum, whole.best_reward_sum[first : first + runs])
    np.testing.assert_array_equal(simulate(UCB(), arms, horizon, 10, 3, workers=2).pulls, whole.pulls[:10])


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("policy", "arms", "horizon"),
    [
        (UCB(), Gaussian([0.0, 1.0]), 50),  # rewards that cannot be counted
        (UCB(), TEN, LONGEST + 1),
        (UCB(1e100), TEN, 50),  # a bonus beyond float32
        (MOSS(), TEN, 50),
        (Greedy(), TEN, 50),
        (Custom(rule="tests.bandits.test_own_rules.negative"), TEN, 50),
        (_Like(explore=0), TEN, 50),
        (_Like(step_size=0.1), TEN, 50),
        (_Like(prior_pulls=1.0), TEN, 50),
    ],
    ids=lambda value: getattr(value, "formula", None),
)
def test_what_cannot_be_counted_is_left_to_the_general_kernel(policy: object, arms: Arms, horizon: int):
    assert bonuses_of(policy, arms, horizon) is None
    if horizon < 1_000 and not isinstance(policy, _Like):
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


@pytest.mark.jit
@pytest.mark.parametrize(
    ("policy", "arms", "kernel"),
    [
        (UCB(), 10, counting.play_counting),
        (UCB(), MORE, many_arms.play_many_arms),
        (Thompson(), 10, general.play),
    ],
    ids=["few arms", "many arms", "no bonus"],
)
def test_the_kernel_that_plays_is_compiled_before_the_first_replication(policy, arms, kernel, monkeypatch):
    compiled = []
    monkeypatch.setitem(prepare.__globals__, "compile_now", compiled.append)
    prepare(policy, Bernoulli(means=np.linspace(0.1, 0.9, arms)), 5_000)
    assert compiled == [kernel]
