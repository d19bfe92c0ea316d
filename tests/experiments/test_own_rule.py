"""A run with a user's own rule: tried on what is played before anything is written, finished only by the same."""

from __future__ import annotations

import sys

import pytest

RULE = """
import os
from bandits import index_rule

FACTOR = float(os.environ["FACTOR"])

@index_rule
def my_index(mean, width, c=1.0):
    return mean + FACTOR * width * c / c
"""


@pytest.fixture
def run(attempt, tmp_path, monkeypatch):
    """Run a command with the rule whose factor the environment gives, imported anew as a new process would."""
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "run_rules.py").write_text(RULE)

    def start(factor: float, *overrides: str):
        monkeypatch.setenv("FACTOR", str(factor))
        monkeypatch.delitem(sys.modules, "run_rules", raising=False)
        return attempt(*overrides)

    yield start
    sys.modules.pop("run_rules", None)


@pytest.mark.long
@pytest.mark.parametrize(
    ("overrides", "place"),
    [
        (("bandit=custom", "bandit.rule=run_rules.my_index", "+bandit.c=0"), "bandit.rule"),
        (("experiment=trace", "bandit=custom", "bandit.rule=run_rules.my_index", "+bandit.c=0"), "bandit.rule"),
        (("experiment=comparison", 'bandits=[ucb,"run_rules.my_index c=0"]'), "bandits[1].rule"),
        (
            (
                "experiment=p_game",
                "sizes=[2x3,3x2]",
                "policies=[{name: custom, rule: run_rules.my_index, c: 0}]",
            ),
            "policies[0].rule",
        ),
        (("experiment=root_regret", "policies=[{name: run_rules.my_index, c: 0}]"), "policies[0].rule"),
        (
            (
                "experiment=match",
                "player1=uct",
                "player1.policy={name: custom, rule: run_rules.my_index, c: 0}",
                "player2=random",
            ),
            "player1.policy.rule",
        ),
    ],
    ids=["regret", "trace", "comparison", "p_game", "root_regret", "match"],
)
def test_a_score_of_nan_is_a_sentence_before_the_run(run, tmp_path, overrides, place):
    said = run(1.0, "hydra.run.dir=run", *overrides)
    said.assert_refused([f"{place} run_rules.my_index scores nan for an arm of 1 pulls", "a score must be a number"])
    assert not (tmp_path / "run" / "config.yaml").exists()
