"""Sweeps and comparisons: all curves in one figure, one table, paired tests; bad combinations do not stop others."""

from __future__ import annotations

import shutil

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from bandits import UCB, Bernoulli, Thompson, simulate, summaries
from bandits.differences import final_regret, paired_differences
from experiments.engine import printing
from numerics.statistics import interval_of
from tests.internals import DIFFERENCES, Context

SMALL = ("runs=20", "horizon=100")
REGRET, ALIKE = ("regret", "regret_log"), ("simple_regret", "pulls", "final_regret")


@pytest.mark.parametrize(
    ("swept", "column", "values", "figures"),
    [
        ("bandit=random,ucb,thompson", "policy", ["random", "ucb", "thompson"], (*REGRET, *ALIKE)),
        ("bandit=moss", "policy", ["moss"], (*REGRET, *ALIKE)),
        ("arms=two_close,low_means", "arms", ["two_close", "low_means"], REGRET),
        ("runs=10,20", "runs", [10, 20], (*REGRET, "final_regret")),
        ('bandit.label="x, y",plain', "bandit.label", ["x, y", "plain"], (*REGRET, *ALIKE)),
        pytest.param("horizon=60,90", "horizon", [60, 90], (*REGRET, "final_regret"), marks=pytest.mark.long),
        pytest.param(
            "bandit.c=range(0.1,0.31,step=0.2)", "bandit.c", [0.1, 0.3], (*REGRET, *ALIKE), marks=pytest.mark.long
        ),
    ],
)
def test_a_sweep_is_one_table_and_figures_of_what_is_alike(command, tmp_path, swept, column, values, figures):
    said = command("-m", *SMALL, swept, "hydra.sweep.dir=sweep")
    assert list(pd.read_csv(tmp_path / "sweep" / "sweep.csv")[column]) == values
    assert {path.stem for path in (tmp_path / "sweep" / "figures").iterdir()} == set(figures)
    assert "0.30000000" not in said.out.partition("┏")[2]
    assert f"table: {tmp_path / 'sweep' / 'sweep.csv'}" in said.out


def test_bad_combinations_are_said_and_the_good_ones_finish(attempt, tmp_path):
    said = attempt("-m", "bandit=ucb", "bandit.c=0.5,-1,abc,1", *SMALL, "hydra.sweep.dir=sweep")
    assert said.status == 2
    lines = said.err.strip().splitlines()
    assert len(lines) == 2
    assert "bandit.c=-1" in lines[0]
    assert "at least 0" in lines[0]
    assert "bandit.c=abc" in lines[1]
    assert "a number" in lines[1]
    assert list(pd.read_csv(tmp_path / "sweep" / "sweep.csv")["bandit.c"]) == [0.5, 1.0]
    assert (tmp_path / "sweep" / "figures" / "final_regret.png").exists()


@pytest.mark.reported
def test_a_combination_that_failed_is_named_with_the_tables_and_its_value_can_be_corrected(command, attempt, tmp_path):
    sweep = ("-m", "bandit=ucb", *SMALL, "hydra.sweep.dir=sweep")
    said = attempt(*sweep, "bandit.c=0.5,-1,1")
    named = "bandit.c=-1 failed and is missing from all tables: bandit.c must be a finite number of at least 0; got -1"
    assert named in said.out
    report = tmp_path / "sweep" / "report.html"
    assert named in report.read_text(encoding="utf-8")
    report.unlink()
    command("sweep", module="report")
    assert named in report.read_text(encoding="utf-8")
    before = (tmp_path / "sweep" / "0" / "manifest.json").stat().st_mtime_ns
    other = attempt(*sweep, "bandit.c=0.6,2,1")
    assert other.status == 2
    assert "holds a run with bandit.c=0.5, not 0.6" in other.err
    corrected = command(*sweep, "bandit.c=0.5,2,1")
    assert "failed and is" not in corrected.out
    assert list(pd.read_csv(tmp_path / "sweep" / "sweep.csv")["bandit.c"]) == [0.5, 2.0, 1.0]
    assert "failed and is" not in report.read_text(encoding="utf-8")
    assert (tmp_path / "sweep" / "0" / "manifest.json").stat().st_mtime_ns == before


def test_a_combination_that_cannot_be_composed_stops_the_sweep_before_any_run(attempt, tmp_path):
    said = attempt("-m", "bandit=ucb,nope,moss", *SMALL, "hydra.sweep.dir=sweep")
    said.assert_refused(["bandit must be one of ", "got 'nope'"])
    assert not list((tmp_path / "sweep").glob("*/*"))


@pytest.mark.long
def test_a_failure_while_drawing_a_sweep_is_not_swallowed(command, attempt, tmp_path):
    sweep = ("-m", "bandit=ucb,moss", *SMALL, "hydra.sweep.dir=sweep")
    command(*sweep)
    shutil.rmtree(tmp_path / "sweep" / "figures")
    (tmp_path / "sweep" / "figures").write_text("a file where a folder must be")
    said = attempt(*sweep)
    assert said.status == 2
    assert "figures" in said.err


@pytest.mark.long
def test_a_run_of_another_sweep_is_refused_untouched_and_the_same_sweep_goes_on(command, attempt, tmp_path):
    folder = tmp_path / "sweep"
    command("-m", "bandit=ucb", *SMALL, "hydra.sweep.dir=sweep")
    before = {path: path.stat().st_mtime_ns for path in (folder / "0").glob("[!c.]*")}
    said = attempt("-m", "bandit=moss,ucb", *SMALL, "hydra.sweep.dir=sweep")
    assert said.status == 2
    assert "holds a run with" in said.err
    assert {path: path.stat().st_mtime_ns for path in (folder / "0").glob("[!c.]*")} == before
    shutil.rmtree(folder / "0")
    shutil.rmtree(folder / "1")
    said = command("-m", *SMALL, "bandit=ucb", "executor=serial", "hydra.sweep.dir=sweep")
    assert (folder / "0" / "summary.csv").exists()


@pytest.mark.parametrize("bad", ["foo=1,2", "+foo=1,2", "bandit.c=-1,-2"])
def test_a_sweep_of_bad_combinations_has_no_tables(attempt, tmp_path, bad):
    assert attempt("-m", "bandit=ucb", bad, "hydra.sweep.dir=sweep").status == 2
    assert not list(tmp_path.rglob("sweep.csv"))


@pytest.mark.long
@pytest.mark.drawn
def test_sweeping_policies_and_arms_draws_quantiles_of_each_in_panels_and_no_theory(command, tmp_path, monkeypatch):
    drawn = []
    monkeypatch.setattr("bandits.figures.save.Context", lambda **told: drawn.append(told) or Context(**told))
    command("-m", "bandit=ucb,moss", "arms=two_close,low_means", *SMALL, "hydra.sweep.dir=sweep")
    names = {path.stem for path in (tmp_path / "sweep" / "figures").iterdir()}
    assert names == {"regret", "regret_log", "regret_quantiles", "regret_quantiles_log"}
    together = drawn[-4:]  # the sweep's own come after its runs'
    assert [(told["theory"], told["runs"]) for told in together] == [(None, 20)] * 4


@pytest.mark.drawn
def test_a_comparison_tests_every_difference(command):
    said = command(
        "experiment=comparison",
        'bandits=[ucb,{name: ucb, c: 0.5, label: "UCB 0.5"},{name: ucb, c: 0.1},thompson]',
        *SMALL,
    )
    summary = pd.read_csv(said.folder / "summary.csv")
    assert list(summary["policy"]) == ["ucb", "UCB 0.5", "ucb c=0.1", "thompson"]
    differences = pd.read_csv(said.folder / "differences.csv")
    assert len(differences) == 6
    means = dict(zip(summary["policy"], summary["pseudo_regret_mean"], strict=True))
    for row in differences.itertuples():
        assert np.isclose(row.difference_mean, means[row.policy_a] - means[row.policy_b])
    assert {path.stem for path in (said.folder / "figures").iterdir()} == {
        "regret",
        "regret_log",
        "regret_quantiles",
        "regret_quantiles_log",
        "simple_regret",
        "pulls",
        "final_regret",
        "differences",
    }
    assert "adjusted for all pairs" in said.out


def test_paired_differences_are_the_paired_t_test_corrected_for_skewness():
    arms = Bernoulli([0.3, 0.5, 0.7])
    results = {"ucb": simulate(UCB(), arms, 300, 50), "thompson": simulate(Thompson(), arms, 300, 50)}
    pulls = pd.concat([summaries.pulls(label, result.replications) for label, result in results.items()])
    finals = final_regret(pulls)
    for label, result in results.items():
        assert np.allclose(finals[label], result.pseudo_regret)
    (row,) = paired_differences(pulls).itertuples()
    test = stats.ttest_rel(results["ucb"].pseudo_regret, results["thompson"].pseudo_regret)
    assert test.pvalue < row.p_value < 0.001
    assert row.ci_low <= test.confidence_interval(0.95).low
    assert (row.ci_low, row.ci_high) == interval_of(results["ucb"].pseudo_regret - results["thompson"].pseudo_regret)
    assert row.p_adjusted == row.p_value


def test_identical_policies_differ_by_nothing():
    one = simulate(UCB(), Bernoulli([0.4, 0.6]), 50, 10).replications
    (row,) = paired_differences(pd.concat([summaries.pulls("a", one), summaries.pulls("b", one)])).itertuples()
    assert (row.difference_mean, row.p_value, row.share_a_lower) == (0.0, 1.0, 0.5)


def test_a_single_replication_allows_no_statement():
    one = simulate(UCB(), Bernoulli([0.4, 0.6]), 50, 1).replications
    two = simulate(Thompson(), Bernoulli([0.4, 0.6]), 50, 1).replications
    (row,) = paired_differences(pd.concat([summaries.pulls("a", one), summaries.pulls("b", two)])).itertuples()
    assert np.isnan(row.p_value)
    assert np.isnan(row.p_adjusted)
    (printed,) = DIFFERENCES.of(pd.DataFrame([row._asdict()]), {"arms": {}})
    assert printed.cells[0][3:] == ["-", "0 % of runs", "-"]


@pytest.mark.long
@pytest.mark.drawn
def test_sweeping_the_size_keeps_the_lines_of_theory(command, tmp_path, monkeypatch):
    drawn = []
    monkeypatch.setattr("bandits.figures.save.Context", lambda **told: drawn.append(told) or Context(**told))
    command("-m", "bandit=ucb", "arms=two_close", "horizon=60,100", "runs=5")
    assert all(told["theory"].uniform == pytest.approx(0.05) for told in drawn)


@pytest.mark.parametrize(
    ("width", "missing"),
    [
        (150, []),
        (100, ["simple regret", "reward sum", "Lai-Robbins C"]),
        (80, ["simple regret", "reward sum", "Lai-Robbins C", "realised regret"]),
    ],
)
def test_a_narrow_terminal_leaves_columns_out_and_says_which(monkeypatch, capsys, width, missing):
    columns = ["pseudo_regret_mean", "pseudo_regret_se", "realised_regret_mean", "realised_regret_se"]
    columns += ["pseudo_regret_low", "pseudo_regret_high", "pseudo_regret_bound", "reward_sum_mean"]
    table = pd.DataFrame(
        {"policy": ["epsilon_greedy"], "formula": ["m + a formula that can be folded"], "horizon": [10], "runs": [5]}
        | {name: [1234.5] for name in [*columns, "optimal_share", "lai_robbins_constant"]}
        | {f"simple_regret_{end}": [0.5] for end in ("mean", "se", "low", "high")}
    )
    monkeypatch.setattr(printing, "_WIDTH_OF_A_FILE", width)
    (filled,) = summaries.SHEET.of(table)
    printing.show(filled)
    printed = capsys.readouterr().out
    assert "…" not in printed
    shown = [head.split()[0] for head in filled.heads if head not in missing]
    assert [head for head in shown if head not in printed] == []
    said = f"not shown on {width} columns, but in the report: {', '.join(missing)}"
    assert (said in " ".join(printed.split())) == bool(missing)


def test_labels_stay_the_text_that_they_are(command):
    said = command("experiment=comparison", 'bandits=[{name: ucb, label: "NA"},{name: moss, label: "007"}]', *SMALL)
    rows = [line.split()[1] for line in said.out.splitlines() if line.startswith("│")]
    assert rows == ["NA", "007", "NA"]


def test_sweeps_may_lie_in_one_another_and_a_damaged_note_is_one_sentence(command, attempt, tmp_path):
    sweep = ("-m", "bandit=ucb", "bandit.c=0.5,1", *SMALL)
    command(*sweep, "hydra.sweep.dir=all/one")
    said = command("-m", "seed=1,2", *SMALL, "hydra.sweep.dir=all")
    assert len(pd.read_csv(tmp_path / "all" / "sweep.csv")) == 2
    (tmp_path / "all" / "extra").mkdir()
    (tmp_path / "all" / "extra" / "combination.json").write_text("[")
    said = attempt("-m", "seed=1,2", *SMALL, "hydra.sweep.dir=all")
    said.assert_refused(["all/extra/combination.json is damaged; remove it"])
