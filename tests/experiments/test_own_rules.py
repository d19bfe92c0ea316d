"""The page on policies and arms of one's own: its file plays."""

from __future__ import annotations

import sys

import pytest

from bandits import UCB, Custom, CustomArms, simulate
from tests.pages import page

TEN = [a / 10 for a in range(10)]


@pytest.fixture
def my_rules(tmp_path, monkeypatch):
    page("guides/own_rules").write_files(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    yield
    sys.modules.pop("my_rules", None)


@pytest.mark.usefixtures("my_rules")
def test_the_policies_and_the_law_of_the_page_play():
    compared = simulate(
        {
            "bonus": Custom("my_rules.my_index", [1.0]),
            "ucb": UCB(c=1.0),
            "index": Custom("my_rules.careful", [1.5]),
            "choice": Custom("my_rules.gradient"),
            "class": Custom("my_rules.Gradient", [0.1]),
        },
        TEN,
        horizon=400,
        runs=60,
    )
    assert compared["bonus"].pulls.tolist() == compared["ucb"].pulls.tolist()
    uniform = 400 * (0.9 - 0.45)
    means = {label: result.pseudo_regret.mean() for label, result in compared.items()}
    assert max(means.values()) < 0.85 * uniform
    row = compared.differences.set_index(["policy_a", "policy_b"]).loc[("choice", "class")]
    assert abs(row["difference_mean"]) < 4.0 * row["difference_se"]  # one algorithm, other random numbers
    simulate(UCB(c=1.0), CustomArms(law="my_rules.exponential", means=[0.2, 0.5]), 50, 5)
