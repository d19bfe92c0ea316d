"""The tables of a result against the replications they are made of."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from bandits import UCB, Bernoulli, EpsilonGreedy, RandomBernoulli, simulate, summaries
from bandits.replications import Replications
from bandits.results import Result
from numerics.output import tables as stored
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


def test_what_is_the_same_in_every_replication_has_no_error():
    played = simulate(UCB(), Bernoulli([0.1, 0.2, 0.7]), 30, 17).replications
    table = summaries.curves("ucb", played)
    first = table[table["t"] <= 3]
    assert (first["pseudo_regret_se"] == 0.0).all()
    assert (table["pseudo_regret_se"].to_numpy()[-1] > 0.0).all()


def test_pull_counts_have_one_row_a_replication_and_arm(played: Replications):
    table = summaries.pulls("mine", played)
    assert list(table.columns) == ["policy", "run", "arm", "mean", "pulls"]
    assert len(table) == 150
    assert table.groupby("run")["pulls"].sum().tolist() == [200] * 50
    for run, arm in ((0, 0), (7, 1), (49, 2)):
        row = table[(table["run"] == run) & (table["arm"] == arm)].iloc[0]
        assert row["pulls"] == played.pulls[run, arm]
        assert row["mean"] == ARMS.fixed_means[arm]
    assert set(table["policy"]) == {"mine"}


def test_pull_counts_of_random_arms_carry_the_means_of_their_own_replication():
    arms = RandomBernoulli(arms=3)
    table = summaries.pulls("ucb", simulate(UCB(), arms, 30, 4, seed=2).replications)
    np.testing.assert_array_equal(table["mean"], arms.draw_means(2, 0, 4).ravel())


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_written_table_reads_back_and_leaves_nothing_beside_it(tmp_path: Path, ending: str, result: Result):
    path = tmp_path / f"curves.{ending}"
    path.write_text("an older file")
    stored.write(result.curves, path)
    back = pd.read_csv(path) if ending == "csv" else pd.read_parquet(path)
    pd.testing.assert_frame_equal(back, result.curves, check_dtype=False)
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


class Full:
    """A cell at which the disk is full."""

    def __str__(self) -> str:
        raise OSError("the disk is full")


def test_a_table_that_cannot_be_written_leaves_the_old_file_and_nothing_beside_it(tmp_path: Path):
    path = tmp_path / "curves.csv"
    path.write_text("an older file")
    with pytest.raises(OSError, match="the disk is full"):
        stored.write(pd.DataFrame({"t": [1, Full()]}), path)
    assert path.read_text() == "an older file"
    assert [file.name for file in tmp_path.iterdir()] == [path.name]
