"""What a log says of other policies, and when it says no number."""

from __future__ import annotations

import csv
import math

import numpy as np
import pytest
from scipy.stats import chisquare

from bandits import Log, evaluate
from tests.bandits.logs import REAL, known_world, thompson, value_from
from tests.internals import ESTIMATORS, INTERVALS, Sample, check_question, doubt, rest_of, terms
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
        with pytest.raises(ValueError, match=rf"^{next(iter(question))} must .*{fact}"):
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
