"""`experiment=identification`: what its table says of rules that stop or do not, and a sweep of budgets."""

from __future__ import annotations

import pandas as pd
import pytest

from tests.experiments.commands import split_words

ARMS = ("experiment=identification", "arms.means=[0.8,0.2]", "seed=3")
RULE = """from bandits import stopping_rule


@stopping_rule
def never(pulls, means, variances, t, params):
    return False
"""


@pytest.mark.jit
def test_errors_against_budgets_are_put_together(command, tmp_path):
    printed = command(
        "-m",
        *ARMS,
        *split_words(
            "stopping=budget most=2,10,60 runs=400 bandits=[round_robin,sequential_halving] hydra.sweep.dir=sweep"
        ),
    ).out
    table = pd.read_csv(tmp_path / "sweep" / "sweep.csv")
    assert table["most"].tolist() == [2, 2, 10, 10, 60, 60]
    assert table["policy"].tolist() == ["round_robin", "sequential_halving"] * 3
    uniform = table[table["policy"] == "round_robin"]["wrong"]
    assert abs(uniform.iloc[0] - 0.2) < 0.08  # after a pull of each: 0 and 1, or half of the equal means
    assert uniform.iloc[2] == 0.0
    assert [file.name for file in (tmp_path / "sweep" / "figures").iterdir()] == ["errors.png"]
    assert "pulls" not in printed.split("wrong, %")[0].splitlines()[-1]  # a budget is not a result


@pytest.mark.jit
def test_a_rule_that_never_stops_is_not_taken_for_a_budget(command, tmp_path, monkeypatch):
    (tmp_path / "never_rules.py").write_text(RULE)
    monkeypatch.setenv("COLUMNS", "160")
    printed = command(
        *ARMS,
        *split_words(
            "stopping=custom stopping.rule=never_rules.never bandits=[round_robin] runs=5 most=50 figures=false "
            "hydra.run.dir=run"
        ),
    ).out
    assert "round_robin: some replications reached the cap of 50 pulls" in printed
    assert "100.0 %" in printed


@pytest.mark.jit
def test_quantiles_of_the_pulls_lie_in_their_intervals(finished, tmp_path):
    finished(*ARMS, "stopping.delta=0.2", "bandits=[kl_lucb]", "runs=100", "figures=false", "hydra.run.dir=run")
    row = pd.read_csv(tmp_path / "run" / "summary.csv").iloc[0]
    pulls = pd.read_parquet(tmp_path / "run" / "stops.parquet")["pulls"].sort_values().to_numpy()
    assert (row["pulls_q50"], row["pulls_q50_low"], row["pulls_q50_high"]) == (pulls[49], pulls[39], pulls[60])
    assert row["pulls_q95_low"] <= row["pulls_q95"] <= row["pulls_q95_high"]
