"""`experiment=evaluate`: its one table, its figures in their order, its unit, and what the report says of the log."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

from experiments.kinds.evaluate import Unit, unit_of
from tests.pages import ROOT

pytestmark = [pytest.mark.jit, pytest.mark.reported]
DATA = ROOT / "data" / "open_bandit"
THOMPSON = ("experiment=evaluate", "log=open_bandit", f"log.path={DATA / 'open_bandit_thompson_men.csv.gz'}")


def report_of(tmp_path):
    return (tmp_path / "run" / "report.html").read_text(encoding="utf-8")


@pytest.mark.long
@pytest.mark.figures
def test_the_report_has_one_table_and_three_figures_the_values_first(finished, tmp_path):
    finished(*THOMPSON, "policies=[uniform,{name: arm, arm: 0}]", "hydra.run.dir=run")
    page = report_of(tmp_path)
    assert "<h1>What policies would have earned: open_bandit_thompson_men.csv.gz</h1>" in page
    result = page.partition("<h2>Result</h2>")[2].partition("<h2>Figures</h2>")[0]
    assert len(re.findall("<table>", re.sub("<details>.*?</details>", "", result, flags=re.DOTALL))) == 1
    assert re.findall(r"<figcaption>(\w+)", page) == ["values", "shares", "propensities"]
    assert ">click per 1,000 rows</button>" in page
    assert ">6.9</td>" in page
    assert ">5.3 to 8.7</td>" in page
    assert re.search(r">0.0 to 8.\d, few pay</td>", page)
    assert "uniform: only 2 of the 528 rows that carry the weight pay another reward than 0" in page
    assert ">656 of 10,000 rows</td>" in page
    assert "Shown most often: 13 (20 %), 23 (15 %), 0 (13 %); least: 5 (0.24 %)." in page
    assert re.search(r"Range over all estimators, per 1,000 rows: uniform: \d\.\d to \d\.\d", page)


def test_the_tables_of_the_shape_lie_in_the_folder_and_add_up(finished, tmp_path):
    finished(*THOMPSON, "hydra.run.dir=run", "figures=false")
    arms, shares, bins = (pd.read_csv(tmp_path / "run" / f"{name}.csv") for name in ("arms", "shares", "propensities"))
    assert [table["rows"].sum() for table in (arms, shares, bins)] == [10_000] * 3
    assert len(arms) == 34
    assert arms["reward"] @ arms["rows"] == pytest.approx(69.0)
    assert shares.groupby("begin")["share"].sum().to_numpy() == pytest.approx(1.0)


@pytest.mark.figures
def test_of_a_wide_log_there_are_values_and_no_shares(finished, tmp_path):
    rows = np.random.default_rng(3).gamma(2.0, 3.0, (300, 2)).round(2)
    pd.DataFrame(rows, columns=["small", "large"]).to_csv(tmp_path / "wide.csv", index=False)
    wide = ("log=wide", "log.path=wide.csv", "log.reward_columns=[small,large]")
    finished("experiment=evaluate", *wide, "policies=[uniform,{name: arm, arm: large}]", "hydra.run.dir=run")
    assert [path.name for path in (tmp_path / "run" / "figures").iterdir()] == ["values.png"]
    assert not (tmp_path / "run" / "shares.csv").exists()
    page = report_of(tmp_path)
    assert ">only large</td>" in page
    assert ">reward per row</button>" in page


@pytest.mark.parametrize(
    ("values", "unit"),
    [
        ([(0.0069, 0.0053, 0.0087), (0.0029, 0.0, 0.0084)], Unit(1_000.0, "per 1,000 rows", ",.1f")),
        ([(0.069, 0.0625, 0.0761), (0.105, 0.086, 0.127)], Unit(1_000.0, "per 1,000 rows", ",.0f")),
        ([(0.31, 0.28, 0.34)], Unit(1.0, "per row", ",.3f")),
        ([(7.02, 6.75, 7.29)], Unit(1.0, "per row", ",.2f")),
        ([(0.02, 0.01, 3.0)], Unit(1.0, "per row", ",.1f")),  # rewards beyond 1 are no rates
        ([(81_234.0, 80_000.0, 83_000.0)], Unit(1.0, "per row", ",.0f")),
        ([(np.nan, np.nan, np.nan)], Unit(1.0, "per row", ",.4g")),
        ([(0.0, 0.0, 0.0)], Unit(1.0, "per row", ",.4g")),
        ([(0.5, np.nan, np.nan)], Unit(1.0, "per row", ",.4g")),
    ],
)
def test_numbers_have_two_figures_of_the_narrowest_interval_and_rates_are_per_thousand_rows(values, unit):
    frame = pd.DataFrame(values, columns=["value", "value_low", "value_high"])
    assert unit_of(frame) == unit


def made_up(tmp_path):
    rng = np.random.default_rng(7)
    item = rng.integers(2, size=4_000)
    table = pd.DataFrame({"item": item, "click": (rng.random(4_000) < 0.2 + 0.1 * item).astype(int), "t": range(4_000)})
    table.to_csv(tmp_path / "log.csv", index=False)
    return ("experiment=evaluate", "log.path=log.csv", "hydra.run.dir=run", "figures=false")


def test_policies_that_learn_need_no_others_beside_them_and_the_report_says_how_their_interval_is_made(
    finished, tmp_path
):
    log = made_up(tmp_path)
    finished(*log, "log.uniform=true", "log.time_column=t", "policies=[]", "learners=[ucb,thompson]", "interval=blocks")
    values = pd.read_csv(tmp_path / "run" / "estimates.csv")
    beside = "the log's policy, first 1,800 rows"
    assert values["policy"].tolist() == ["the log's policy", "ucb", "thompson", beside]
    assert values["effective_rows"].tolist() == [4_000, 1_800, 1_800, 1_800]
    assert values["warning"].tolist() == ["-"] * 4
    logged = pd.read_csv(tmp_path / "log.csv")["click"]
    assert values["value"].iloc[3] == pytest.approx(logged[:1_800].mean())
    note = "choose: ucb: 1,800, thompson: 1,800 of 4,000 rows. Their value is the mean reward during learning."
    assert note in report_of(tmp_path)
    assert "95 % interval (blocks; student for policies that learn)" in report_of(tmp_path)


def test_a_manager_reads_that_a_log_without_propensities_must_be_believed(finished, tmp_path):
    finished(*made_up(tmp_path))
    care = report_of(tmp_path).partition("Read with care")[2].partition("</ul>")[0]
    assert "The log has no propensities" in care


def test_a_row_that_is_wrong_in_the_column_of_a_policy_is_left_out_for_all_and_told(finished, tmp_path):
    log = made_up(tmp_path)
    table = pd.read_csv(tmp_path / "log.csv").assign(new=0.7, old=0.3).astype({"new": object})
    table.loc[[3, 8], "new"] = "oops"
    table.to_csv(tmp_path / "log.csv", index=False)
    column = "{name: columns, arms: [0,1], columns: [new,old]}"
    finished(*log, "log.uniform=true", "log.leave_out=true", f"policies=[uniform,{column}]", "learners=[ucb]")
    assert pd.read_csv(tmp_path / "run" / "estimates.csv")["rows"].tolist() == [3_998] * 5
    care = report_of(tmp_path).partition("Read with care")[2].partition("</ul>")[0]
    assert "2 invalid rows are skipped: line 5: column &#39;new&#39; must hold a probability from 0 to 1" in care


def test_propensities_of_1_in_k_that_the_rows_belie_are_pointed_out(finished, tmp_path):
    rows = ["item,click,p", *(f"{'red' if row < 1_090 else 'blue'},{row % 2},0.5" for row in range(2_000))]
    (tmp_path / "log.csv").write_text("\n".join(rows))
    finished("experiment=evaluate", "log.path=log.csv", "log.propensity_column=p", "hydra.run.dir=run", "figures=false")
    care = report_of(tmp_path).partition("Read with care")[2].partition("</ul>")[0]
    assert "arm red has 1,090 rows and arm blue 910 (chi-square test, p = 6e-05)" in care


def test_rewards_too_large_to_reckon_with_are_refused_in_a_sentence(attempt, tmp_path):
    (tmp_path / "log.csv").write_text("item,click,p\n" + "red,0,0.5\nblue,1,0.5\n" * 9 + "red,1e200,0.5\n")
    said = attempt("experiment=evaluate", "log.path=log.csv", "log.propensity_column=p")
    said.assert_refused(["log.reward must hold finite numbers from -1e+40 to 1e+40; got 1e+200 in row 19"], tmp_path)
