"""Estimates from a log against those of other programs, and models of rewards against plain ones."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from bandits import Log, evaluate, read_log
from bandits.evaluation import targets
from numerics.statistics import standard_error
from tests.data import read
from tests.internals import (
    ESTIMATORS,
    FOLDS,
    LOGISTIC,
    MODELLED,
    NORMAL_95,
    RIDGE,
    Predicted,
    Sample,
    fit,
    of_arms,
    predict,
    student,
    terms,
)
from tests.refusals import refused

pytestmark = pytest.mark.jit  # how kernels run decides nothing here

CASES = read("log_estimates")["logs"]
FEATURED = (RIDGE, LOGISTIC)


def sample_of(case: dict) -> tuple[Sample, Predicted | None]:
    """The rows of a case as a sample, and what its model says of them."""
    arm, policy = np.array(case["arm"]), np.array(case["policy"])
    weight = of_arms(policy, arm) / np.array(case["propensity"])
    model = None
    if "q" in case:
        q = np.array(case["q"])
        model = Predicted((q * policy).sum(axis=1), of_arms(q, arm), np.zeros(arm.size))
    return Sample(arm, np.array(case["reward"]), policy, weight), model


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_estimates_are_those_of_obp(case, estimator):
    sample, model = sample_of(case)
    value = terms(sample, estimator, case["clip"], model).values.mean()
    assert value == pytest.approx(case["obp"][estimator], rel=1e-12)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_estimates_are_those_of_vw_estimators_and_the_interval_is_wider_than_the_normal_one(case):
    sample, _ = sample_of(case)
    theirs = case["vw_estimators"]
    for estimator in ("ips", "snips"):
        assert terms(sample, estimator, 1.0).values.mean() == pytest.approx(theirs[estimator], rel=1e-12)
    parts = terms(sample, "ips", 1.0)
    low, high = theirs["gaussian"]
    assert NORMAL_95 * standard_error(parts.values) == pytest.approx((high - low) / 2.0, rel=1e-12)
    wide = student(parts, few=True)
    assert wide[1] - wide[0] > high - low


# ---------------------------------------------------------------- models of rewards

POINTS = np.array([[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 2.0]])  # the features that there are
RATES = np.array([[0.1, 0.8, 0.3, 0.9], [0.6, 0.2, 0.7, 0.1], [0.5, 0.5, 0.2, 0.9]]).T  # no model fits them all
SHOWN = np.array([[0.7, 0.2, 0.1], [0.1, 0.6, 0.3], [0.3, 0.3, 0.4], [0.2, 0.1, 0.7]])
POLICY = np.array([[0.1, 0.1, 0.8], [0.9, 0.05, 0.05], [0.2, 0.8, 0.0], [0.3, 0.3, 0.4]])
TRUTH = float((POLICY * RATES).sum(axis=1).mean())


def world(rng: np.random.Generator, rows: int) -> tuple[Log, Sample]:
    """A log whose policy looked at features, and a policy that looks at them too."""
    point = rng.integers(len(POINTS), size=rows)
    arm = (rng.random((rows, 1)) > SHOWN[point].cumsum(axis=1)).sum(axis=1).astype(np.int32)
    reward = (rng.random(rows) < RATES[point, arm]).astype(float)
    log = Log(("a", "b", "c"), arm, reward, SHOWN[point, arm], features=POINTS[point])
    return log, Sample(arm, reward, POLICY[point], POLICY[point, arm] / log.propensity)


def plain(log: Log, sample: Sample, model: str) -> tuple[np.ndarray, np.ndarray]:
    """What models of the other folds say, a row at a time; the logistic by many small steps uphill."""
    x = log.features
    z = np.column_stack([np.ones(len(x)), (x - x.mean(axis=0)) / x.std(axis=0)])
    fold = fit(log, model).fold
    policy, shown = np.zeros(len(x)), np.zeros(len(x))
    for left_out in range(FOLDS):
        seen = fold != left_out
        mean = log.reward[seen].mean()
        for arm in range(3):
            mine = seen & (log.arm == arm)
            a, b = z[mine], log.reward[mine]
            if model == RIDGE:
                theta = np.linalg.lstsq(np.vstack([a, np.eye(3)]), np.append(b - mean, np.zeros(3)), rcond=None)[0]
                q = mean + z @ theta
            else:
                smooth, theta = (log.reward[seen].sum() + 0.5) / (seen.sum() + 1.0), np.zeros(3)
                start = math.log(smooth / (1.0 - smooth))
                for _ in range(1_000):
                    theta += 0.05 * (a.T @ (b - 1.0 / (1.0 + np.exp(-start - a @ theta))) - theta)
                q = 1.0 / (1.0 + np.exp(-start - z @ theta))
            for row in np.flatnonzero(fold == left_out):
                policy[row] += sample.policy[row, arm] * q[row]
                shown[row] = q[row] if log.arm[row] == arm else shown[row]
    return policy, shown


@pytest.mark.parametrize("model", FEATURED)
def test_predictions_are_those_of_plain_loops(model):
    log, sample = world(np.random.default_rng(3), 60)
    said, expected = predict(fit(log, model), sample), plain(log, sample, model)
    np.testing.assert_allclose(said.policy, expected[0], rtol=1e-9)
    np.testing.assert_allclose(said.shown, expected[1], rtol=1e-9)


@pytest.mark.parametrize("model", FEATURED)
def test_rows_are_dealt_at_random_into_five_folds_of_one_size(model):
    folds = [fit(world(np.random.default_rng(seed), 60)[0], model).fold for seed in (3, 4)]
    assert np.bincount(folds[0]).tolist() == [12] * 5
    assert (folds[0] == folds[1]).all()
    assert 0 < (np.diff(folds[0]) == 0).sum() < 30  # neither one by one nor in blocks


@pytest.mark.parametrize("model", FEATURED)
def test_predictions_are_alike_in_any_unit_of_a_feature(model):
    log, sample = world(np.random.default_rng(3), 60)
    other = Log(log.names, log.arm, log.reward, log.propensity, features=log.features * [1e-4, 1e4] + [3.0, -5.0])
    for found, expected in zip(predict(fit(other, model), sample), predict(fit(log, model), sample), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-7)


@pytest.mark.parametrize("model", FEATURED)
def test_no_prediction_looks_at_the_row_itself(model):
    log, sample = world(np.random.default_rng(5), 40)
    before = predict(fit(log, model), sample)
    for row in range(0, 40, 7):
        other = log.reward.copy()
        other[row] = 1.0 - other[row]
        changed = Log(log.names, log.arm, other, log.propensity, features=log.features)
        after = predict(fit(changed, model), sample._replace(reward=other))
        assert (after.policy[row], after.shown[row]) == (before.policy[row], before.shown[row])
        assert np.abs(after.policy - before.policy).max() > 1e-3


@pytest.mark.sampled(1)
@pytest.mark.parametrize("model", FEATURED)
def test_leverage_is_how_the_direct_method_follows_a_reward(model):
    log, sample = world(np.random.default_rng(8), 40_000)
    leverage = predict(fit(log, model), sample).leverage
    for row in range(0, 40_000, 8_001):
        reward = log.reward.copy()
        reward[row] = 1.0 - reward[row]
        changed = Log(log.names, log.arm, reward, log.propensity, features=log.features)
        moved = [predict(fit(of, model), sample).policy.mean() for of in (log, changed)]
        slope = 40_000 * (moved[1] - moved[0]) / (reward[row] - log.reward[row])
        assert leverage[row] == pytest.approx(slope, rel=0.02, abs=0.02)


def test_a_model_of_features_is_asked_for_by_its_name_and_makes_intervals_narrower():
    rng = np.random.default_rng(2)
    x = rng.normal(size=(4_000, 2))
    arm = rng.integers(2, size=4_000).astype(np.int32)
    reward = x @ [1.0, -2.0] + arm + 0.1 * rng.normal(size=4_000)
    log = Log(("a", "b"), arm, reward, np.full(4_000, 0.5), features=x)
    for estimator in MODELLED:
        widths = []
        for model in ("means", "ridge"):
            (value,) = evaluate(log, "arm arm=b", estimator=estimator, model=model).values
            assert value.low < 1.0 < value.high
            widths.append(value.high - value.low)
        assert value.estimator == f"{estimator}, ridge"
        assert widths[1] < 0.9 * widths[0]
    assert evaluate(log, "uniform", estimator="ips", model="ridge").values[0].estimator == "ips"


@pytest.mark.parametrize(
    ("rewards", "model", "facts"),
    [
        ([0.0, 1.0], "forest", ("means, ridge, logistic", "got 'forest'")),
        ([0.0, 2.0], "logistic", ("'logistic'", "0 to 2")),
    ],
)
def test_a_model_that_a_log_cannot_have_is_refused(rewards, model, facts):
    log = Log(("a", "b"), np.array([0, 1], np.int32), np.array(rewards), np.full(2, 0.5), features=np.ones((2, 1)))
    refused(lambda: evaluate(log, "uniform", model=model), "model", *facts)


# ---------------------------------------------------------------- policies that look at the row


@pytest.mark.parametrize(
    ("estimator", "model"), [*((name, "means") for name in ESTIMATORS), *zip(MODELLED, FEATURED * 3, strict=False)]
)
def test_a_policy_that_is_alike_in_all_rows_has_the_value_of_fixed_probabilities(estimator, model):
    log, _ = world(np.random.default_rng(4), 500)
    share = np.array([0.2, 0.5, 0.3])
    policies = {"fixed": "probabilities arms=[a,b,c] shares=[0.2,0.5,0.3]", "rows": np.tile(share, (500, 1))}
    fixed, rows = evaluate(log, policies, estimator=estimator, model=model).values
    for name in ("value", "low", "high"):
        assert getattr(rows, name) == pytest.approx(getattr(fixed, name), rel=1e-9)
    assert rows.rest.effective == pytest.approx(fixed.rest.effective)


def written(path: Path, rows: list[str]) -> str:
    path.write_text("\n".join(["item,click,p,new red,new blue", *rows, ""]), encoding="utf-8")
    return f"rows path={path} propensity_column=p"


NEW = {"name": "columns", "arms": ["blue", "red"], "columns": ["new blue", "new red"]}


def test_columns_of_the_file_say_what_a_new_model_would_have_shown(tmp_path):
    rng, rows, paid = np.random.default_rng(6), [], []
    for _ in range(600):
        red, likely = rng.integers(2), rng.integers(2)
        click = int(rng.random() < (0.6 if red == likely else 0.2))
        share = 0.9 if likely else 0.1
        rows.append(f"{'red' if red else 'blue'},{click},0.5,{share},{1.0 - share:.1f}")
        paid.append((share if red else 1.0 - share) / 0.5 * click)
    log = written(tmp_path / "log.csv", rows)
    (value,) = evaluate(log, [NEW], estimator="ips").values
    assert value.value == pytest.approx(np.mean(paid), rel=1e-12)
    assert value.policy == "columns new blue, new red"
    assert value.low < 0.9 * 0.6 + 0.1 * 0.2 < value.high
    assert evaluate(log, [NEW]).values[0].low > evaluate(log, "uniform").values[0].high  # it knows what is likely
    kept = read_log(log, columns=["new red", "new blue"])
    assert evaluate(kept, [NEW], estimator="ips").values[0] == value
    refused(lambda: evaluate(read_log(log), [NEW]), "", "columns[0]", "got 'new blue'")


GOOD = ["red,1,0.5,1,0", "blue,1,0.5,1,0"]


@pytest.mark.parametrize(
    ("rows", "policy", "facts"),
    [
        (["red,1,0.5,0.5,0.5", "blue,1,0.5,0.9,0.2"], NEW, ("0.2, 0.9", "1.1", "row 2")),
        (["red,1,0.5,0.5,0.5", "blue,1,0.5,1.2,0"], NEW, ("line 3", "'new red'", "got '1.2'")),
        (GOOD, NEW | {"arms": ["blue", "rad"]}, ("arms[1]", "got 'rad'")),
        (GOOD, NEW | {"columns": ["new blue"]}, ("columns", "2 arms")),
        (GOOD, {"x": np.ones((3, 2))}, ("(2, 2)", "got (3, 2)")),
        (GOOD, {"x": np.full((2, 2), "half")}, ("got dtype <U4",)),
    ],
)
def test_probabilities_of_rows_that_are_wrong_are_refused(tmp_path, rows, policy, facts):
    log = written(tmp_path / "log.csv", rows)
    refused(lambda: evaluate(log, policy if "x" in policy else [policy]), "", *facts)


@pytest.mark.parametrize("policy", [[NEW], {"x": np.full((2, 2), 0.5)}], ids=["columns", "array"])
def test_more_probabilities_than_fit_are_refused_before_they_are_made(tmp_path, monkeypatch, policy):
    log = written(tmp_path / "log.csv", GOOD)
    monkeypatch.setattr(targets, "_MOST_SHARES", 4)
    assert evaluate(log, policy).values
    monkeypatch.setattr(targets, "_MOST_SHARES", 3)
    refused(lambda: evaluate(log, policy), "", "at most 3", "2 rows of 2 arms", "at most 1")
