"""Finite laws and mixtures from the command line, and what a run says where theory does not reach the arms."""

from __future__ import annotations

import json

import pytest

from bandits import Bernoulli, Beta, Finite, Mixture, lai_robbins_constant
from numerics.output import tables

pytestmark = pytest.mark.drawn  # arms whose figures are unlike others

SHORT = ["horizon=30", "runs=3", "hydra.run.dir=out"]
BEYOND = "assume rewards in [0, 1]; these arms have rewards outside this range."
FINITE = ["arms=finite", "arms.values=[0,0.5,1]", "arms.probabilities=[[0.5,0.3,0.2],[0.2,0.3,0.5]]"]
PARTS = "arms.parts=[{name: bernoulli, means: [0.3, 0.6]},{name: beta, means: [0.5], concentration: 4}]"


@pytest.mark.long
@pytest.mark.parametrize(
    ("words", "arms"),
    [
        (FINITE, Finite([0, 0.5, 1], [[0.5, 0.3, 0.2], [0.2, 0.3, 0.5]])),
        (["arms=mixture", PARTS], Mixture([Bernoulli([0.3, 0.6]), Beta([0.5], concentration=4)])),
    ],
)
def test_arms_of_a_finite_law_and_of_several_kinds_are_played_with_their_line(command, tmp_path, words, arms):
    said = command("bandit=kl_ucb", *words, *SHORT)
    assert arms.describe().split(",")[0] in said.out
    facts = json.loads((tmp_path / "out" / "manifest.json").read_text())["arms"]
    assert facts["law"] == "all laws on [0, 1] (K_inf of Honda and Takemura 2010)"
    summary = tables.read(tmp_path / "out" / "summary.csv")
    assert summary["lai_robbins_constant"].tolist() == [pytest.approx(lai_robbins_constant(arms), rel=1e-12)]


@pytest.mark.long
def test_a_run_says_where_what_is_proved_does_not_reach_and_where_there_is_no_bound(command, tmp_path):
    mixed = "arms.parts=[{name: exponential, means: [0.5]},{name: gaussian, means: [0.2]}]"
    words = ["experiment=comparison", "bandits=[ucb,moss,maillard]", "arms=mixture", mixed]
    said = command(*words, *SHORT)
    assert said.out.count(f"The guarantees of ucb and moss {BEYOND}") == 1
    assert said.out.count("No lower bound is known") == 1
    report = (tmp_path / "out" / "report.html").read_text()
    assert f"The guarantees of ucb and moss {BEYOND}" in report
    assert "No lower bound is known" in report


@pytest.mark.sampled(1)
@pytest.mark.parametrize("words", [["bandit=ucb", *FINITE], ["bandit=maillard", "arms=gaussian"]])
def test_nothing_is_said_where_rewards_are_what_a_policy_is_for(command, words):
    said = command(*words, *SHORT)
    assert "rewards outside this range" not in said.out + said.err
