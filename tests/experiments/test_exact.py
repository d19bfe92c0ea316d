"""`experiment=exact`: the command, its table, and what it refuses."""

from __future__ import annotations

import pandas as pd
import pytest

COMMAND = ("experiment=exact", "bandits=[ucb,kl_ucb,thompson,bayes_optimal]", "hydra.run.dir=run")
PRIOR = (*COMMAND, "arms=random_means", "arms.arms=2", "horizon=60")


@pytest.mark.long
@pytest.mark.jit
def test_the_table_holds_the_published_value_and_the_least_regret_is_the_optimal_one(command, tmp_path):
    said = command(*PRIOR)
    assert said.status == 0, said.err
    table = pd.read_csv(tmp_path / "run" / "exact.csv")
    assert list(table.columns) == [
        "policy",
        "formula",
        "horizon",
        "gain_mean",
        "gain_sd",
        "regret_mean",
        "regret_sd",
        "best_arm_most_pulled",
        "wrong",
        "simple_regret",
    ]
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
        "experiment=exact",
        "bandits=[{name: ucb, c: 0.5, label: narrow},bayes_optimal]",
        "arms.means=[0.3,0.5]",
        "horizon=60",
        "hydra.run.dir=run",
    )
    table = pd.read_csv(tmp_path / "run" / "exact.csv").set_index("policy")
    assert list(table.index) == ["narrow", "bayes_optimal"]
    assert table.loc["bayes_optimal", "gain_mean"] == pytest.approx(27.667781619675154, abs=1e-10)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("arms=gaussian",), "arms must be Bernoulli arms"),
        (("arms=random_means", "horizon=10"), "arms.arms must be 2 for exact expectations over a prior; got 10"),
        (("arms=bernoulli_10",), "bandits[0]: arms must be from 2 to 8"),
        (("horizon=501",), "bandits[3]: horizon must be at most 500 for bayes_optimal; got 501"),
        (
            ("bandits=[thompson_gaussian]", "arms.means=[0.1,0.2,0.3]", "horizon=9"),
            "bandits[0]: policy thompson_gaussian has no choice probabilities for 3 arms",
        ),
    ],
)
def test_what_cannot_be_computed_is_refused_before_any_work(command, words, told):
    command("experiment=exact", *words).assert_refused([told])
