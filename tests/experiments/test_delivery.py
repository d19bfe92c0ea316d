"""Experiments whose rewards come late: the same numbers as in Python, in every table, figure and sentence."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from bandits import Bernoulli, Thompson, simulate

SMALL = ("horizon=300", "runs=6")
MEANS = [0.3, 0.5, 0.7]


@pytest.mark.long
@pytest.mark.drawn
def test_a_comparison_plays_its_delivery_and_names_it(command):
    late = ("delivery=batch", "delivery.size=40", f"arms.means={MEANS}")
    said = command("experiment=comparison", "bandits=[ucb,thompson]", *late, *SMALL)
    assert "the rewards of 40 pulls arrive together, before the next 40 pulls" in said.out
    summary = pd.read_csv(said.folder / "summary.csv")
    for name, mean in zip(summary["policy"], summary["pseudo_regret_mean"], strict=True):
        assert mean == simulate(name, MEANS, 300, 6, delivery="batch size=40").pseudo_regret.mean()
        assert mean != simulate(name, MEANS, 300, 6).pseudo_regret.mean()
    assert json.loads((said.folder / "manifest.json").read_text())["delivery"] == "rewards in batches of 40"
    for name in ("regret", "pulls"):
        assert "rewards in batches of 40" in (said.folder / "figures" / f"{name}.png").read_text()


@pytest.mark.long
def test_a_sweep_over_batches_begins_with_what_is_known_at_once(command, tmp_path):
    command("-m", "bandit=thompson", "delivery=batch", "delivery.size=1,50", *SMALL, "hydra.sweep.dir=sweep")
    table = pd.read_csv(tmp_path / "sweep" / "sweep.csv")
    arms = Bernoulli(np.linspace(0.1, 0.9, 10))
    assert table["pseudo_regret_mean"][0] == simulate(Thompson(), arms, 300, 6).pseudo_regret.mean()
    assert table["pseudo_regret_mean"][1] > table["pseudo_regret_mean"][0]


@pytest.mark.reported
def test_a_trace_shows_what_is_known(command):
    trace = ("experiment=trace", f"arms.means={MEANS}", "horizon=12", "delivery=fixed", "delivery.delay=4")
    said = command(*trace)
    assert "- no reward received yet (rewards delayed by 4 pulls)" in said.out
    assert "<iframe" not in (said.folder / "report.html").read_text()  # it would count every reward at once
    steps = pd.read_csv(said.folder / "steps.csv")
    assert steps["pulls_0"].tolist() == [0] * 5 + [1] * 3 + steps["pulls_0"].tolist()[8:]


def test_another_log_of_the_same_name_is_another_run(command, attempt, tmp_path):
    log, place = tmp_path / "times.csv", "hydra.run.dir=one"
    log.write_text("shown,rewarded\n1,2\n2,9\n3,9\n4,4\n")
    late = ("bandit=thompson", "delivery=from_log", f"delivery.path={log}", *SMALL, place)
    command(*late)
    log.write_text("shown,rewarded\n1,1\n2,2\n3,3\n4,9\n")
    assert attempt(*late).status == 2
