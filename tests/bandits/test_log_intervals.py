"""Intervals of values from logs: by plain loops, as often as they say, and in any unit of rewards."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bandits import Log, evaluate
from numerics.statistics import interval as interval_of_mean
from numerics.statistics import interval_of, skewness, standard_error
from tests.bandits.logs import known_world
from tests.internals import (
    ESTIMATORS,
    FEW_REWARDS,
    INTERVALS,
    Sample,
    Terms,
    UniformPolicy,
    bernstein,
    check_question,
    interval_of_blocks,
    logged_value,
    student,
    terms,
    value_of,
)

pytestmark = pytest.mark.jit  # how kernels run decides nothing here


def plain_student(parts: Terms) -> tuple[float, float, bool]:
    """The ends where few rows pay by plain loops, and whether they are wider than those of the values alone."""
    values, weights, noise = (part.tolist() for part in parts)
    n, size = len(values), sum(map(abs, weights))
    centre = sum(abs(w) * e for w, e in zip(weights, noise, strict=True)) / size
    noise = [e - centre for e in noise]
    square = sum(abs(w) * e**2 for w, e in zip(weights, noise, strict=True)) / size
    cube = sum(abs(w) * e**3 for w, e in zip(weights, noise, strict=True)) / size
    model = [v - w * e for v, w, e in zip(values, weights, noise, strict=True)]
    spread = sum(w**2 for w in weights) / n * square + sum((m - sum(model) / n) ** 2 for m in model) / n
    error, skew = float(standard_error(parts.values)), float(skewness(parts.values))
    larger = math.sqrt(spread / n), sum(w**3 for w in weights) / n * cube / spread**1.5
    low, high = interval_of_mean(sum(values) / n, max(error, larger[0]), max(skew, larger[1]), n)
    return float(low), float(high), larger[0] > 1.1 * error and larger[1] > 1.1 * skew


@pytest.mark.parametrize(
    ("estimator", "means", "is_wider"),
    [("ips", [0.05, 0.0], True), ("dr", [0.05, 0.0], True), ("ips", [0.1, 0.9], False)],
)
def test_the_student_interval_is_that_of_plain_loops(estimator, means, is_wider):
    log = known_world(np.random.default_rng(12), 2_000, [0.98, 0.02], means)
    policy = np.array([0.7, 0.3])
    parts = terms(Sample(log.arm, log.reward, policy, policy[log.arm] / log.propensity), estimator, 1.0)
    low, high, wider = plain_student(parts)
    assert student(parts, few=True) == pytest.approx((low, high), rel=1e-12)
    assert student(parts, few=False) == tuple(map(float, interval_of(parts.values)))
    assert wider == is_wider


def test_rewards_that_the_heaviest_rows_lack_by_chance_are_reckoned_with():
    shown, means, policy, missed = [0.95, 0.05], [0.02, 0.02], np.array([0.2, 0.8]), {True: 0, False: 0}
    for seed in range(300):
        log = known_world(np.random.default_rng([13, seed]), 1_000, shown, means)
        parts = terms(Sample(log.arm, log.reward, policy, policy[log.arm] / log.propensity), "ips", 1.0)
        for corrected, (low, high) in ((True, student(parts, few=True)), (False, student(parts, few=False))):
            missed[corrected] += not low <= 0.02 <= high
    assert missed[True] <= 30  # of 300: 15 are expected at 95 %
    assert missed[False] > 60


def test_blocks_are_twenty_of_neighbouring_rows():
    values = np.random.default_rng(1).random(410).cumsum()
    parts = Terms(values, np.ones(410), values)
    means = [float(values[begin : begin + 21].mean()) for begin in range(0, 210, 21)]
    means += [float(values[begin : begin + 20].mean()) for begin in range(210, 410, 20)]
    assert interval_of_blocks(parts) == pytest.approx([float(end) for end in interval_of(np.array(means))], rel=1e-12)


def plain_margin(values: list[float], reach: float) -> float:
    """Maurer and Pontil 2009, Theorem 4, for values from 0 to reach, on either side at 0.05 / 3."""
    n, mean, log = len(values), sum(values) / len(values), math.log(2.0 / (0.05 / 3.0))
    variance = sum((value - mean) ** 2 for value in values) / (n - 1)
    return math.sqrt(2.0 * variance * log / n) + 7.0 * reach * log / (3.0 * (n - 1))


@pytest.mark.parametrize(
    ("rows", "clip", "size"), [(3_000, 2.0, 1.0), (3_000, 10.0, 1.0), (3_000, 10.0, 1.5), (1, 2.0, 1.0), (30, 2.0, 1.0)]
)
def test_the_bernstein_interval_is_that_of_plain_loops(rows, clip, size):
    log = known_world(np.random.default_rng(8), rows, [0.7, 0.2, 0.1], [0.3, 0.6, 0.5])
    policy, least, most = np.array([0.2, 0.5, 0.3]), -0.5, 2.0
    sample = Sample(log.arm, log.reward, policy, size * policy[log.arm] / log.propensity)
    found = bernstein(sample, clip, least, most)
    if rows < 100:  # so few rows say nothing
        assert found == (least, most)
        return
    weights = [min(weight, clip) for weight in sample.weight.tolist()]
    paid = [weight * (reward - least) for weight, reward in zip(weights, log.reward.tolist(), strict=True)]
    margin = plain_margin(paid, clip * (most - least))
    lost = 1.0 - sum(weights) / rows + plain_margin(weights, clip)
    low = least + sum(paid) / rows - margin
    high = least + sum(paid) / rows + margin + (most - least) * max(0.0, lost)
    assert least < low < high < most
    assert found == pytest.approx((low, high), rel=1e-12)


@pytest.mark.parametrize("interval", INTERVALS)
def test_the_interval_of_the_logs_policy_is_of_the_kind_asked_for_and_within_bounds(interval):
    log = known_world(np.random.default_rng(3), 400, [0.5, 0.5], [0.02, 0.03])
    question = check_question(log, None, interval, None, None)
    value = logged_value(log, question)
    assert value.interval == interval
    assert 0.0 <= value.low < value.value < value.high <= 1.0
    uniform = value_of(log, "uniform", UniformPolicy(), *check_question(log, "ips", interval, 1.0, None))
    nothing = Log(log.names, log.arm, np.zeros(400), log.propensity, log.time)
    silent = logged_value(nothing, question)
    assert silent.value == 0.0
    assert math.isnan(silent.low)
    assert silent.warning == "no row has a reward other than 0, so no interval can be given"
    if interval != "student":  # propensities are 1 / 2: the rows have the same weight for both
        assert (value.low, value.high) == pytest.approx((uniform.low, uniform.high))


# ---------------------------------------------------------------- any unit and zero of rewards, and large ones

MOVES = [(1.0, 100.0), (0.01, 0.0), (7.0, -2.0)]  # a and b of a r + b


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


@pytest.mark.parametrize("few", [False, True], ids=["many pay", "few pay"])
@pytest.mark.parametrize("interval", INTERVALS)
@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_a_value_and_its_interval_follow_a_change_of_the_unit_and_the_zero_of_rewards(estimator, interval, few):
    model = "ridge" if few == (interval == "student") else "means"
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


def test_ips_adds_a_constant_times_the_mean_weight_as_its_definition_says():
    log = log_of(few=False, alike=False)
    before, after = (evaluate(each, "uniform", estimator="ips").values[0] for each in (log, moved(log, 1.0, 50.0)))
    assert after.value == pytest.approx(before.value + 50.0 * before.rest.mean_weight)


@pytest.mark.parametrize("interval", INTERVALS)
def test_every_policy_of_a_wide_log_has_the_interval_of_the_mean_of_what_it_earns(interval):
    rewards = 5.0 + (np.random.default_rng(1).random((800, 2)) < 0.4)
    log = Log(("a", "b"), np.empty(0, np.int32), np.empty(0), time=np.arange(800.0), rewards=rewards)
    (value,) = evaluate(log, "arm arm=a", interval=interval, bounds=(5.0, 6.0)).values
    if interval == "student":
        assert [value.low, value.high] == pytest.approx([*map(float, interval_of(rewards[:, 0]))], rel=1e-12)
    assert 5.0 <= value.low < value.value < value.high <= 6.0


@pytest.mark.parametrize(("estimator", "interval"), list(zip(ESTIMATORS, [*INTERVALS] * 3, strict=False)))
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
