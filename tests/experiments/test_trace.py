"""One replication, step by step: the same one that a run plays."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from bandits import POLICIES, Bernoulli, make, simulate
from bandits.simulate import trace


@pytest.mark.parametrize("name", sorted(set(POLICIES) - {"custom"}))
def test_a_trace_is_the_replication_of_the_run(name):
    arms, policy = Bernoulli([0.3, 0.5, 0.8]), make(name)
    whole = simulate(policy, arms, horizon=80, runs=6, seed=4)
    played, steps = trace(policy, arms, horizon=80, seed=4, run=5)
    assert np.array_equal(np.bincount(steps.arm, minlength=3), whole.pulls[5])
    assert played.pseudo_regret[0, -1] == whole.pseudo_regret[5]
    assert played.realised_regret[0, -1] == whole.realised_regret[5]
    assert steps.best_reward.sum() - steps.reward.sum() == whole.realised_regret[5]


def test_the_index_of_a_trace_is_the_formula():
    _, steps = trace(make("ucb", c=0.7), Bernoulli([0.3, 0.5, 0.8]), horizon=40, seed=0, run=0)
    pulls, sums = np.zeros(3), np.zeros(3)
    for t in range(1, 41):
        if t > 3:
            expected = sums / pulls + 0.7 * np.sqrt(np.log(t) / pulls)
            assert np.allclose(steps.scores[t - 1], expected, atol=1e-12)
            assert steps.scores[t - 1, steps.arm[t - 1]] == steps.scores[t - 1].max()
            assert np.allclose(steps.means[t - 1], sums / pulls)
        pulls[steps.arm[t - 1]] += 1
        sums[steps.arm[t - 1]] += steps.reward[t - 1]


def test_the_trace_command_prints_and_draws_every_step(command):
    said = command("experiment=trace", "bandit=ucb", "arms.means=[0.3,0.7]", "horizon=12", "seed=2")
    assert said.status == 0, said.err
    folder = said.folder.parent
    steps = pd.read_csv(folder / "steps.csv")
    assert list(steps["t"]) == list(range(1, 13))
    assert sum(line.startswith("│") for line in said.out.splitlines()) == 12
    assert {path.name for path in (folder / "figures").iterdir()} == {"trace.png", "trace.svg"}


def test_a_long_trace_prints_its_ends(command):
    said = command("experiment=trace", "bandit=thompson", "arms=two_close", "horizon=500", "rows=10")
    rows = [line for line in said.out.splitlines() if line.startswith("│")]
    assert len(rows) == 11
    assert "..." in rows[5]
    assert " 500 " in rows[-1]


def test_a_trace_of_many_arms_fits_the_width(command):
    said = command(
        "experiment=trace", "bandit=ucb", f"arms.means={[round(0.01 * a, 2) for a in range(40)]}", "horizon=50"
    )
    assert said.status == 0, said.err
    rows = [line for line in said.out.splitlines() if line.startswith("│")]
    assert len(rows) == 50
    assert [row.split("│")[1].strip() for row in rows] == [str(t) for t in range(1, 51)]
    assert "arms of fewer pulls are in steps.csv" in " ".join(said.out.split())
