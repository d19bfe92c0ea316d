"""The tables of a result against the replications they are made of."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from bandits import UCB, Bernoulli, EpsilonGreedy, RandomBernoulli, Trace, simulate, summaries, trace
from bandits.replications import Replications
from bandits.results import Result
from tests import naive

ARMS = Bernoulli([0.9, 0.6, 0.9])


@pytest.fixture(scope="module")
def result() -> Result:
    return simulate(EpsilonGreedy(0.3), ARMS, 200, 50, seed=6, checkpoints=[1, 20, 200])


@pytest.fixture(scope="module")
def played(result: Result) -> Replications:
    return result.replications


def test_curves_hold_means_errors_and_quantiles_of_every_checkpoint(result: Result, played: Replications):
    table = result.curves
    assert tuple(table.columns) == summaries.CURVES
    assert table["t"].tolist() == [1, 20, 200]
    assert set(table["policy"]) == {"epsilon_greedy epsilon=0.3"}
    for column, name, values in (
        (0, "pseudo_regret", played.pseudo_regret),
        (1, "realised_regret", played.best_reward_sum - played.reward_sum),
    ):
        assert (table[f"{name}_mean"] == values.mean(axis=0)).all(), column
        np.testing.assert_allclose(table[f"{name}_se"], values.std(axis=0, ddof=1) / math.sqrt(50))
    for name, share in (("q05", 5), ("q25", 25), ("q50", 50), ("q75", 75), ("q95", 95)):
        expected = [np.percentile(played.pseudo_regret[:, c], share) for c in range(3)]
        np.testing.assert_allclose(table[f"pseudo_regret_{name}"], expected)
    np.testing.assert_allclose(table["optimal_share"], [(column == 1).mean() for column in played.optimal.T])
    np.testing.assert_allclose(table["reward_mean"], played.reward.mean(axis=0))


def test_the_summary_holds_the_final_figures_and_the_formula_with_its_numbers(result: Result, played: Replications):
    table = result.summary
    assert tuple(table.columns) == summaries.SUMMARY
    row = table.iloc[0]
    assert row["formula"] == result.policy.formula
    assert (row["horizon"], row["runs"]) == (200, 50)
    assert row["pseudo_regret_mean"] == pytest.approx(result.pseudo_regret.mean())
    assert row["realised_regret_mean"] == pytest.approx(result.realised_regret.mean())
    assert row["realised_regret_se"] == pytest.approx(result.realised_regret.std(ddof=1) / math.sqrt(50))
    assert row["reward_sum_mean"] == pytest.approx(played.reward_sum[:, -1].mean())
    assert row["optimal_share"] == pytest.approx(played.pulls[:, [0, 2]].sum() / (50 * 200))
    assert row["lai_robbins_constant"] == pytest.approx(0.3 / naive.bernoulli_kl(0.6, 0.9))


def test_standard_errors_of_one_replication_are_unknown():
    alone = simulate(UCB(), ARMS, 30, 1)
    assert alone.curves["pseudo_regret_se"].isna().all()
    assert math.isnan(alone.summary["realised_regret_se"].iloc[0])
    assert not alone.curves["pseudo_regret_mean"].isna().any()


def test_pull_counts_have_one_row_a_replication_and_arm(played: Replications):
    table = summaries.pulls("mine", played)
    assert list(table.columns) == ["policy", "run", "arm", "mean", "pulls"]
    assert set(table["policy"]) == {"mine"}
    np.testing.assert_array_equal(table["run"], np.repeat(np.arange(50), 3))
    np.testing.assert_array_equal(table["arm"], np.tile(np.arange(3), 50))
    np.testing.assert_array_equal(table["pulls"], played.pulls.ravel())
    np.testing.assert_array_equal(table["mean"], np.tile(ARMS.fixed_means, 50))


def test_pull_counts_of_random_arms_carry_the_means_of_their_own_replication():
    arms = RandomBernoulli(arms=3)
    table = summaries.pulls("ucb", simulate(UCB(), arms, 30, 4, seed=2).replications)
    np.testing.assert_array_equal(table["mean"], arms.draw_means(2, 0, 4).ravel())


# ---------------------------------------------------------------- traces


def test_it_is_the_replication_that_simulate_plays():
    played, result = trace("ucb", [0.3, 0.7], horizon=60, seed=3, run=4), simulate(UCB(), [0.3, 0.7], 60, 5, seed=3)
    frame = played.to_frame()
    assert isinstance(played, Trace)
    np.testing.assert_array_equal(np.bincount(frame["arm"], minlength=2), result.pulls[4])
    assert frame["realised_regret"].iloc[-1] == result.realised_regret[4]
    assert repr(played) == (
        f"Trace('ucb', arms=2, horizon=60, run=4, seed=3: pseudo-regret {result.pseudo_regret[4]:.2f})"
    )


@pytest.mark.jit
def test_a_notebook_shows_its_first_steps_and_its_figure():
    played = trace("thompson", [0.3, 0.5, 0.7], horizon=30, seed=1)
    body = ET.fromstring(f"<body>{played._repr_html_()}</body>")
    head, *rows = [["".join(cell.itertext()) for cell in row] for row in body.iter("tr")]
    assert head == list(played.to_frame())
    assert [int(row[1]) for row in rows] == played.to_frame()["arm"].head(10).tolist()
    (image,) = body.iter("img")
    assert image.attrib["src"].startswith("data:image/png;base64,iVBOR")
    assert "the first 10 steps (all: to_frame())" in "".join(body.itertext())
