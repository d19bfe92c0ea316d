"""One replication, step by step: the same one that a run plays."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

from experiments.engine import printing


@pytest.mark.sampled(2)
@pytest.mark.parametrize("width", [80, 100, None])
@pytest.mark.parametrize("arms", ["arms=bernoulli_10", "arms=gaussian", f"arms.means={[a / 100 for a in range(40)]}"])
def test_a_trace_prints_every_arm_in_tables_as_wide_as_there_is_room(command, monkeypatch, arms, width):
    if width is not None:
        monkeypatch.setattr(printing, "_WIDTH_OF_A_FILE", width)
    said = command("experiment=trace", "bandit=ucb", arms, "horizon=50", "rows=7")
    table = [line for line in said.out.splitlines() if line[:1] in "┏┃┡│└"]
    assert max(map(len, table)) <= (width or 150)
    assert "…" not in said.out
    steps = pd.read_csv(said.folder / "steps.csv")
    count = len([name for name in steps if name.startswith("mean_")])
    heads = [line.split() for line in table if line.startswith("┃")]
    assert re.findall(r"arm (\d+)", " ".join(" ".join(head) for head in heads)) == [str(a) for a in range(count)]
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in table if line.startswith("│")]
    expected = [1, 2, 3, 4, 48, 49, 50]
    assert [row[:2] for row in rows] == [[str(t), str(steps["arm"][t - 1])] for t in expected] * len(heads)
    assert sum(line.startswith("├") for line in said.out.splitlines()) == len(heads)  # where steps are left out
    last = [cell for row in rows if row[0] == "50" for cell in row[4:]]
    told = [f"{steps[f'mean_{a}'][49]:.2f} {steps[f'index_{a}'][49]:.2f}" for a in range(count)]
    told[steps["arm"][49]] = f"*{told[steps['arm'][49]]}"
    assert last == told


def cells_of(said):
    rows = [line for line in said.out.splitlines() if line.startswith("│")]
    return [[cell.strip() for cell in row.split("│")[1:-1]] for row in rows]


def test_the_pulled_arm_has_a_sign_and_what_was_not_pulled_yet_has_no_mean(command):
    said = command("experiment=trace", "bandit=ucb", "arms.means=[0.3,0.5,0.7]", "horizon=30")
    rows = cells_of(said)
    assert [[cell.startswith("*") for cell in row[4:]].index(True) for row in rows] == [int(row[1]) for row in rows]
    assert [sum("*" in cell for cell in row) for row in rows] == [1] * 30
    for t, row in enumerate(rows[:3]):
        assert sum(cell in ("-", "*-") for cell in row[4:]) == 3 - t
    assert "mean and index before the pull; * pulled, - not pulled yet" in said.out


def test_a_policy_that_forgets_says_which_mean_is_shown_and_when_it_was_alarmed(command, tmp_path):
    world = ["arms=piecewise", "arms.arms=[0.1,0.9]", "arms.changes=[60]", "arms.means=[[0.9,0.1]]", "horizon=200"]
    said = command("experiment=trace", "bandit=glr_kl_ucb", *world, f"hydra.run.dir={tmp_path / 'run'}")
    assert "mean of all rewards before the pull; * pulled" in said.out
    alarms = pd.read_parquet(tmp_path / "run" / "steps.parquet")["alarms"].to_numpy()
    after = 1 + np.flatnonzero(np.diff(alarms, prepend=0.0))
    assert len(after) > 0
    assert (after > 60).all()
    assert f"alarms after pulls {', '.join(map(str, after))}\n" in said.out
    still = command("experiment=trace", "bandit=glr_kl_ucb", "arms.means=[0.3,0.7]", "horizon=20")
    assert "no alarm\n" in still.out
    assert "alarm" not in command("experiment=trace", "bandit=ucb", "arms.means=[0.3,0.7]", "horizon=20").out


def test_a_policy_without_an_index_has_only_means(command):
    said = command("experiment=trace", "bandit=epsilon_greedy", "arms.means=[0.3,0.7]", "horizon=20")
    assert "┏" in said.out
    assert "mean before the pull; * pulled, - not pulled yet" in said.out
    assert all(re.fullmatch(r"\*?(-|[\d.]{4})", cell) for row in cells_of(said) for cell in row[4:])
