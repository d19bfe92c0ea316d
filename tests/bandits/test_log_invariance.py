"""Values and intervals from a log follow its rewards: whatever their unit and zero, and however large they are."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from bandits import Log, evaluate
from numerics.statistics import interval_of
from tests.internals import ESTIMATORS, FEW_REWARDS, INTERVALS, check_question, logged_value

pytestmark = pytest.mark.jit  # how kernels run decides nothing here

MOVES = [(1.0, 100.0), (1.0, -3.0), (0.01, 0.0), (7.0, 2.0)]  # a and b of a r + b


def log_of(few: bool, alike: bool, seed: int = 0) -> Log:
    """A log of three arms with a feature; where few pay, the rows with large weights hardly do."""
    rng, shown = np.random.default_rng(seed), np.full(3, 1 / 3) if alike else np.array([0.7, 0.2, 0.1])
    arm = rng.choice(3, 900, p=shown).astype(np.int32)
    x = rng.normal(size=(900, 1))
    chance = np.array([0.03, 0.02, 0.02] if few else [0.3, 0.5, 0.4])[arm] * (1.0 + 0.5 * np.tanh(x[:, 0]))
    reward = (rng.random(900) < chance).astype(float)
    return Log(("a", "b", "c"), arm, reward, shown[arm], np.arange(900.0), features=x)


def moved(log: Log, a: float, b: float) -> Log:
    return Log(log.names, log.arm, a * log.reward + b, log.propensity, log.time, features=log.features)


@pytest.mark.parametrize("model", ["means", "ridge"])
@pytest.mark.parametrize("few", [False, True], ids=["many pay", "few pay"])
@pytest.mark.parametrize("interval", INTERVALS)
@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_a_value_and_its_interval_follow_a_change_of_the_unit_and_the_zero_of_rewards(estimator, interval, few, model):
    for alike in (True, False):
        log = log_of(few, alike)
        asked = {"estimator": estimator, "interval": interval, "clip": 4.0, "model": model}
        (before,) = evaluate(log, "uniform", bounds=(-5.0, 6.0), **asked).values
        assert (before.rest.heavy.others < FEW_REWARDS) == few
        for a, b in MOVES:
            if b and not alike and estimator in ("ips", "clipped_ips"):
                continue  # these estimates themselves do not follow: b comes in with the mean weight
            (after,) = evaluate(moved(log, a, b), "uniform", bounds=(b - 5.0 * a, b + 6.0 * a), **asked).values
            found, expected = [after.value, after.low, after.high], [before.value, before.low, before.high]
            assert found == pytest.approx([a * number + b for number in expected], rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("interval", INTERVALS)
def test_the_value_of_the_logs_policy_and_its_interval_follow_too(interval):
    log = log_of(few=False, alike=False)
    before = logged_value(log, check_question(log, None, interval, 1.0, (-5.0, 6.0)))
    for a, b in MOVES:
        other = moved(log, a, b)
        after = logged_value(other, check_question(other, None, interval, 1.0, (b - 5.0 * a, b + 6.0 * a)))
        found, expected = [after.value, after.low, after.high], [before.value, before.low, before.high]
        assert found == pytest.approx([a * number + b for number in expected], rel=1e-9)


@pytest.mark.parametrize("b", [0.0, 50.0])
def test_ips_adds_a_constant_times_the_mean_weight_as_its_definition_says(b):
    log = log_of(few=False, alike=False)
    before, after = (evaluate(each, "uniform", estimator="ips").values[0] for each in (log, moved(log, 1.0, b)))
    assert after.value == pytest.approx(before.value + b * before.rest.mean_weight)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_where_most_rows_pay_the_interval_has_students_width(estimator):
    i = np.arange(2_000)
    reward = np.where(i % 2 == 0, i // 2 % 100 < 90, i // 2 % 100 < 94).astype(float)  # means 0.9 and 0.94
    log = Log(("a", "b"), (i % 2).astype(np.int32), reward, np.full(2_000, 0.5))
    half = float(stats.t.ppf(0.975, 1_999)) * reward.std(ddof=1) / np.sqrt(2_000)
    logged = logged_value(log, check_question(log, None, "student", None, None))
    assert [logged.low, logged.high] == pytest.approx([*map(float, interval_of(reward))], rel=1e-12)
    (value,) = evaluate(log, "uniform", estimator=estimator).values
    for each in (logged, value):
        assert each.value == pytest.approx(0.92)
        assert (each.low, each.high) == pytest.approx((0.92 - half, 0.92 + half), abs=0.0012)  # and skewness
        assert each.warning == ""


@pytest.mark.parametrize("interval", INTERVALS)
def test_every_policy_of_a_wide_log_has_the_interval_of_the_mean_of_what_it_earns(interval):
    rewards = 5.0 + (np.random.default_rng(1).random((800, 2)) < 0.4)
    log = Log(("a", "b"), np.empty(0, np.int32), np.empty(0), time=np.arange(800.0), rewards=rewards)
    (value,) = evaluate(log, "arm arm=a", interval=interval, bounds=(5.0, 6.0)).values
    if interval == "student":
        assert [value.low, value.high] == pytest.approx([*map(float, interval_of(rewards[:, 0]))], rel=1e-12)
    assert 5.0 <= value.low < value.value < value.high <= 6.0


@pytest.mark.parametrize("interval", INTERVALS)
@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_a_value_lies_within_its_interval_and_both_within_the_bounds_of_rewards(estimator, interval):
    shown, above = np.array([0.4, 0.3, 0.2, 0.1]), 0
    for seed in range(20):
        rng = np.random.default_rng([6, seed])
        arm = rng.choice(4, 600, p=shown).astype(np.int32)
        reward = (rng.permutation(600) >= 15).astype(float)  # all but 15 rows pay 1
        log = Log(tuple("abcd"), arm, reward, shown[arm], np.arange(600.0))
        (value,) = evaluate(log, "uniform", estimator=estimator, interval=interval, clip=10.0).values
        assert 0.0 <= value.low <= value.value <= value.high <= 1.0
        above += value.value == 1.0
    assert above > 0 or estimator not in ("ips", "clipped_ips")  # else nothing was tried


def test_the_largest_numbers_that_a_log_may_hold_make_no_warning():
    log = log_of(few=False, alike=False)
    large = Log(log.names, log.arm, log.reward * 1e40, log.propensity, log.time)
    for estimator in ESTIMATORS:
        (value,) = evaluate(large, "uniform", estimator=estimator).values
        assert np.isfinite([value.low, value.high]).all()
    rare = np.where(np.arange(900) == 7, 1e-40, log.propensity)
    both = Log(log.names, log.arm, large.reward, rare, log.time)
    assert "one row has 100 % of the total weight" in evaluate(both, "uniform").values[0].refused
