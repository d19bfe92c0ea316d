"""Worlds that change: the means of every moment, what is played in them, and the regrets."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from bandits import (
    UCB,
    AbruptBest,
    Arms,
    Bernoulli,
    Custom,
    Drift,
    Gaussian,
    Piecewise,
    RandomBernoulli,
    Sine,
    make,
    simulate,
)
from bandits.simulation import replicate
from tests import naive, naive_worlds
from tests.bandits.test_own_rules import win_stay
from tests.bandits.test_plain import WinStay
from tests.internals import ChangingArms

pytestmark = pytest.mark.kernels

HORIZON, RUNS, SEED = 90, 5, 31
ROWS = [[0.6, 0.1, 0.2], [0.9, 0.9, 0.3], [0.0, 0.0, 0.0], [1.0, 0.2, 1.0]]
JUMPS = Piecewise([0.2, 0.5, 0.6], changes=[1, 30, 31, 60], means=ROWS)
NORMAL = Gaussian([0.2, 0.5, 0.6], scale=0.3)
BEST = AbruptBest([0.2, 0.5, 0.4], best=0.9, changes=[20, 50])
WALK = Drift([0.2, 0.5, 0.9], step=0.3, every=4)
FREE = Drift(NORMAL, step=0.4)
SWING = Sine([0.4, 0.5, 0.6], amplitude=0.3, period=40, every=3)
SHUFFLED = Piecewise([0.2, 0.5, 0.6], rate=0.08)
REDRAWN = Piecewise(RandomBernoulli(arms=3), changes=[20, 50])
WORLDS = [JUMPS, BEST, WALK, FREE, SWING, SHUFFLED, REDRAWN, AbruptBest(NORMAL, best=2.0, rate=0.1)]


def rows_of(arms: Arms, run: int, horizon: int = HORIZON) -> np.ndarray:
    """Return the means of each step of a replication, from the table of the kernels."""
    starts, means = arms.segments(SEED, run, 1, horizon)
    return np.array([means[0, np.searchsorted(starts[0], step, side="right") - 1] for step in range(horizon)])


def test_every_world_is_here():
    changing = {name for name, cls in Arms.members.items() if issubclass(cls, ChangingArms)}
    assert {arms.name for arms in WORLDS} == changing


def naive_rows(arms: ChangingArms, run: int) -> naive_worlds.Rows:
    """Return the means of each step of a replication from the naive twin of a world."""
    first = list(arms.arms.fixed_means)
    if isinstance(arms, Drift):
        return naive_worlds.walks(first, arms.step, arms.every, *arms.ends, HORIZON, SEED, run)
    if isinstance(arms, Sine):
        return naive_worlds.swings(first, arms.amplitude, arms.period, arms.every, HORIZON)
    changes = arms.changes or naive_worlds.random_changes(arms.rate, HORIZON, SEED, run)
    if isinstance(arms, AbruptBest):
        return naive_worlds.best_arms(changes, first, arms.best, HORIZON, SEED, run)
    return naive_worlds.jumps(changes, [first, *arms.means], HORIZON)


@pytest.mark.parametrize("arms", [one for one in WORLDS if one not in (SHUFFLED, REDRAWN)], ids=str)
def test_the_table_of_means_is_that_of_the_naive_twin(arms: ChangingArms):
    for run in (0, 3):
        np.testing.assert_allclose(rows_of(arms, run), naive_rows(arms, run), rtol=1e-9, atol=1e-12)


def test_means_that_are_not_given_are_new_at_each_change_and_in_each_replication():
    starts, means = SHUFFLED.segments(SEED, 0, 400, HORIZON)
    assert (np.sort(means, axis=2) == [0.2, 0.5, 0.6]).all()
    orders = {tuple(row) for row in means[:, 1].tolist()}
    assert len(orders) == 6
    for run in (0, 3):
        changes = naive_worlds.random_changes(SHUFFLED.rate, HORIZON, SEED, run)
        assert [start for start in starts[run] if start < HORIZON] == [0, *changes]
    drawn = REDRAWN.segments(SEED, 0, 400, HORIZON)[1]
    assert len(set(drawn.ravel().tolist())) == drawn.size
    assert abs(drawn[:, 1:].mean() - 0.5) < 5.0 / np.sqrt(12.0 * drawn[:, 1:].size)


@pytest.mark.parametrize("arms", WORLDS, ids=str)
def test_the_kernel_plays_a_changing_world_as_the_scalar_simulation_does(arms: ChangingArms):
    law = getattr(naive, "bernoulli" if arms.kind == "Bernoulli" else "gaussian")
    pick = naive.indexed(lambda n, m, v, t: naive.ucb(n, m, t))
    rows, scale = [rows_of(arms, run) for run in range(RUNS)], getattr(arms.arms, "scale", 1.0)
    played = [naive.table(naive.play(pick, rows[run].tolist(), law, SEED, run, scale=scale)) for run in range(RUNS)]
    expected = {name: np.array([steps[name] for steps in played]) for name in naive.Step._fields}
    for block in (2, 64):
        result = simulate(UCB(), arms, HORIZON, RUNS, SEED, checkpoints=range(1, HORIZON + 1), block=block)
        kept = result.replications
        np.testing.assert_array_equal(kept.reward, expected["reward"])
        np.testing.assert_array_equal(kept.optimal, expected["best"])
        np.testing.assert_allclose(kept.pseudo_regret, expected["pseudo_regret"], rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(kept.fixed_regret, expected["fixed_regret"], rtol=1e-10, atol=1e-10)
        np.testing.assert_allclose(kept.realised_regret, expected["realised_regret"], rtol=1e-10, atol=1e-10)
        np.testing.assert_array_equal(kept.best_pulls, expected["best"].cumsum(axis=1))
        np.testing.assert_allclose(kept.optimal_pulls, expected["best"].mean(axis=1), rtol=1e-12)
        np.testing.assert_allclose(kept.lost.sum(axis=1), expected["pseudo_regret"][:, -1], rtol=1e-12)
        np.testing.assert_allclose(kept.means, [table.mean(axis=0) for table in rows], rtol=1e-12)


@pytest.mark.parametrize("arms", WORLDS, ids=str)
def test_shards_tables_and_workers_change_no_bit_of_a_changing_world(arms: Arms, monkeypatch: pytest.MonkeyPatch):
    whole = simulate("thompson_gaussian", arms, HORIZON, RUNS, SEED).replications
    monkeypatch.setattr(sys.modules["bandits.simulation"], "_TABLE", 1)  # a table for each replication
    part = replicate(make("thompson_gaussian"), arms, HORIZON, whole.checkpoints, SEED, 2, 3)
    for name in ("means", "pulls", "pseudo_regret", "against_fixed", "lost", "best_pulls", "reward", "simple_regret"):
        np.testing.assert_array_equal(getattr(part, name), getattr(whole, name)[2:])


def test_a_plain_class_plays_a_changing_world_as_the_compiled_rule_of_the_same_choices():
    for arms in (JUMPS, FREE):
        ours, theirs = (simulate(one, arms, HORIZON, RUNS, SEED).replications for one in (Custom(win_stay), WinStay))
        for name in ("pulls", "reward", "pseudo_regret", "fixed_regret", "realised_regret", "lost", "means"):
            np.testing.assert_allclose(getattr(theirs, name), getattr(ours, name), rtol=1e-9, atol=1e-9)


def test_a_world_that_never_changes_in_effect_is_the_standing_one_to_the_last_bit():
    still = Bernoulli([0.2, 0.5, 0.6])
    same = Piecewise(still, changes=[10, 60], means=[[0.2, 0.5, 0.6]] * 2)
    for policy in ("ucb", "exp3", "thompson"):
        one, other = (simulate(policy, arms, HORIZON, RUNS, SEED).replications for arms in (still, same))
        np.testing.assert_array_equal(one.pulls, other.pulls)
        np.testing.assert_array_equal(one.reward_sum, other.reward_sum)
        np.testing.assert_allclose(one.pseudo_regret, other.pseudo_regret, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(one.fixed_regret, other.fixed_regret, rtol=1e-12, atol=1e-9)
        assert not one.changing
        assert one.fixed_regret is one.pseudo_regret
