"""`experiment=evaluate`: its tables, the order of its figures, its unit, and what the report says of the log."""

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


@pytest.mark.drawn
def test_the_report_has_the_values_and_three_figures_the_values_first(finished, tmp_path):
    finished(*THOMPSON, "policies=[uniform,{name: arm, arm: 0}]", "hydra.run.dir=run")
    page = report_of(tmp_path)
    assert re.findall(r"<figcaption>(\w+)", page) == ["values", "shares", "propensities"]
    assert ">6.9</td>" in page  # clicks per 1,000 rows
    assert ">5.3 to 8.7</td>" in page
    assert ">656 of 10,000 rows</td>" in page
    assert "2 of the 528 rows with large weights" in page
    assert "13 (20 %), 23 (15 %), 0 (13 %); least: 5 (0.24 %)" in page
    arms, shares, bins = (pd.read_csv(tmp_path / "run" / f"{name}.csv") for name in ("arms", "shares", "propensities"))
    assert [table["rows"].sum() for table in (arms, shares, bins)] == [10_000] * 3
    assert len(arms) == 34
    assert arms["reward"] @ arms["rows"] == pytest.approx(69.0)
    assert shares.groupby("begin")["share"].sum().to_numpy() == pytest.approx(1.0)


def test_of_a_wide_log_there_are_values_and_no_shares(finished, tmp_path):
    rows = np.random.default_rng(3).gamma(2.0, 3.0, (300, 2)).round(2)
    pd.DataFrame(rows, columns=["small", "large"]).to_csv(tmp_path / "wide.csv", index=False)
    wide = ("log=wide", "log.path=wide.csv", "log.reward_columns=[small,large]")
    finished(
        "experiment=evaluate", *wide, "policies=[uniform,{name: arm, arm: large}]", "hydra.run.dir=run", "figures=true"
    )
    assert [path.name for path in (tmp_path / "run" / "figures").iterdir()] == ["values.png"]
    assert not (tmp_path / "run" / "shares.csv").exists()
    assert ">only large</td>" in report_of(tmp_path)


@pytest.mark.parametrize(
    ("values", "unit"),
    [
        ([(0.0069, 0.0053, 0.0087), (0.0029, 0.0, 0.0084)], Unit(1_000.0, "per 1,000 rows", ",.1f")),
        ([(0.069, 0.0625, 0.0761), (0.105, 0.086, 0.127)], Unit(1_000.0, "per 1,000 rows", ",.0f")),
        ([(7.02, 6.75, 7.29)], Unit(1.0, "per row", ",.2f")),
        ([(0.02, 0.01, 3.0)], Unit(1.0, "per row", ",.1f")),  # rewards beyond 1 are no rates
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
    assert "ucb: 1,800, thompson: 1,800 of 4,000 rows" in report_of(tmp_path)


def test_a_row_that_is_wrong_in_the_column_of_a_policy_is_left_out_for_all_and_told(finished, tmp_path):
    log = made_up(tmp_path)
    table = pd.read_csv(tmp_path / "log.csv").assign(new=0.7, old=0.3).astype({"new": object})
    table.loc[[3, 8], "new"] = "oops"
    table.to_csv(tmp_path / "log.csv", index=False)
    column = "{name: columns, arms: [0,1], columns: [new,old]}"
    finished(*log, "log.uniform=true", "log.leave_out=true", f"policies=[uniform,{column}]", "learners=[ucb]")
    assert pd.read_csv(tmp_path / "run" / "estimates.csv")["rows"].tolist() == [3_998] * 5
    assert "2 invalid rows are skipped: line 5: column &#39;new&#39;" in report_of(tmp_path)


def test_rewards_too_large_to_reckon_with_are_refused_in_a_sentence(attempt, tmp_path):
    (tmp_path / "log.csv").write_text("item,click,p\n" + "red,0,0.5\nblue,1,0.5\n" * 9 + "red,1e200,0.5\n")
    said = attempt("experiment=evaluate", "log.path=log.csv", "log.propensity_column=p")
    said.assert_refused(["log.reward", "1e+40", "1e+200 in row 19"], tmp_path)
