"""What a log says of other policies, with which intervals, and when it says no number."""

from __future__ import annotations

import csv
import math

import numpy as np
import pytest
from scipy.stats import chisquare

from bandits import Log, evaluate
from numerics.statistics import interval as interval_of_mean
from numerics.statistics import interval_of, skewness, standard_error
from tests.bandits.logs import REAL, known_world, thompson, value_from
from tests.internals import (
    ESTIMATORS,
    FEW_REWARDS,
    INTERVALS,
    Sample,
    Terms,
    UniformPolicy,
    bernstein,
    check_question,
    doubt,
    interval_of_blocks,
    logged_value,
    rest_of,
    student,
    terms,
    value_of,
)
from tests.refusals import refused

pytestmark = pytest.mark.jit  # how kernels run decides nothing here


def test_the_value_of_uniform_play_is_estimated_from_the_log_of_thompson_for_men():
    with (REAL / "open_bandit_random_men.csv").open(newline="") as file:
        truth = np.mean([int(row["click"]) for row in csv.DictReader(file)])
    log = thompson("men")
    value = value_from(log, estimator="ips")
    assert value.value == pytest.approx(0.00301, abs=5e-6)  # numbers that others found
    assert value.rest.mean_weight == pytest.approx(0.943, abs=5e-4)
    assert value.rest.effective == pytest.approx(656, abs=0.5)
    for estimator in ESTIMATORS:
        answer = value_from(log, estimator=estimator)
        assert answer.low <= truth <= answer.high
    for interval in INTERVALS:
        answer = value_from(log, interval=interval)
        assert answer.low <= truth <= answer.high


@pytest.mark.parametrize("estimator", ["ips", "dm"])
def test_for_women_there_is_no_number(estimator):
    answer = value_from(thompson("women"), estimator=estimator)
    assert np.isnan([answer.value, answer.low]).all()
    assert answer.rest.mean_weight == pytest.approx(3.13, abs=5e-3)
    assert all(fact in answer.refused for fact in ("10,000 rows is 2", "above 67", "69 %"))


def plain(log: Log, policy: list[float], clip: float) -> dict[str, float]:
    """The estimates, a row at a time."""
    rows = list(zip(log.arm.tolist(), log.reward.tolist(), log.propensity.tolist(), strict=True))
    weights = [policy[a] / p for a, _, p in rows]

    def model(a: int, left_out: int) -> float:
        others = [r for at, (b, r, _) in enumerate(rows) if b == a and at != left_out]
        every = [r for at, (_, r, _) in enumerate(rows) if at != left_out]
        return float(np.mean(others or every))

    models = [sum(p * model(a, at) for a, p in enumerate(policy)) for at in range(len(rows))]
    noise = [r - model(a, at) for at, (a, r, _) in enumerate(rows)]
    parts = [w * e for w, e in zip(weights, noise, strict=True)]
    seen = sorted(set(log.arm.tolist()))
    small = [part if w <= clip else 0.0 for w, part in zip(weights, parts, strict=True)]
    return {
        "dm": sum(policy[a] * np.mean([r for b, r, _ in rows if b == a]) for a in seen) / sum(policy[a] for a in seen),
        "ips": np.mean([w * r for w, (_, r, _) in zip(weights, rows, strict=True)]),
        "clipped_ips": np.mean([min(w, clip) * r for w, (_, r, _) in zip(weights, rows, strict=True)]),
        "snips": sum(w * r for w, (_, r, _) in zip(weights, rows, strict=True)) / sum(weights),
        "dr": np.mean(models) + np.mean(parts),
        "sndr": np.mean(models) + sum(parts) / sum(weights),
        "switch_dr": np.mean(models) + np.mean(small),
    }


ONE_ROW = Log(("a", "b"), np.array([0, 0, 0, 1], np.int32), np.array([1.0, 0.0, 1.0, 1.0]), np.array([0.9] * 3 + [0.1]))


@pytest.mark.parametrize(
    ("log", "policy", "clip"),
    [
        (known_world(np.random.default_rng(4), 60, [0.7, 0.2, 0.1], [0.3, 0.6, 0.5]), [0.2, 0.3, 0.5], 2.0),
        (ONE_ROW, [0.5, 0.5], 2.0),  # an arm is modelled by the other rows
        (known_world(np.random.default_rng(6), 40, [0.7, 0.3, 0.0], [0.3, 0.8, 0.5]), [0.3, 0.3, 0.4], 0.9),  # no row
    ],
    ids=["three arms", "an arm of one row", "an arm without rows"],
)
def test_estimates_are_those_of_plain_loops(log, policy, clip):
    sample = Sample(log.arm, log.reward, np.array(policy), np.array(policy)[log.arm] / log.propensity)
    expected = plain(log, policy, clip)
    for estimator in ESTIMATORS:
        assert terms(sample, estimator, clip).values.mean() == pytest.approx(expected[estimator], rel=1e-12), estimator


@pytest.mark.parametrize("rows_look", [False, True], ids=["fixed", "by rows"])
def test_the_weight_of_a_row_in_the_direct_method_is_how_its_value_follows_the_reward(rows_look):
    arm = np.array([0, 0, 1, 0, 1, 2])  # one row of arm 2, none of arm 3
    reward = np.array([0.0, 1.0, 1.0, 0.5, 0.0, 2.0])
    policy = np.array([0.3, 0.2, 0.1, 0.4])
    if rows_look:
        policy = np.random.default_rng(0).dirichlet(np.ones(4), 6)
    sample = Sample(arm, reward, policy, None)
    before = terms(sample, "dm", 1.0)
    for row in range(6):
        other = reward.copy()
        other[row] += 1.0
        moved = terms(sample._replace(reward=other), "dm", 1.0).values.mean() - before.values.mean()
        assert before.weight[row] == pytest.approx(6.0 * moved, rel=1e-9)


@pytest.mark.parametrize("policy", [[0.2, 0.8, 0.0], [0.1, 0.2, 0.7], [0.0, 0.0, 1.0]])
def test_a_log_without_propensities_rests_on_what_one_with_the_shares_of_its_arms_does(policy):
    log = known_world(np.random.default_rng(6), 40, [0.7, 0.3, 0.0], [0.3, 0.8, 0.5])
    shown = np.array(policy)
    share = np.bincount(log.arm, minlength=3)[log.arm] / 40
    bare, full = (
        rest_of(Sample(log.arm, log.reward, shown, weight), 0.0, log.names) for weight in (None, shown[log.arm] / share)
    )
    assert bare.effective == pytest.approx(full.effective, rel=1e-12)
    assert bare.largest == pytest.approx(full.largest, rel=1e-12)
    assert math.isnan(bare.mean_weight)


@pytest.mark.parametrize("estimator", ["snips", "sndr"])
def test_weights_that_are_divided_by_their_mean_may_have_any_size(estimator):
    log = known_world(np.random.default_rng(6), 40, [0.7, 0.3], [0.3, 0.8])
    sample = Sample(log.arm, log.reward, np.array([0.4, 0.6]), 1.0 / log.propensity)
    for size in (1e-6, 1e6):
        scaled = terms(sample._replace(weight=size * sample.weight), estimator, 1.0)
        for found, expected in zip(scaled, terms(sample, estimator, 1.0), strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize("estimator", ["snips", "sndr"])
def test_a_policy_that_a_log_never_shows_has_no_ratio(estimator):
    sample = Sample(np.array([0, 0, 0]), np.array([0.0, 1.0, 0.0]), np.array([0.0, 1.0]), np.zeros(3))
    assert np.isnan(terms(sample, estimator, 1.0).values).all()


@pytest.mark.parametrize(("least", "most"), [(-0.01, 1.0), (0.0, 1.01)])
def test_rewards_beyond_0_and_1_have_no_bounds_of_their_own(least, most):
    log = known_world(np.random.default_rng(5), 200, [0.5, 0.5], [0.5, 0.5])
    assert check_question(log, None, "bernstein", None, None)[3] == (0.0, 1.0)
    beyond = Log(log.names, log.arm, np.where(log.reward > 0.0, most, least), log.propensity)
    assert check_question(beyond, None, "student", None, None)[3] is None
    refused(lambda: check_question(beyond, None, "bernstein", None, None), "bounds", "'bernstein'")


def test_what_fails_is_named_with_the_log_that_would_answer():
    rng = np.random.default_rng(1)
    log = known_world(rng, 4_000, [0.99, 0.01], [0.2, 0.3])
    few = Log(log.names, log.arm, np.zeros(4_000), log.propensity)
    assert "10 are required" in value_from(few).refused
    wrong = Log(log.names, log.arm, log.reward, np.minimum(1.0, log.propensity * 3.0))
    assert "3 standard errors" in value_from(wrong, "arm arm=1").refused
    short = Log(log.names, log.arm[:90], log.reward[:90], log.propensity[:90])
    assert "at least 100" in value_from(short, "arm arm=0").refused
    other = Log(("0", "7"), np.array([0, 1, 1, 1], np.int32), np.zeros(4))
    assert "75 %" in value_from(log, other).refused
    unpaid = Log(("c", "d"), np.arange(40, dtype=np.int32) % 2, np.zeros(40), np.full(40, 0.5))
    assert value_from(log, unpaid).refused.startswith("100 %")
    assert "nan" not in value_from(log, unpaid).refused
    assert value_from(log, "arm arm=0").refused == ""


def rare_where_it_weighs(of_heavy: int) -> Log:
    """Two arms shown 99 to 1, target uniform: 12 of 5,940 light rows pay, and so many of the 60 heavy ones."""
    arm = np.repeat(np.array([0, 1], np.int32), [5_940, 60])
    reward = np.zeros(6_000)
    reward[:12] = reward[6_000 - of_heavy :] = 1.0
    return Log(("0", "1"), arm, reward, np.where(arm == 0, 0.99, 0.01))


def test_a_log_of_which_few_rows_that_carry_the_weight_pay_gives_no_number_or_a_warning():
    log = rare_where_it_weighs(2)
    value, evaluation = value_from(log), evaluate(log, "uniform")
    assert value.refused == ""
    assert all(fact in value.warning for fact in ("only 2 of the 60 rows", "30"))
    assert value.high - value.low > 0.05  # 0.016 is the truth where 3 in 100 of the heavy rows pay
    assert value.warning in repr(evaluation)
    assert evaluation.to_frame()["warning"].tolist() == [value.warning]
    assert value_from(rare_where_it_weighs(30)).warning == ""
    assert "only 29 of the 60 rows" in value_from(rare_where_it_weighs(29)).warning
    alike = Log(log.names, log.arm[::-1] * 0 + np.arange(6_000, dtype=np.int32) % 2, log.reward, np.full(6_000, 0.5))
    assert value_from(alike).warning.startswith("only 14 rows")
    for estimator in ESTIMATORS:
        assert "none of the 60 rows" in value_from(rare_where_it_weighs(0), estimator=estimator).refused


def test_amounts_that_only_the_heavy_rows_pay_must_be_seen():
    arm = np.repeat(np.array([0, 1], np.int32), [3_880, 120])
    reward = np.where(np.arange(4_000) % 3 == 0, 1.0, 0.0)  # 1,294 of the light rows pay 1
    reward[3_880:] = 0.0
    log = Log(("0", "1"), arm, reward, np.where(arm == 0, 0.97, 0.03))
    assert "none of the 120 rows" in value_from(log).refused
    paid = Log(log.names, arm, np.where(np.arange(4_000) == 3_999, 50.0, reward), log.propensity)
    assert "only 1 of the 120 rows" in value_from(paid).warning


@pytest.mark.parametrize(("first", "p"), [(1_000, None), (1_090, 6e-5), (1_060, None)])
def test_equal_propensities_of_arms_that_were_shown_unequally_are_doubted(first, p):
    arm = (np.arange(2_000) >= first).astype(np.int32)
    log = Log(("red", "blue"), arm, np.arange(2_000) % 2.0, np.full(2_000, 0.5))
    said = doubt(log)
    if p is None:
        assert said == ""
        return
    assert chisquare([first, 2_000 - first]).pvalue == pytest.approx(p, rel=0.1)
    assert all(fact in said for fact in ("1 / 2", "red has 1,090", "blue 910", f"p = {p:.0e}"))
    assert said in repr(evaluate(log, "uniform"))
    weighed = Log(log.names, arm, log.reward, np.where(arm == 0, 0.545, 0.455))
    assert doubt(weighed) == doubt(Log(log.names, arm, log.reward)) == ""
    few = Log(log.names, arm[first - 9 :][:9], log.reward[:9], np.full(9, 0.5))
    assert doubt(few) == ""  # a chi-square test of 9 rows says nothing


def test_the_direct_method_alone_answers_without_propensities_and_rows_of_an_arm_are_what_it_rests_on():
    log = known_world(np.random.default_rng(3), 4_000, [0.9, 0.1], [0.2, 0.3])
    bare = Log(log.names, log.arm, log.reward)
    assert "(dm)" in bare.answers()
    value = value_from(bare, "arm arm=1")
    assert value.estimator == "dm"
    assert value.rest.effective == pytest.approx((log.arm == 1).sum())
    assert math.isnan(value.rest.mean_weight)
    unseen = value_from(Log((*log.names, "2"), log.arm, log.reward), "arm arm=2")
    assert (unseen.rest.effective, unseen.rest.thin) == (0.0, 1.0)
    assert unseen.refused.startswith("100 %")
    for question, fact in [
        ({"estimator": "ips"}, "'ips'"),
        *(({"interval": each}, each) for each in ("bernstein", "blocks")),
    ]:
        with pytest.raises(ValueError, match=rf"^{next(iter(question))} .*{fact}"):
            value_from(bare, **question)


def test_a_policy_is_a_text_a_mapping_an_object_or_a_log():
    log = known_world(np.random.default_rng(5), 2_000, [0.5, 0.3, 0.2], [0.2, 0.4, 0.6])
    policies = {
        "half": "probabilities arms=[0,2] shares=[0.5,0.5]",
        "as before": log,
        "one": {"name": "arm", "arm": 2},
        "all": "uniform",
    }
    evaluation = evaluate(log, policies, estimator="dm")
    mean = [log.reward[log.arm == arm].mean() for arm in range(3)]
    expected = [(mean[0] + mean[2]) / 2, log.value, mean[2], np.mean(mean)]
    assert [value.policy for value in evaluation.values] == list(policies)
    assert [value.value for value in evaluation.values] == pytest.approx(expected)
    assert evaluation.to_frame()["value"].tolist() == pytest.approx(expected)


# ---------------------------------------------------------------- intervals


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
