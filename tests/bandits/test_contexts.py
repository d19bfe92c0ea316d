"""Arms whose means depend on features: what is drawn, what policies see, and the regret, against plain NumPy."""

from __future__ import annotations

import functools
import math
import pickle
from typing import Any

import numpy as np
import pytest
from scipy import stats

from bandits import (
    Arms,
    Linear,
    LinEpsilonGreedy,
    LinThompson,
    Logistic,
    LogisticThompson,
    Policy,
    make,
    read_log,
    simulate,
    trace,
)
from bandits.simulation import replicate_steps
from numerics.random import Purpose
from tests import naive, naive_contexts
from tests.internals import ARMS, DELIVERY, ContextualArms, fit_logistic, fit_ridge
from tests.refusals import assert_sentence, refused

pytestmark = pytest.mark.kernels

Floats = np.ndarray
SEED, ERRORS = 23, 5.0
FEW = [[1.0, -0.5, 0.2], [0.0, 0.8, 0.1], [0.3, 0.3, -1.0]]
GIVEN = Linear(weights=FEW, scale=0.3)
DRAWN = Linear(arms=4, features=6, constant=False)
CLICKS = Logistic(arms=3, features=4)


@pytest.fixture(scope="module")
def log_file(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A log of three arms, whose clicks follow a logistic law of two columns."""
    rng = np.random.default_rng(5)
    x, arm = rng.normal(size=(3_000, 2)), rng.integers(0, 3, 3_000)
    odds = np.array([[0.2, 1.0, 0.0], [-0.4, 0.0, 1.5], [0.0, -1.0, -1.0]])
    chance = 1.0 / (1.0 + np.exp(-(np.column_stack([np.ones(3_000), x]) * odds[arm]).sum(axis=1)))
    click = rng.random(3_000) < chance
    path = tmp_path_factory.mktemp("log") / "log.csv"
    rows = (f"{'xyz'[a]},{int(c)},{u!r},{v!r}\n" for a, c, (u, v) in zip(arm, click, x.tolist(), strict=True))
    path.write_text("item,click,age,price\n" + "".join(rows))
    return f'rows path="{path}" feature_columns=[age,price] uniform=true'


def test_all_arms_with_features_are_tested_here():
    contextual = {name for name, cls in Arms.members.items() if issubclass(cls, ContextualArms)}
    assert {GIVEN.name, CLICKS.name} == contextual


@pytest.mark.parametrize("arms", [GIVEN, DRAWN, CLICKS, Linear(features=1)], ids=str)
def test_means_follow_from_features_and_weights(arms: ContextualArms):
    starts, means, x = arms.with_features(SEED, 3, 5, 40)
    theta = np.broadcast_to(arms.thetas(SEED, 3, 5), (5, arms.count, arms.dimension))
    odds = np.einsum("rtd,rkd->rtk", x, theta)
    np.testing.assert_allclose(means, 1.0 / (1.0 + np.exp(-odds)) if arms.logistic else odds, rtol=1e-12, atol=1e-14)
    assert (starts == np.arange(40)).all()
    assert (arms.draw_means(SEED, 3, 5) == means[:, 0]).all()
    np.testing.assert_allclose(np.linalg.norm(x, axis=2), 1.0, rtol=1e-12)
    if not arms.weights:
        np.testing.assert_allclose(np.linalg.norm(theta, axis=2), arms.norm, rtol=1e-12)
    assert (x[:, :, 0] == x[0, 0, 0]).all() == arms.constant
    assert (means.max(axis=2) - means.min(axis=2)).max() <= arms.largest_gap + 1e-12
    for first, runs, horizon in ((4, 2, 40), (3, 5, 17)):  # a replication and a step stay as they are among others
        part = arms.with_features(SEED, first, runs, horizon)[2]
        assert (part == x[first - 3 : first - 3 + runs, :horizon]).all()


def test_a_gap_of_logistic_arms_is_at_most_a_quarter_of_that_of_their_odds_and_1():
    near, far = (Logistic(weights=[[size, 0.0], [-size, 0.0]], constant=False) for size in (0.1, 50.0))
    assert near.largest_gap == pytest.approx(0.2 / 4.0, rel=1e-12)
    assert far.largest_gap == 1.0
    for arms in (near, far):  # features point along the weights now and then: the bound is nearly reached
        _, means, _ = arms.with_features(SEED, 0, 20, 200)
        assert 0.99 * arms.largest_gap < np.ptp(means, axis=2).max() <= arms.largest_gap


def test_features_are_uniform_on_their_sphere():
    _, means, x = DRAWN.with_features(SEED, 0, 50, 100)
    flat = x.reshape(-1, DRAWN.dimension)
    error = ERRORS / math.sqrt(len(flat))
    np.testing.assert_allclose(flat.mean(axis=0), 0.0, atol=error)
    np.testing.assert_allclose(flat.T @ flat / len(flat), np.eye(6) / 6.0, atol=error)
    squares = stats.beta(0.5, 2.5)  # of a coordinate of a uniform point in six dimensions
    assert stats.kstest(flat[:, 2] ** 2, squares.cdf).pvalue > 1e-4
    assert stats.kstest(means[:, 0, 1], lambda mean: stats.beta(2.5, 2.5).cdf((mean + 1.0) / 2.0)).pvalue > 1e-4
    with_constant = CLICKS.with_features(SEED, 0, 50, 100)[2]
    np.testing.assert_allclose(with_constant[:, :, 0], math.sqrt(0.5), rtol=1e-12)
    assert abs(with_constant[:, :, 1:].mean()) < error


def disjoint_linucb(
    features: Floats, chosen: Floats, rewards: Floats, known_at: Floats, arms: int, alpha: float, ridge: float
) -> int:
    """Return how many steps have another arm than Algorithm 1 of Li et al. 2010, which solves anew at each.

    It is told the arms that were chosen, and takes any of equal scores for right. The reward of step s counts from step
    known_at[s] + 1 on.
    """
    model, wrong = naive_contexts.Ridge(arms, features.shape[1], ridge), 0
    for t, x in enumerate(features):
        for s in np.flatnonzero(known_at == t - 1):
            model.learn(chosen[s], features[s], rewards[s])
        scores = np.array(model.predictions(x)) + alpha * np.array(model.spreads(x))
        wrong += scores[chosen[t]] < max(scores) - 1e-9
    return wrong


@pytest.mark.parametrize(
    ("arms", "alpha", "ridge", "delivery"),
    [(GIVEN, 1.0, 1.0, "at_once"), (DRAWN, 0.4, 0.01, "fixed delay=7"), (CLICKS, 2.5, 3.0, "batch size=25")],
)
def test_linucb_chooses_what_algorithm_1_chooses_with_a_solver(arms, alpha: float, ridge: float, delivery: str):
    horizon, others = 200, 0
    for run in range(2):
        policy = make("linucb", alpha=alpha, ridge=ridge)
        _, steps = replicate_steps(policy, arms, horizon, SEED, run, DELIVERY.of(delivery))
        features = arms.with_features(SEED, run, 1, horizon)[2][0]
        told = features, steps.arm, steps.reward, steps.arrival, arms.count
        assert disjoint_linucb(*told, alpha, ridge) == 0
        others += disjoint_linucb(*told, 2.0 * alpha, ridge)
        assert len(np.unique(steps.arm)) > 1
    assert others > 0


@pytest.mark.parametrize("policy", ["linucb", "ucb", "thompson", "sliding_window_ucb"])
def test_the_regrets_are_those_of_the_table_of_means(policy: str):
    played = simulate(policy, CLICKS, 60, 2, SEED, checkpoints=range(1, 61)).replications
    for run in range(2):
        _, steps = replicate_steps(make(policy), CLICKS, 60, SEED, run)
        means = CLICKS.with_features(SEED, run, 1, 60)[1][0]
        got = means[np.arange(60), steps.arm]
        np.testing.assert_allclose(played.pseudo_regret[run], (means.max(axis=1) - got).cumsum(), atol=1e-12)
        fixed = means.cumsum(axis=0).max(axis=1) - got.cumsum()
        np.testing.assert_allclose(played.fixed_regret[run], fixed, atol=1e-12)
        np.testing.assert_allclose(played.means[run], means.mean(axis=0), atol=1e-12)


TWINS: list[tuple[Policy, type[naive_contexts.Ridge], Any]] = [
    (LinThompson(scale=0.5), naive_contexts.Ridge, naive_contexts.thompson_choice),
    (LinThompson(ridge=0.2), naive_contexts.Ridge, naive_contexts.thompson_choice),
    (LinEpsilonGreedy(epsilon=0.3), naive_contexts.Ridge, naive_contexts.greedy_choice),
    (LinEpsilonGreedy(epsilon=0.8, decay=6.0), naive_contexts.Ridge, naive_contexts.greedy_choice),
    (LogisticThompson(), naive_contexts.Logistic, naive_contexts.thompson_choice),
    (LogisticThompson(scale=0.3, ridge=0.1), naive_contexts.Logistic, naive_contexts.thompson_choice),
]


@pytest.mark.parametrize(("policy", "model", "choose"), TWINS, ids=lambda value: getattr(value, "__name__", str(value)))
def test_a_policy_chooses_the_arms_of_its_naive_twin(policy: Policy, model: Any, choose: Any):
    arms = Logistic(arms=3, features=4) if policy.unit_rewards else Linear(arms=3, features=4, scale=0.5)
    number, decay = getattr(policy, "epsilon", getattr(policy, "scale", None)), getattr(policy, "decay", None)
    for run in (0, 3):
        _, steps = replicate_steps(policy, arms, 60, SEED, run)
        seen = arms.with_features(SEED, run, 1, 60)[2][0]
        twin = model(arms.count, arms.dimension, getattr(policy, "ridge", 1.0))
        rng = naive.Xoshiro(naive.stream(SEED, (Purpose.POLICY,), run))
        for step, x in enumerate(seen):
            arm = choose(twin, x, number if decay is None else min(number, decay / (step + 1)), rng)
            assert arm == steps.arm[step], step
            twin.learn(arm, x, steps.reward[step])
        assert len(set(steps.arm)) == arms.count
    whole = simulate(policy, arms, 60, 4, SEED, checkpoints=[60]).replications
    assert whole.pulls[3].tolist() == np.bincount(steps.arm, minlength=arms.count).tolist()


@pytest.mark.parametrize("form", [Linear, Logistic])
def test_a_log_gives_its_features_and_weights_of_its_rows(form: type[ContextualArms], log_file: str):
    log, arms = read_log(log_file), form(log=log_file)
    assert log.features is not None
    assert arms.names == ("x", "y", "z")
    rows = np.column_stack([np.ones(len(log)), log.features])
    features = arms.with_features(SEED, 0, 20, 500)[2].reshape(-1, 3)
    places = {tuple(row): i for i, row in enumerate(rows.tolist())}
    counts = np.bincount([places[tuple(row)] for row in features.tolist()], minlength=len(rows))
    assert stats.chisquare(counts).pvalue > 1e-4
    missed: list[float] = []
    for a, theta in enumerate(arms.thetas(SEED, 0, 1)[0]):
        x, r = rows[log.arm == a], log.reward[log.arm == a]
        slope = 1.0 / (1.0 + np.exp(-x @ theta)) if arms.logistic else x @ theta
        np.testing.assert_allclose(x.T @ (r - slope), theta, atol=1e-7)  # where the penalised sum is lowest
        missed += (r - slope).tolist()
    if isinstance(arms, Linear):
        assert arms.deviation == pytest.approx(math.sqrt(sum(each * each for each in missed) / len(log)), rel=1e-12)
    copy = pickle.loads(pickle.dumps(arms))
    assert copy == arms == ARMS.of(ARMS.text(arms))
    assert (copy.with_features(SEED, 0, 1, 9)[1] == arms.with_features(SEED, 0, 1, 9)[1]).all()
    assert trace("linucb", arms, 30).truth.shape == (30, 3)


def test_wide_logs_and_bad_rows_have_features_too(tmp_path):
    path = tmp_path / "log.csv"
    path.write_text("a,b,x,y\n1,0,0.5,yes\n0,1,oops,no\n0,1,,no\n1,1,nan,no\n0,0,2,no\n")
    log = read_log(f'wide path="{path}" reward_columns=[a,b] feature_columns=[x,y] leave_out=true')
    assert log.features is not None
    assert log.features.tolist() == [[0.5, 1.0], [2.0, 0.0]]
    assert (log.bad, len(log.left_out)) == (3, 3)
    assert_sentence(log.left_out[0], "line 3", "'x'", "'oops'")
    assert "2 rows of 2 arms with 2 features" in log.describe()
    arms = Linear(log=f'wide path="{path}" reward_columns=[a,b] feature_columns=[x,y] leave_out=true', constant=False)
    np.testing.assert_allclose(arms.thetas(0, 0, 1)[0, 0], fit_ridge(log.features, np.array([1.0, 0.0])))


def test_a_separable_log_has_finite_logistic_weights():
    x = np.column_stack([np.ones(50), np.linspace(-300.0, 300.0, 50)])
    theta = fit_logistic(x, (x[:, 1] > 0.0).astype(float))
    assert np.isfinite(theta).all()
    np.testing.assert_allclose(
        x.T @ ((x[:, 1] > 0.0) - 1.0 / (1.0 + np.exp(-np.clip(x @ theta, -700.0, 700.0)))), theta, atol=1e-6
    )


class Recorder:
    """A class of a user's that writes down what it is given."""

    needs = ("features",)
    seen: list[np.ndarray]
    given: list[tuple[int, float, np.ndarray]]
    last: Recorder

    def __init__(self, arms: int, horizon: int):
        self.arms, self.horizon, self.seen, self.given = arms, horizon, [], []
        Recorder.last = self

    def choose(self, features):
        self.seen.append(features)
        return int(abs(features[1]) * 100.0) % self.arms

    def update(self, arm, reward, features):
        self.given.append((arm, reward, features))


@pytest.mark.parametrize("delivery", ["at_once", "fixed delay=3"])
def test_a_class_of_a_user_sees_the_features_of_the_step_and_of_the_pull(delivery: str):
    policy = make("custom", rule=Recorder)
    _, steps = replicate_steps(policy, CLICKS, 50, SEED, 2, DELIVERY.of(delivery))
    features = CLICKS.with_features(SEED, 2, 1, 50)[2][0]
    assert (np.array(Recorder.last.seen) == features).all()
    assert steps.arm.tolist() == [int(abs(x[1]) * 100.0) % 3 for x in features]
    known = 50 if delivery == "at_once" else 47
    assert [arm for arm, _, _ in Recorder.last.given] == steps.arm[:known].tolist()
    assert [reward for _, reward, _ in Recorder.last.given] == steps.reward[:known].tolist()
    assert (np.array([x for _, _, x in Recorder.last.given]) == features[:known]).all()


class NeedsMore:
    """A class that asks for what classes are not given so."""

    needs = ("variances",)

    def __init__(self): ...

    def choose(self):
        return 0

    def update(self, arm, reward): ...


def test_a_log_that_does_not_fit_is_refused(log_file: str, tmp_path):
    without = log_file.replace("feature_columns=[age,price] ", "")
    (tmp_path / "log.csv").write_text("item,amount,x\na,0.5,1\nb,2,1\n")
    amounts = f'rows path="{tmp_path / "log.csv"}" reward_column=amount feature_columns=[x]'
    Linear(log=log_file, arms=3)
    Linear(log=amounts)
    for form, given, facts in (
        (Linear, {"log": without}, ("log", "features")),
        (Linear, {"log": log_file, "arms": 4}, ("arms", "3; got 4")),
        (Linear, {"log": log_file, "features": 2}, ("features", "3; got 2")),
        (Linear, {"log": log_file, "weights": FEW[:2]}, ("weights", "3 rows")),
        (Logistic, {"log": amounts}, ("log", "0 and 1")),
    ):
        refused(functools.partial(form, **given), *facts)
