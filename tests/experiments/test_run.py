"""A run leaves a folder: configuration, tables with the promised columns, figures, manifest; twice the same bytes."""

from __future__ import annotations

import json
import subprocess

import numpy as np
import pandas as pd
import pytest

from bandits import UCB, Bernoulli, Policy, Thompson, make, simulate
from experiments.engine import manifest
from experiments.replications import shards
from numerics.parameters import parameter
from tests.bandits.policies import FEATURED
from tests.experiments.commands import OF_EVERY_RUN
from tests.internals import Executor, RunFolder, presets

SMALL = ("runs=7", "horizon=60")
TABLES = ("curves.parquet", "pulls.parquet", "summary.csv")


@pytest.mark.drawn
def test_a_run_leaves_the_promised_files_and_columns(command):
    said = command("bandit=ucb", *SMALL)
    folder = said.folder
    names = {path.name for path in folder.iterdir() if path.name != ".lock"}
    assert names == {*TABLES, *OF_EVERY_RUN}
    assert {path.name for path in (folder / "figures").iterdir()} == {
        f"{name}.png" for name in ("regret", "regret_log", "simple_regret", "pulls", "final_regret")
    }
    curves = pd.read_parquet(folder / "curves.parquet")
    assert " ".join(curves) == (
        "policy t pseudo_regret_mean pseudo_regret_se pseudo_regret_q05 pseudo_regret_q25 "
        "pseudo_regret_q50 pseudo_regret_q75 pseudo_regret_q95 pseudo_regret_skewness pseudo_regret_low "
        "pseudo_regret_high pseudo_regret_bound pseudo_regret_band05 pseudo_regret_band25 "
        "pseudo_regret_band75 pseudo_regret_band95 realised_regret_mean realised_regret_se optimal_share "
        "reward_mean simple_regret_mean simple_regret_se simple_regret_skewness simple_regret_low "
        "simple_regret_high simple_regret_bound"
    )
    assert list(pd.read_parquet(folder / "pulls.parquet")) == ["policy", "run", "arm", "mean", "pulls"]
    summary = pd.read_csv(folder / "summary.csv")
    assert " ".join(summary) == (
        "policy formula horizon runs pseudo_regret_mean pseudo_regret_se pseudo_regret_skewness "
        "pseudo_regret_low pseudo_regret_high pseudo_regret_bound realised_regret_mean "
        "realised_regret_se reward_sum_mean optimal_share lai_robbins_constant simple_regret_mean "
        "simple_regret_se simple_regret_skewness simple_regret_low simple_regret_high "
        "simple_regret_bound"
    )
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["seed"] == 0
    assert manifest["versions"]["numpy"] == np.__version__
    assert manifest["command"] == ["python", "-m", "experiments.run", "bandit=ucb", *SMALL]
    assert {"finished", "commit", "timings", "python", "platform"} <= set(manifest)
    assert "pseudo-regret" in said.out
    assert str(folder / "figures") in said.out


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
    assert repr(result).startswith("Result('ucb c=0.7', arms=3, horizon=60, runs=7, seed=5: pseudo-regret ")
    assert len(repr(result)) < 100
    pulls = pd.read_parquet(folder / "pulls.parquet")
    assert np.array_equal(pulls["pulls"].to_numpy().reshape(7, 3), result.pulls)
    pd.testing.assert_frame_equal(pd.read_parquet(folder / "curves.parquet"), result.curves, check_exact=True)


def test_a_third_executor_plugs_in_without_touching_an_experiment(command, monkeypatch):
    handed = []

    monkeypatch.setitem(Executor.members, "counting", None)  # forgotten after the test

    class Counting(Executor, name="counting"):
        workers: int | None = parameter(None, low=1)

        def run(self, tasks):
            for task in tasks:
                handed.append((task.path.name, self.workers))
                yield task()

    command("bandit=ucb", *SMALL, "executor.name=counting", "executor.workers=5")
    assert handed == [("policy000_run000000000.arrow", 5)]


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


@pytest.mark.parametrize("horizon", [1, 100, 10_000, 10**6, 10**8, 10**10])
def test_a_plan_covers_every_replication_once(horizon, tmp_path):
    problem = shards.Setting(Bernoulli([0.2, 0.5]), horizon, 1001, 0)
    planned = shards.plan([make("random")], problem, tmp_path)
    cut = [task.arguments[0] for task in planned]
    covered = np.concatenate([np.arange(shard.first, shard.first + shard.runs) for shard in cut])
    assert np.array_equal(covered, np.arange(1001))
    assert len({task.path for task in planned}) == len(planned)


def test_every_policy_runs_by_its_name(command):
    names = sorted(set(Policy.members) - {"custom"} - {policy.name for policy in FEATURED})
    said = command("experiment=comparison", f"bandits=[{','.join(names)}]", "arms=two_close", *SMALL)
    pulls = pd.read_parquet(said.folder / "pulls.parquet").groupby("policy")["pulls"].sum()
    assert len(pulls) == len(names)
    assert (pulls == 7 * 60).all()


@pytest.mark.parametrize("name", presets("arms"))
def test_every_arms_preset_runs(command, tmp_path, name):
    (tmp_path / "log.csv").write_text("item,click\na,0\nb,1\nb,0\n")
    own = ["arms.law=bandits.arms.bernoulli.bernoulli", "arms.means=[0.2,0.5]"]
    early = ["arms.changes=[20,40]"]
    more = {"from_log": ["arms.path=log.csv"], "custom": own, "piecewise": early, "abrupt_best": early}.get(name, [])
    said = command("bandit=ucb", f"arms={name}", *more, *SMALL)
    if name == "from_log":
        assert "3 impressions of 2 arms, 1 success (1 in 3)" in said.out
