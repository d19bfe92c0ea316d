"""A run with a user's own rule: tried on what is played before anything is written, finished only by the same."""

from __future__ import annotations

import sys

import pytest

RULE = """
import os
from bandits import index_rule

FACTOR = float(os.environ["FACTOR"])

@index_rule
def my_index(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    for i in range(out.size):
        out[i] = means[i] + FACTOR * params[i // rng.shape[0]] * widths[i]
"""


@pytest.fixture
def run(command, tmp_path, monkeypatch):
    """Run a command with the rule whose factor the environment gives, imported anew as a new process would."""
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "run_rules.py").write_text(RULE)

    def start(factor: float, *overrides: str):
        monkeypatch.setenv("FACTOR", str(factor))
        monkeypatch.delitem(sys.modules, "run_rules", raising=False)
        return command(*overrides)

    yield start
    sys.modules.pop("run_rules", None)


@pytest.mark.long
@pytest.mark.parametrize(
    ("overrides", "place", "holds"),
    [
        (("bandit=custom", "bandit.rule=run_rules.my_index", "bandit.params=[1,2,3]"), "bandit.rule", "3 numbers"),
        (
            ("experiment=trace", "bandit=custom", "bandit.rule=run_rules.my_index", "bandit.params=[1]"),
            "bandit.rule",
            "1 number,",
        ),
        (
            ("experiment=comparison", "bandits=[ucb,{name: custom, rule: run_rules.my_index, params: [1,2]}]"),
            "bandits[1].rule",
            "2 numbers",
        ),
        (
            (
                "experiment=p_game",
                "sizes=[2x3,3x2]",
                "policies=[{name: custom, rule: run_rules.my_index, params: [1,2]}]",
            ),
            "policies[0].rule",
            "2 numbers",
        ),
        (
            ("experiment=root_regret", "policies=[{name: custom, rule: run_rules.my_index, params: [1,2]}]"),
            "policies[0].rule",
            "2 numbers",
        ),
        (
            (
                "experiment=match",
                "player1=uct",
                "player1.policy={name: custom, rule: run_rules.my_index, params: [1,2]}",
                "player2=random",
            ),
            "player1.policy.rule",
            "2 numbers",
        ),
    ],
    ids=["regret", "trace", "comparison", "p_game", "root_regret", "match"],
)
def test_too_few_numbers_for_the_arms_played_are_a_sentence_before_the_run(run, tmp_path, overrides, place, holds):
    said = run(1.0, "hydra.run.dir=run", *overrides)
    said.assert_refused([f"{place} run_rules.my_index reads or writes outside an argument", f"params holds {holds}"])
    assert not (tmp_path / "run" / "config.yaml").exists()
