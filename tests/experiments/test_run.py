"""Runs of replications: the manifest, the numbers of the library, shards, plans, every policy, law and delivery."""

from __future__ import annotations

import json
import subprocess
import tracemalloc

import numpy as np
import pandas as pd
import pytest

from bandits import (
    UCB,
    Bernoulli,
    Piecewise,
    Thompson,
    make,
    simulate,
)
from experiments.engine import manifest
from experiments.replications import shards
from numerics.output import tables
from tests.internals import RunFolder, presets

SMALL = ("runs=7", "horizon=60")
MEANS = [0.3, 0.5, 0.7]
WORLD = ["arms=piecewise", "arms.arms=[0.2,0.8]", "arms.changes=[30]", "arms.means=[[0.9,0.3]]"]


def test_the_manifest_says_what_ran(command):
    said = command("bandit=ucb", *SMALL)
    kept = json.loads((said.folder / "manifest.json").read_text())
    assert kept["seed"] == 0
    assert kept["versions"]["numpy"] == np.__version__
    assert kept["command"] == ["python", "-m", "experiments.run", "bandit=ucb", *SMALL]
    assert {"finished", "commit", "timings", "python", "platform"} <= set(kept)


def test_the_manifest_names_the_commit_of_a_checkout_and_not_of_a_repository_around_an_installed_package(
    tmp_path, monkeypatch, program
):
    def recorded(root):
        """The commit of a run whose code lies in `root`."""
        monkeypatch.setattr(manifest, "__file__", str(root / "experiments" / "engine" / "manifest.py"))
        with RunFolder.open(root / "run", {"seed": 0}, "code") as run:
            run.finish({})
        return json.loads((root / "run" / "manifest.json").read_text())["commit"]

    checkout = tmp_path / "checkout"
    git = [program("git"), "-C", str(checkout), "-c", "user.name=A", "-c", "user.email=a@example.org"]
    subprocess.run([git[0], "init", "-q", str(checkout)], check=True)
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "first"], check=True)
    head = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()
    assert recorded(checkout) == head
    (installed := checkout / "site-packages").mkdir()
    assert recorded(installed) is None


def test_the_command_line_and_the_library_give_the_same_numbers(command):
    folder = command("bandit=ucb", "bandit.c=0.7", "arms.means=[0.2,0.6,0.5]", "seed=5", *SMALL).folder
    result = simulate(UCB(c=0.7), Bernoulli([0.2, 0.6, 0.5]), horizon=60, runs=7, seed=5)
    pulls = pd.read_parquet(folder / "pulls.parquet")
    assert np.array_equal(pulls["pulls"].to_numpy().reshape(7, 3), result.pulls)
    pd.testing.assert_frame_equal(pd.read_parquet(folder / "curves.parquet"), result.curves, check_exact=True)


def test_a_stored_comparison_on_changing_arms_has_the_numbers_of_the_library(command):
    folder = command("experiment=comparison", "bandits=[ucb,greedy]", *WORLD, "horizon=90", "runs=12").folder
    summary, curves = pd.read_csv(folder / "summary.csv"), pd.read_parquet(folder / "curves.parquet")
    expected = simulate(["ucb", "greedy"], Piecewise([0.2, 0.8], changes=[30], means=[[0.9, 0.3]]), 90, 12)
    columns = ["pseudo_regret_mean", "fixed_regret_mean", "fixed_regret_low", "optimal_share", "realised_regret_mean"]
    pd.testing.assert_frame_equal(summary[columns], expected.summary[columns])
    pd.testing.assert_frame_equal(curves, expected.curves)
    differences = pd.read_csv(folder / "differences.csv")
    assert differences["difference_mean"][0] == pytest.approx(expected.differences["difference_mean"][0])
    assert json.loads((folder / "manifest.json").read_text())["arms"]["moments"] == [30]


def test_a_comparison_plays_its_delivery_and_names_it(command):
    late = ("delivery=batch", "delivery.size=40", f"arms.means={MEANS}")
    said = command("experiment=comparison", "bandits=[ucb,thompson]", *late, "horizon=300", "runs=6")
    summary = pd.read_csv(said.folder / "summary.csv")
    for name, mean in zip(summary["policy"], summary["pseudo_regret_mean"], strict=True):
        assert mean == simulate(name, MEANS, 300, 6, delivery="batch size=40").pseudo_regret.mean()
        assert mean != simulate(name, MEANS, 300, 6).pseudo_regret.mean()
    assert json.loads((said.folder / "manifest.json").read_text())["delivery"] == "rewards in batches of 40"
    assert "40 pulls" in said.out


@pytest.mark.reported
def test_a_trace_shows_what_is_known(command):
    trace = ("experiment=trace", f"arms.means={MEANS}", "horizon=12", "delivery=fixed", "delivery.delay=4")
    said = command(*trace)
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


@pytest.mark.reported
def test_a_run_says_where_what_is_proved_does_not_reach_and_where_there_is_no_bound_and_else_nothing(command):
    beyond, unknown = "rewards outside this range", "No lower bound is known"
    mixed = "arms.parts=[{name: exponential, means: [0.5]},{name: gaussian, means: [0.2]}]"
    said = command("experiment=comparison", "bandits=[ucb,moss,maillard]", "arms=mixture", mixed, *SMALL)
    report = (said.folder / "report.html").read_text()
    for part in ("ucb and moss", beyond, unknown):
        assert part in said.out
        assert part in report
    assert beyond not in command("bandit=maillard", "arms=gaussian", *SMALL).out


def test_a_shard_survives_its_file(tmp_path):
    problem = shards.Setting(Bernoulli([0.2, 0.5]), 30, 5, 3)
    (tmp_path / "shards").mkdir()
    (task,) = shards.plan([Thompson()], problem, tmp_path)
    task()
    arms, seconds = shards.read(task)
    (played,) = shards.columns([task])
    again = simulate(Thompson(), problem.arms, 30, 5, 3).replications
    assert seconds > 0
    for part, names in ((arms, ("checkpoints", "means", "pulls")), (played, ("checkpoints", *shards._BY_TIME))):
        for name in names:
            kept, made = getattr(part, name), getattr(again, name)
            assert kept.dtype == made.dtype
            assert np.array_equal(kept, made)


@pytest.mark.parametrize("horizon", [1, 10_000, 10**10])
def test_a_plan_covers_every_replication_once(horizon, tmp_path):
    problem = shards.Setting(Bernoulli([0.2, 0.5]), horizon, 1001, 0)
    planned = shards.plan([make("random")], problem, tmp_path)
    cut = [task.arguments[0] for task in planned]
    covered = np.concatenate([np.arange(shard.first, shard.first + shard.runs) for shard in cut])
    assert np.array_equal(covered, np.arange(1001))
    assert len({task.path for task in planned}) == len(planned)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", presets("arms"))
def test_every_arms_preset_runs(command, tmp_path, name):
    (tmp_path / "log.csv").write_text("item,click\na,0\nb,1\nb,0\n")
    own = ["arms.law=bandits.arms.bernoulli.bernoulli", "arms.means=[0.2,0.5]"]
    early = ["arms.changes=[20,40]"]
    more = {"from_log": ["arms.path=log.csv"], "custom": own, "piecewise": early, "abrupt_best": early}.get(name, [])
    assert command("bandit=ucb", f"arms={name}", *more, *SMALL).folder.exists()


LAID_OUT = ("experiment=comparison", "bandits=[ucb,moss]", "horizon=40", "arms.means=[0.4,0.6]", "executor=serial")


@pytest.mark.long
def test_the_tables_of_many_replications_are_never_in_memory_as_a_whole(command, monkeypatch):
    """With budgets that are a hundredth of the usual."""
    monkeypatch.setattr(shards, "_MOST_KEPT", 80_000)
    monkeypatch.setattr(shards, "_ROOM", 4_000_000)
    monkeypatch.setattr(tables, "_ROW_GROUP", 10_000)
    command(*LAID_OUT, "runs=10")  # compiled, imported
    tracemalloc.start()
    try:
        command(*LAID_OUT, "runs=20000")
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    held = 20_000 * 40 * 33  # bytes that all replications of one policy kept
    assert most < 0.4 * held
