"""Index values and probabilities of the policies against those of other programs (`tests/data/index_values.json`)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from bandits import make
from bandits.hooks import ChoiceRule
from bandits.policies import gittins
from numerics.random import streams
from tests import naive
from tests.bandits.states import scores
from tests.bandits.test_indices import index_rule
from tests.data import read
from tests.internals import regression_rows, ridge_learn, write_predictions, write_spreads

FACTS = read("index_values")


def index(policy: Any, state: dict[str, Any]) -> np.ndarray:
    pulls = np.array(state["pulls"], dtype=np.float64)
    means = np.array(state["successes"]) / pulls
    return scores(
        index_rule(policy),
        pulls,
        means,
        state["t"],
        policy.spec().params,
        horizon=state.get("horizon", 1.0),
        variances=means * (1.0 - means),
    )


@pytest.mark.parametrize("row", FACTS["indices"] + FACTS["formulas"], ids=lambda row: row["policy"])
def test_indices_are_those_of_another_program(row: dict[str, Any]):
    found, expected = index(make(row["policy"], **row.get("parameters", {})), FACTS), np.array(row["index"])
    solved = np.isfinite(found)  # arms that cannot win get -inf
    assert found.argmax() == expected.argmax()
    np.testing.assert_allclose(found[solved], expected[solved], rtol=1e-11)


def test_each_index_is_asked_for_alone_where_the_others_cannot_win():
    for row in FACTS["indices"]:
        policy = make(row["policy"], **row["parameters"])
        for a, expected in enumerate(row["index"]):
            pulls = np.array([FACTS["pulls"][a]] + [1e9] * 3)
            means = np.array([FACTS["successes"][a] / pulls[0], 0.0, 0.0, 0.0])
            out = scores(
                index_rule(policy),
                pulls,
                means,
                FACTS["t"],
                policy.spec().params,
                horizon=FACTS["horizon"],
                variances=means * (1.0 - means),
            )
            assert out[0] == pytest.approx(expected, rel=1e-11)


def test_ucb_tuned_has_the_index_of_another_program():
    np.testing.assert_allclose(index(make("ucb_tuned"), FACTS["ucb_tuned"]), FACTS["ucb_tuned"]["index"], rtol=1e-13)


@pytest.mark.parametrize("row", FACTS["kl_ucb_switch"], ids=str)
def test_kl_ucb_switch_is_kl_ucb_for_an_arm_of_few_pulls(row: dict[str, Any]):
    pulls, means = [row["pulls"], 1e9, 1e9, 1e9], [row["successes"] / row["pulls"], 0.0, 0.0, 0.0]
    out = scores(index_rule(make("kl_ucb_switch")), pulls, means, FACTS["t"], horizon=FACTS["horizon"])
    assert out[0] == pytest.approx(row["index"], rel=1e-11)


def test_kl_maillard_sampling_has_the_probabilities_of_its_authors():
    pulls = np.array(FACTS["kl_ms"]["pulls"], dtype=np.float64)
    hook = make("kl_ms").spec().chances
    assert hook is not None
    found = scores(hook, pulls, np.array(FACTS["kl_ms"]["successes"]) / pulls, pulls.sum() + 1.0)
    np.testing.assert_allclose(found, FACTS["kl_ms"]["chance"], rtol=1e-11)


@pytest.mark.parametrize("row", FACTS["gittins"], ids=str)
def test_the_gittins_index_of_many_pulls_is_the_approximation_of_brezzi_and_lai(row: dict[str, Any]):
    params = (-math.log(row["discount"]),)  # without the table of few pulls
    out = scores(gittins.gittins, [row["pulls"]], [row["successes"] / row["pulls"]], row["pulls"] + 1.0, params)
    assert out[0] == pytest.approx(row["index"], rel=1e-12)


def test_improved_ucb_ends_its_phases_where_another_program_does():
    facts, policy = FACTS["improved_ucb"], make("improved_ucb")
    rule = policy.spec().rule
    assert isinstance(rule, ChoiceRule)
    rng, arm, nothing, half = streams(0, (7,), 0, 1), np.zeros(1, np.int64), np.zeros(2), np.full(2, 0.5)

    def phase_after(pulls: int, phase: int) -> float:
        memory = np.zeros((3, 1))
        memory[0, 0] = phase
        n, horizon = np.full(2, float(pulls)), float(facts["horizon"])
        rule.compiled(n, half, nothing, nothing, half, 1.0, horizon, nothing, rng, memory, arm)
        return float(memory[0, 0])

    for phase, each in enumerate(facts["pulls_of_phases"]):
        assert phase_after(each - 1, phase) == phase
        assert phase_after(each, phase) == phase + 1
    assert phase_after(10**9, facts["last_phase"] + 1) == facts["last_phase"] + 1


def test_exp3_has_the_probabilities_of_another_program():
    facts = FACTS["exp3"]
    twin = naive.Exp3(facts["arms"], facts["gamma"])  # whose pulls are the kernel's: tests.bandits.test_choices
    for arm, reward, expected in facts["steps"]:
        twin.learn(arm, reward, 1.0)
        np.testing.assert_allclose(twin.chances(1.0), expected, rtol=1e-11)


SEEN = [[0, 1, 2, 3, 5], [1, 1, 1, 1, 1], [0, 0, 1, 0, 0], [0, 2, 2, 3, 5], [1, 3, 1, 1, 1]]
SEEN += [[0, 0, 0, 0, 0], [0, 1, 4, 3, 5], [0, 1, 2, 4, 5], [1, 2, 1, 1, 3], [0, 2, 1, 0, 0]]


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("alpha", "chosen", "paid", "expected"),
    [
        (
            0.0,
            [0, 0, 0, 1, 1, 1, 2, 2, 2, 0],
            [0, 0, 0, 0, 0, 0, 1, 1, 1, 1],
            [[-0.018378378378378413, 0.0, 0.9966292134831471], [0.14054054054054055, 0.0, 0.43258426966292074]],
        ),
        (
            1.0,
            [0, 0, 0, 1, 1, 2, 2, 2, 2, 2],
            [0, 0, 1, 0, 0, 0, 0, 1, 1, 1],
            [
                [0.9790312458954391, 1.1617706239438832, 1.4247056229871702],
                [0.8896475809353053, 0.923364043088837, 1.457085577251709],
            ],
        ),
    ],
)
def test_scores_of_linucb_are_those_that_mabwiser_tests_for(alpha: float, chosen: list, paid: list, expected: list):
    """The expectations in tests/test_linucb.py of Fidelity's MABWiser, of ridge 1, after ten rewards."""
    d, arms, rng = 5, 3, streams(0, (9,), 0, 1)
    memory, arm = np.zeros((1 + d + arms * regression_rows(d), 1)), np.zeros(1, np.int64)
    learn: Any = ridge_learn.compiled
    predict: Any = write_predictions
    spread: Any = write_spreads
    select: Any = make("linucb", alpha=alpha).spec().rule.compiled
    nothing, scores_of_both = np.zeros(arms), iter(expected)
    for x, a, reward in [*zip(SEEN, chosen, paid, strict=True), *((x, -1, 0.0) for x in SEEN[:2])]:
        memory[0, 0], memory[1 : 1 + d, 0] = d, x
        t = 1.0 if not memory[1 + d :].any() else 2.0
        select(*[nothing] * 5, t, np.nan, np.array([alpha, 1.0]), rng, memory, arm)
        if a >= 0:
            learn(memory, np.array([a]), np.array([float(reward)]))
            continue
        means, spreads = np.empty(arms), np.empty(arms)
        predict(memory, arms, means)
        spread(memory, arms, spreads)
        np.testing.assert_allclose(means + alpha * spreads, next(scores_of_both), rtol=1e-9, atol=1e-12)
        assert arm[0] == 2
    assert next(scores_of_both, None) is None
