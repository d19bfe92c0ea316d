"""`experiment=exact`: the command, its table, and what it refuses."""

from __future__ import annotations

import pandas as pd
import pytest

from tests.experiments.commands import split_words

COMMAND = ("experiment=exact", "bandits=[ucb,kl_ucb,thompson,bayes_optimal]", "hydra.run.dir=run")
PRIOR = (*COMMAND, "arms=random_means", "arms.arms=2", "horizon=60")


@pytest.mark.long
@pytest.mark.jit
def test_the_table_holds_the_published_value_and_the_least_regret_is_the_optimal_one(command, tmp_path):
    said = command(*PRIOR)
    table = pd.read_csv(tmp_path / "run" / "exact.csv")
    assert " ".join(table.columns) == (
        "policy formula horizon gain_mean gain_sd regret_mean regret_sd best_arm_most_pulled wrong simple_regret"
    )
    optimal = table.set_index("policy").loc["bayes_optimal"]
    assert optimal["gain_mean"] == pytest.approx(38.562343246635564, abs=1e-10)
    assert table["regret_mean"].min() == optimal["regret_mean"]
    assert "38.562343" in said.out
    curves = pd.read_csv(tmp_path / "run" / "curves.csv")
    assert (curves.groupby("policy")["horizon"].max() == 60).all()


@pytest.mark.long
@pytest.mark.jit
def test_fixed_means_are_played_too_and_a_label_is_kept(finished, tmp_path):
    finished(
        *split_words(
            "experiment=exact 'bandits=[{name: ucb, c: 0.5, label: narrow},bayes_optimal]' arms.means=[0.3,0.5] "
            "horizon=60 hydra.run.dir=run"
        ),
    )
    table = pd.read_csv(tmp_path / "run" / "exact.csv").set_index("policy")
    assert list(table.index) == ["narrow", "bayes_optimal"]
    assert table.loc["bayes_optimal", "gain_mean"] == pytest.approx(27.667781619675154, abs=1e-10)
