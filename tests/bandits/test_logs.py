"""Logs: what is read, what other policies would have earned, and when there is no number."""

from __future__ import annotations

import csv
import gzip
import math
from pathlib import Path

import numpy as np
import pytest

from bandits import evaluate, read_log
from bandits.logs.estimators import ESTIMATORS, Sample, Terms, terms
from bandits.logs.evaluate import Value, check_question, logged_value, value_of
from bandits.logs.intervals import INTERVALS, bernstein, blocks, student
from bandits.logs.limits import LEAST_EFFECTIVE, rest_of
from bandits.logs.log import Log
from bandits.logs.targets import UniformPolicy
from numerics.statistics.means import interval as interval_of_mean
from numerics.statistics.means import interval_of, skewness, standard_error

pytestmark = pytest.mark.jit  # how kernels run decides nothing here

REAL = Path(__file__).resolve().parents[2] / "data" / "open_bandit"


def value_from(log: Log, policy: object = "uniform", **question: object) -> Value:
    (value,) = evaluate(log, policy, **question).values
    return value


def thompson(who: str) -> Log:
    return read_log(f"open_bandit path={REAL / f'open_bandit_thompson_{who}.csv.gz'}")


def known_world(rng: np.random.Generator, rows: int, shown: list[float], means: list[float]) -> Log:
    """A log of arms 0, 1, ... that are shown with fixed probabilities and pay 0 or 1."""
    arm = rng.choice(len(shown), rows, p=shown).astype(np.int32)
    reward = (rng.random(rows) < np.array(means)[arm]).astype(float)
    names = tuple(map(str, range(len(shown))))
    return Log(names, arm, reward, np.array(shown)[arm], np.arange(rows, dtype=float))


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


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_for_women_there_is_no_number(estimator):
    answer = value_from(thompson("women"), estimator=estimator)
    assert math.isnan(answer.value)
    assert math.isnan(answer.low)
    assert answer.rest.mean_weight == pytest.approx(3.13, abs=5e-3)
    assert "10,000 rows are worth 2 of the policy itself" in answer.refused
    assert "a log as long answers if it shows no arm more than 67 times as rarely" in answer.refused
    assert "one row has 69 % of all weight" in answer.refused


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


@pytest.mark.parametrize("policy", [[0.2, 0.3, 0.5], [1.0, 0.0, 0.0]])
def test_estimates_are_those_of_plain_loops(policy):
    log = known_world(np.random.default_rng(4), 60, [0.7, 0.2, 0.1], [0.3, 0.6, 0.5])
    sample = Sample(log.arm, log.reward, np.array(policy), np.array(policy)[log.arm] / log.propensity)
    expected = plain(log, policy, 2.0)
    for estimator in ESTIMATORS:
        assert terms(sample, estimator, 2.0).values.mean() == pytest.approx(expected[estimator], rel=1e-12), estimator


def test_an_arm_of_one_row_is_modelled_by_the_other_rows():
    log = Log(("a", "b"), np.array([0, 0, 0, 1], np.int32), np.array([1.0, 0.0, 1.0, 1.0]), np.array([0.9] * 3 + [0.1]))
    sample = Sample(log.arm, log.reward, np.array([0.5, 0.5]), 0.5 / log.propensity)
    for estimator in ("dr", "sndr", "switch_dr"):
        expected = plain(log, [0.5, 0.5], 2.0)[estimator]
        assert terms(sample, estimator, 2.0).values.mean() == pytest.approx(expected, rel=1e-12)


def test_an_arm_without_rows_is_modelled_by_all_other_rows_and_left_out_by_the_direct_method():
    log = known_world(np.random.default_rng(6), 40, [0.7, 0.3, 0.0], [0.3, 0.8, 0.5])
    policy = [0.3, 0.3, 0.4]
    sample = Sample(log.arm, log.reward, np.array(policy), np.array(policy)[log.arm] / log.propensity)
    expected = plain(log, policy, 0.9)
    for estimator in ESTIMATORS:
        assert terms(sample, estimator, 0.9).values.mean() == pytest.approx(expected[estimator], rel=1e-12), estimator


@pytest.mark.parametrize("rows_look", [False, True], ids=["fixed", "by rows"])
def test_the_weight_of_a_row_in_the_direct_method_is_how_its_value_follows_the_reward(rows_look):
    arm, reward = (
        np.array([0, 0, 1, 0, 1, 2]),
        np.array([0.0, 1.0, 1.0, 0.5, 0.0, 2.0]),
    )  # an arm of one row, one of none
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
    with pytest.raises(ValueError, match=r"^bounds must be given for interval='bernstein'"):
        check_question(beyond, None, "bernstein", None, None)


def plain_student(parts: Terms) -> tuple[float, float, bool]:
    """The ends by plain loops, and whether they are wider than those of the values alone."""
    values, weights, noise = (part.tolist() for part in parts)
    n, size = len(values), sum(map(abs, weights))
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
    assert student(parts) == pytest.approx((low, high), rel=1e-12)
    assert wider == is_wider


def test_rewards_that_the_heaviest_rows_lack_by_chance_are_reckoned_with():
    shown, means, policy, missed = [0.95, 0.05], [0.02, 0.02], np.array([0.2, 0.8]), {True: 0, False: 0}
    for seed in range(300):
        log = known_world(np.random.default_rng([13, seed]), 1_000, shown, means)
        parts = terms(Sample(log.arm, log.reward, policy, policy[log.arm] / log.propensity), "ips", 1.0)
        for corrected, (low, high) in ((True, student(parts)), (False, interval_of(parts.values))):
            missed[corrected] += not low <= 0.02 <= high
    assert missed[True] <= 30  # of 300: 15 are expected at 95 %
    assert missed[False] > 60


def test_blocks_are_twenty_of_neighbouring_rows():
    values = np.random.default_rng(1).random(410).cumsum()
    parts = Terms(values, np.ones(410), values)
    means = [float(values[begin : begin + 21].mean()) for begin in range(0, 210, 21)]
    means += [float(values[begin : begin + 20].mean()) for begin in range(210, 410, 20)]
    assert blocks(parts) == pytest.approx([float(end) for end in interval_of(np.array(means))], rel=1e-12)


def plain_margin(values: list[float], reach: float) -> float:
    """Maurer and Pontil 2009, Theorem 4, for values from 0 to reach, on either side at 0.05 / 3."""
    n, mean, log = len(values), sum(values) / len(values), math.log(2.0 / (0.05 / 3.0))
    variance = sum((value - mean) ** 2 for value in values) / (n - 1)
    return math.sqrt(2.0 * variance * log / n) + 7.0 * reach * log / (3.0 * (n - 1))


@pytest.mark.parametrize(("rows", "clip"), [(3_000, 2.0), (3_000, 10.0), (1, 2.0), (30, 2.0)])
def test_the_bernstein_interval_is_that_of_plain_loops(rows, clip):
    log = known_world(np.random.default_rng(8), rows, [0.7, 0.2, 0.1], [0.3, 0.6, 0.5])
    policy, least, most = np.array([0.2, 0.5, 0.3]), -0.5, 2.0
    sample = Sample(log.arm, log.reward, policy, policy[log.arm] / log.propensity)
    found = bernstein(sample, clip, least, most)
    if rows < 100:  # so few rows say nothing
        assert found == (least, most)
        return
    weights = [min(weight, clip) for weight in sample.weight.tolist()]
    paid = [weight * (reward - least) for weight, reward in zip(weights, log.reward.tolist(), strict=True)]
    margin = plain_margin(paid, clip * (most - least))
    lost = 1.0 - sum(weights) / rows + plain_margin(weights, clip)
    low = least + sum(paid) / rows - margin
    high = least + sum(paid) / rows + margin + (most - least) * lost
    assert least < low < high < most
    assert found == pytest.approx((low, high), rel=1e-12)


def test_ips_and_dr_are_unbiased_and_clipping_is_not():
    rng, shown, means, policy = np.random.default_rng(7), [0.85, 0.1, 0.05], [0.1, 0.5, 0.9], np.array([0.1, 0.3, 0.6])
    estimates: dict[str, list[float]] = {name: [] for name in ("ips", "dr", "clipped_ips")}
    for _ in range(2_000):
        log = known_world(rng, 40, shown, means)
        sample = Sample(log.arm, log.reward, policy, policy[log.arm] / log.propensity)
        for name, kept in estimates.items():
            kept.append(terms(sample, name, 3.0).values.mean())
    truth = float(policy @ means)
    errors = {name: (np.mean(kept) - truth) / (np.std(kept) / math.sqrt(len(kept))) for name, kept in estimates.items()}
    assert abs(errors["ips"]) < 4.0
    assert abs(errors["dr"]) < 4.0
    assert errors["clipped_ips"] < -10.0


def test_what_fails_is_named_with_the_log_that_would_answer():
    rng = np.random.default_rng(1)
    log = known_world(rng, 4_000, [0.99, 0.01], [0.2, 0.3])
    few = Log(log.names, log.arm, np.zeros(4_000), log.propensity)
    assert "no row pays another reward than 0, and it takes 10" in value_from(few).refused
    wrong = Log(log.names, log.arm, log.reward, np.minimum(1.0, log.propensity * 3.0))
    assert "must be 1 within 3 of them: the propensities are wrong" in value_from(wrong, "arm arm=1").refused
    short = Log(log.names, log.arm[:90], log.reward[:90], log.propensity[:90])
    assert "it takes 100: a longer log answers" in value_from(short, "arm arm=0").refused
    other = Log(("0", "7"), np.array([0, 1, 1, 1], np.int32), np.zeros(4))
    assert (
        "75 % of what the policy shows are arms of which the log has fewer than 5 rows"
        in value_from(log, other).refused
    )
    assert value_from(log, "arm arm=0").refused == ""


def test_the_direct_method_alone_answers_without_propensities_and_rows_of_an_arm_are_what_it_rests_on():
    log = known_world(np.random.default_rng(3), 4_000, [0.9, 0.1], [0.2, 0.3])
    bare = Log(log.names, log.arm, log.reward)
    assert "has no propensities, so only the direct method (dm) can answer" in bare.answers()
    value = value_from(bare, "arm arm=1")
    assert value.estimator == "dm"
    assert value.rest.effective == pytest.approx((log.arm == 1).sum())
    assert math.isnan(value.rest.mean_weight)
    unseen = value_from(Log((*log.names, "2"), log.arm, log.reward), "arm arm=2")
    assert (unseen.rest.effective, unseen.rest.thin) == (0.0, 1.0)
    assert "100 % of what the policy shows are arms (2) of which the log has fewer than 5 rows" in unseen.refused
    with pytest.raises(ValueError, match=r"^estimator must be dm for a log without propensities; got 'ips'"):
        value_from(bare, estimator="ips")
    with pytest.raises(ValueError, match=r"^interval must not be 'bernstein' for a log without propensities"):
        value_from(bare, interval="bernstein")
    with pytest.raises(ValueError, match=r"^interval must not be 'blocks' with a log without times"):
        value_from(bare, interval="blocks")


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
    assert repr(evaluation).splitlines()[4].startswith("all: ")


@pytest.mark.parametrize(
    ("policy", "question", "words"),
    [
        ("arm arm=9", {}, "must be one of the 2 arms of the log (0, 1); got '9'"),
        ("probabilities arms=[0,1] shares=[0.5,0.6]", {}, "shares must be probabilities that sum to 1"),
        ("probabilities arms=[0,1] shares=[1]", {}, "shares must be as many as arms, which are 2; got 1"),
        ("unform", {}, "did you mean uniform?"),
        ("uniform", {"estimator": "dmm"}, "it must be one of dm, ips"),
        ("uniform", {"interval": "normal"}, "interval must be one of student, bernstein, blocks"),
        ("uniform", {"clip": 0.0}, "clip must be a finite number above 0; got 0.0"),
        ("uniform", {"bounds": (1.0, 0.0)}, "the least and the largest reward, in this order; got [1.0, 0.0]"),
        ("uniform", {"bounds": (1.0, 1.0)}, "the least and the largest reward, in this order; got [1.0, 1.0]"),
        ("uniform", {"bounds": 1.0}, "bounds must hold two numbers, the least and the largest reward; got 1.0"),
        ("uniform", {"bounds": (0.0, 0.5)}, "bounds must hold all rewards, 0 to 1; got 0 to 0.5"),
    ],
)
def test_a_question_that_cannot_be_asked_is_refused_in_a_sentence(policy, question, words):
    log = known_world(np.random.default_rng(5), 200, [0.5, 0.5], [0.5, 0.5])
    with pytest.raises(ValueError, match=r"^[^\n]*$") as caught:
        value_from(log, policy, **question)
    assert words in str(caught.value)


@pytest.mark.parametrize("interval", INTERVALS)
def test_intervals_hold_the_value_about_as_often_as_they_say(interval):
    shown, means, missed = [0.6, 0.3, 0.1], [0.2, 0.3, 0.4], 0
    for seed in range(100):
        log = known_world(np.random.default_rng([9, seed]), 500, shown, means)
        value = value_from(log, interval=interval)
        missed += not value.low <= 0.3 <= value.high
        assert 0.0 <= value.low < value.value < value.high <= 1.0
    assert missed <= 11  # of 100; by chance in 1 of 200 series at 95 %


# ---------------------------------------------------------------- reading


@pytest.fixture
def read(tmp_path: Path):
    """Write a file and read it in some form."""

    def reading(content: str, form: str = "rows", **columns: object) -> Log:
        path = tmp_path / "log.csv"
        path.write_text(content)
        return read_log({"name": form, "path": str(path), **columns})

    return reading


def test_rows_of_any_columns_are_read_with_propensities_and_times(read):
    content = (
        "when,what,p,paid\n2019-11-24 00:00:00,10,0.5,1.5\n2019-11-24 00:00:01.5+00:00,9,1,-2\n1574553602,10,0.25,0\n"
    )
    columns = {"arm_column": "what", "reward_column": "paid", "propensity_column": "p", "time_column": "when"}
    log = read(content, **columns)
    assert log.names == ("9", "10")
    assert log.arm.tolist() == [1, 0, 1]
    assert log.reward.tolist() == [1.5, -2.0, 0.0]
    assert log.propensity.tolist() == [0.5, 1.0, 0.25]
    assert log.time.tolist() == [1574553600.0, 1574553601.5, 1574553602.0]
    assert "all estimators can answer, and intervals from blocks of time" in log.answers()


def test_a_log_that_was_shown_uniformly_can_say_so(read):
    log = read("item,click\na,1\nb,0\nb,1\n", uniform=True)
    assert log.is_uniform
    assert log.propensity.tolist() == [0.5] * 3


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (
            "item,click,p,t\na,1,0,1\nb,0,0.5,2\n",
            "line 2: column 'p' must hold a probability above 0",
        ),
        ("item,click,p,t\na,1,0.5,1\nb,0,1.5,2\n", "line 3: column 'p' must hold a probability above 0 and at most 1"),
        ("item,click,p,t\na,1,0.5,1\nb,0,nan,2\n", "line 3: column 'p' must hold a probability above 0 and at most 1"),
        ("item,click,p,t\na,1,0.5,1\nb,inf,0.5,2\n", "line 3: column 'click' must hold a finite number"),
        ("item,click,p,t\na,1,0.5,1\nb,0,0.5,soon\n", "line 3: column 't' must hold a time, such as"),
        (
            "item,click,p,t\na,1,0.5,1\nb,0,0.5,2\na,0,0.5,1\n",
            "line 4: column 't' must hold a time no earlier than the row before has (sort the file by it); got '1'",
        ),
        ("item,click,p,t\na,1,0.5,1\na,0,0.5,2\n", "column 'item' must name at least 2 arms; it names 1"),
        ("item,click,t\na,1,1\nb,0,2\n", "propensity_column 'p' is no column of"),
    ],
)
def test_a_log_that_is_wrong_is_refused_with_the_row(read, content, words):
    with pytest.raises(ValueError, match=r"^[^\n]*$") as caught:
        read(content, propensity_column="p", time_column="t")
    assert words in str(caught.value)


def test_wrong_rows_are_left_out_on_request_and_listed(read):
    content = "item,click,p\na,1,0.5\nb,x,0.5\n,1,0.5\nb,0,0.5,9\nb,0,0.5\nb,0,7\n"
    log = read(content, propensity_column="p", leave_out=True)
    assert (log.reward.tolist(), log.bad) == ([1.0, 0.0], 4)
    reasons = [sentence.split(":")[0] for sentence in log.left_out]
    assert reasons == ["line 3", "line 4", "line 5", "line 7"]
    assert "got 4" in log.left_out[2]


def test_blank_lines_at_the_end_are_no_rows_and_a_row_with_other_cells_is_one(read):
    assert len(read("item,click,more\na,1,x\nb,0,y\n\n,,\n\n")) == 2
    with pytest.raises(ValueError, match=r"line 4: column 'click' must hold a finite number.*got ''"):
        read("item,click,more\na,1,x\nb,0,y\n\n,,z\n\n")


def test_a_wide_log_knows_every_reward(read):
    log = read("a,b,t\n1,0,1\n0,1,2\n1,0,3\n" * 1 + "1,1,4\n" * 40 + "0,1,5\n" * 57, "wide", reward_columns=["a", "b"])
    assert log.rewards.shape == (100, 2)
    value = value_from(log, "probabilities arms=[a,b] shares=[0.25,0.75]")
    assert value.estimator == "all rewards known"
    assert value.value == pytest.approx(0.25 * log.rewards[:, 0].mean() + 0.75 * log.rewards[:, 1].mean())
    assert value.low < value.value < value.high
    with pytest.raises(ValueError, match="reward_columns must be a list of at least 2 columns; got 'a'"):
        read("a,b\n1,2\n", "wide", reward_columns="a")


def test_many_blocks_are_read_as_one(tmp_path):
    rng = np.random.default_rng(0)
    arm, reward, p = rng.integers(9, size=900_000), rng.random(900_000).round(3), rng.random(900_000).round(4) / 2 + 0.5
    rows = "\n".join(f"arm {a},{r},{q:.4f}" for a, r, q in zip(arm.tolist(), reward.tolist(), p.tolist(), strict=True))
    (tmp_path / "log.csv").write_text(f"item,click,p\n{rows}\n")  # 18 MB: more than a block
    log = read_log(f"rows path={tmp_path / 'log.csv'} propensity_column=p")
    assert log.names == tuple(f"arm {a}" for a in range(9))
    np.testing.assert_array_equal(log.arm, arm)
    np.testing.assert_array_equal(log.reward, reward)
    np.testing.assert_allclose(log.propensity, p, atol=5.1e-5)


def test_the_open_bandit_sample_is_read_whole():
    path = REAL / "open_bandit_thompson_men.csv.gz"
    log = thompson("men")
    with gzip.open(path, "rt", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [log.names[arm] for arm in log.arm] == [row["item_id"] for row in rows]
    assert log.reward.sum() == 69
    assert log.propensity.tolist() == [float(row["propensity_score"]) for row in rows]
    assert log.time[-1] - log.time[0] == pytest.approx(7 * 86_400, rel=1e-3)
    assert value_from(log).rest.effective >= LEAST_EFFECTIVE


def shown(rng: np.random.Generator, shares: list[float], said: list[float], rows: int) -> str:
    arms = rng.choice(len(shares), size=rows, p=shares)
    return "item,click,p\n" + "".join(f"{'abc'[arm]},{row % 2},{said[arm]}\n" for row, arm in enumerate(arms))


def test_propensities_that_the_rows_refute_are_refused_and_right_ones_are_not(read):
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match=r"^[^\n]*$") as caught:
        read(shown(rng, [0.6, 0.3, 0.1], [0.3333, 0.3333, 0.3333], 2_000), propensity_column="p")
    assert "column 'p' must hold the probability with which the row's arm was shown; arm a has 1," in str(caught.value)
    assert "times as many as they say" in str(caught.value)
    with pytest.raises(ValueError, match=r"uniform must be false for .*: arm a has .* times as many as 1 / K says"):
        read(shown(rng, [0.6, 0.3, 0.1], [1.0, 1.0, 1.0], 2_000), uniform=True)
    for rows in (12, 40, 400):
        for shares in ([0.6, 0.3, 0.1], [0.97, 0.02, 0.01]):
            for _ in range(20):
                content = shown(rng, shares, shares, rows)
                if len({line[0] for line in content.splitlines()[1:]}) > 1:
                    assert len(read(content, propensity_column="p")) == rows
    rare = shown(rng, [0.6, 0.3, 0.1], [0.6, 0.3, 1.0], 2_000)  # an arm may be impossible in some rows: 1 / p is small
    assert len(read(rare, propensity_column="p")) == 2_000


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("log.parquet", b"PAR1\xff\xfe", "not a readable CSV file but .parquet; save it as CSV"),
        ("log.csv.zip", b"PK\x03\x04\xff\xfe", "not a readable CSV file but .zip; unpack it first"),
        ("log.csv", b"item,click\na,\xff\n", "not a readable CSV file in UTF-8; save it in that"),
    ],
)
def test_a_file_of_another_form_is_refused_with_what_to_do(tmp_path, name, content, sentence):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ValueError, match=r"^[^\n]*$") as caught:
        read_log(f"rows path={tmp_path / name}")
    assert str(caught.value).endswith(sentence)


def test_words_among_features_are_refused_with_what_to_do(read):
    with pytest.raises(ValueError, match=r"column 'city' .*; got 'Rome'; for words make a column of 0 and 1 of each$"):
        read("item,click,city\na,1,Rome\nb,0,Oslo\n", feature_columns=["city"])
    with pytest.raises(ValueError, match=r"column 'click' .*; got 'x'$"):
        read("item,click\na,x\nb,0\n")


def test_a_row_that_was_left_out_is_not_told_to_be_left_out(read):
    (sentence,) = read("item,click,p\na,1,0.5\nb,0,\nb,0,0.5\n", propensity_column="p", leave_out=True).left_out
    assert sentence.endswith("; got ''")


@pytest.mark.parametrize("interval", INTERVALS)
def test_the_interval_of_the_logs_policy_is_of_the_kind_asked_for_and_within_bounds(interval):
    log = known_world(np.random.default_rng(3), 400, [0.5, 0.5], [0.02, 0.03])
    question = check_question(log, None, interval, None, None)
    value = logged_value(log, question)
    assert value.interval == interval
    assert 0.0 <= value.low < value.value < value.high <= 1.0
    uniform = value_of(log, "uniform", UniformPolicy(), *check_question(log, "ips", interval, 1.0, None))
    if interval != "student":  # propensities are 1 / 2: the rows have the same weight for both
        assert (value.low, value.high) == pytest.approx((uniform.low, uniform.high))
