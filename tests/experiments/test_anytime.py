"""anytime=true: scores and differences of regret with intervals that may be looked at whenever one likes."""

from __future__ import annotations

import numpy as np
import pytest

from experiments.engine import runs
from experiments.engine.experiment import build
from experiments.games.anytime import looks_of, watcher, write
from numerics.output import tables
from numerics.statistics import hedged_capital
from tests.internals import Comparison, Task

MATCH = ("experiment=match", "player1=level_3", "games=60", "board=4x3", "connect=3", "anytime=true")
COMPARISON = ("experiment=comparison", "bandits=[ucb,random]", "arms.means=[0.2,0.8]", "horizon=100", "runs=400")


@pytest.mark.long
def test_the_score_after_every_pair_of_games_has_an_interval(command):
    said = command(*MATCH, "executor=threads")
    looks, games = tables.read(said.folder / "looks.parquet"), tables.read(said.folder / "games.parquet")
    points = (games["result"].to_numpy() + 1) / 2
    low, high = hedged_capital(points.reshape(-1, 2).mean(axis=1), planned=30)
    assert looks["games"].tolist() == list(range(2, 62, 2))
    assert np.array_equal(looks["score_low"], low)
    assert np.array_equal(looks["score_high"], high)
    assert looks["score"].iloc[-1] == points.mean()
    last, summary = tables.read(said.folder / "anytime.csv").iloc[0], tables.read(said.folder / "summary.csv").iloc[-1]
    assert last["fixed_low"] == summary["score_low"]
    assert last["times_as_wide"] > 1
    assert last["told_after"] == looks["games"][looks["score_low"] > 0.5].iloc[0]
    assert f"{100 * low[-1]:.1f} to {100 * high[-1]:.1f} %" in said.out
    assert f"{last['told_after']:.0f} games" in said.out
    watch, words = watcher(1, 60), ""
    for first in range(0, 60, 6):  # what is said while games are played
        path = said.folder / f"part{first}.parquet"
        tables.write(games[first : first + 6], path)
        words = watch(Task(path, print))
    assert words == (
        f"level_3 against random: {100 * last['score']:.1f} %, at any time "
        f"{100 * last['score_low']:.1f} to {100 * last['score_high']:.1f} %"
    )


def test_a_score_over_openings_changes_when_a_round_of_them_is_complete(command):
    said = command(*MATCH, "games=24", "openings=first_moves")
    assert tables.read(said.folder / "looks.parquet")["games"].tolist() == [8, 16, 24]
    results = np.array([1, -1] * 4 + [1, 1] * 4)
    assert looks_of(results[:7], 4, 16).empty
    assert looks_of(results, 4, 16)["score"].tolist() == [0.5, 0.75]


def test_every_pair_of_players_has_its_own(command):
    said = command(*MATCH[2:], "experiment=tournament", "players=[random,level_1,level_3]", "games=8")
    pairs = tables.read(said.folder / "looks.parquet").groupby(["player", "opponent"])["games"]
    assert len(pairs) == len(tables.read(said.folder / "anytime.csv")) == 3
    assert set(pairs.max()) == {8}


def test_differences_of_regret_have_an_interval_after_every_replication(command):
    said = command(*COMPARISON, "anytime=true")
    looks, last = tables.read(said.folder / "looks.parquet"), tables.read(said.folder / "anytime.csv").iloc[0]
    fixed = tables.read(said.folder / "differences.csv").iloc[0]
    assert looks["runs"].tolist() == list(range(1, 401))
    assert last["difference_mean"] == pytest.approx(fixed["difference_mean"])
    assert last["largest"] == pytest.approx(100 * 0.6)
    assert looks["low"].iloc[0] >= -last["largest"]
    assert last["low"] < last["fixed_low"] < last["difference_mean"] < last["fixed_high"] < last["high"] < 0
    told = int(last["told_after"])
    assert looks["high"].iloc[told - 1] < 0 <= looks["high"].iloc[told - 2]


def test_so_few_that_nothing_is_known_are_no_mistake(command, tmp_path):
    said = command(
        "experiment=comparison", "bandits=[ucb,random]", "anytime=true", "runs=1", "horizon=100", "arms=random_means"
    )
    assert "nan" not in said.out
    last = tables.read(said.folder / "anytime.csv").iloc[0]
    assert (last["low"], last["high"], last["largest"]) == (-100.0, 100.0, 100.0)
    games = tables.read(command(*MATCH, "games=2").folder / "games.parquet")
    write(games[:1], 1, tmp_path)  # a game that a person has left
    assert tables.read(tmp_path / "looks.parquet").empty
    assert not (tmp_path / "anytime.csv").exists()


@pytest.mark.long
def test_what_is_said_of_regret_counts_the_replications_that_all_policies_have_played(tmp_path):
    policies = ["ucb", "random", "moss"]
    values = {"kind": "comparison", "bandits": policies, "anytime": True, "horizon": 1_000, "runs": 6_000, "seed": 0}
    values |= {"arms": {"name": "bernoulli", "means": [0.2, 0.8]}, "delivery": {"name": "at_once"}}
    experiment, _ = build(values | {"executor": {"name": "serial"}})
    assert isinstance(experiment, Comparison)
    tasks, watch = experiment.tasks(tmp_path), experiment.watch()
    assert watch is not None
    (tmp_path / "shards").mkdir()
    told = []
    for task in tasks:
        task()
        told.append(watch(task))
    assert told[:2] == ["", ""]  # the first replications of all are not there
    assert "3 of 3" in told[2]
    assert "5,000 replications" in told[2]
    assert "6,000 replications" in told[-1]


def test_results_are_looked_at_in_the_order_of_the_tasks_and_said_when_interrupted(tmp_path, capsys):
    tasks = [Task(tmp_path / str(number), lambda path: path.touch()) for number in range(4)]
    looked = []

    def backwards(missing):
        for place in (1, 0, 3):  # the tasks that end, until Ctrl-C
            missing[place]()
            yield
        raise KeyboardInterrupt

    def watch(task):
        looked.append(task.path.name)
        return f"{len(looked)} looked at"

    with pytest.raises(KeyboardInterrupt):
        runs.carry_out(tasks, backwards, "games", watch)
    assert looked == ["0", "1"]
    assert capsys.readouterr().out == "so far: 2 looked at\n"
