"""`experiment=planning`: losses against plain recursion, start states, intervals, processes of a user's."""

from __future__ import annotations

import dataclasses
import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest

from experiments.kinds.planning.searches import losses_in, starts_of, summary_of
from mcts import exact_values
from numerics.random import Purpose, derived_seed
from numerics.statistics import mean_interval
from tests.experiments.commands import split_words
from tests.experiments.own_processes import walk
from tests.internals import HOLD, PROCESSES, ROLL, Pig, plan

pytestmark = pytest.mark.kernels

WALK = "tests.experiments.own_processes.walk"
RUN = ("experiment=planning", "process=custom", f"process.path={WALK}")


def test_an_action_loses_what_its_value_is_below_the_best_for_the_player_to_move():
    values = exact_values(Pig(6))
    looked = {0: 0, 1: 0}
    for state in values.states[:120]:
        roll, hold = (values.action_values(state)[action] for action in (ROLL, HOLD))
        lost = losses_in(values, state)
        if np.isnan([roll, hold]).any():
            assert np.array_equal(np.isnan(lost), np.isnan([roll, hold]))
            continue
        mover = int(state[3])
        best = max(roll, hold) if mover == 0 else min(roll, hold)
        assert lost == pytest.approx([abs(best - roll), abs(best - hold)], abs=1e-8)
        looked[mover] += 1
    assert min(looked.values()) > 20


def test_searches_begin_in_states_that_go_on_or_in_the_first_one():
    values = exact_values(walk)
    drawn = starts_of(values, 400, seed=0)
    seen, counts = np.unique(drawn.states, return_counts=True)
    assert seen.tolist() == [1, 2, 3, 4, 5]
    assert counts.min() > 50  # of 80 each
    assert np.array_equal(drawn.states[:7], starts_of(values, 7, seed=0).states)
    assert not np.array_equal(drawn.states, starts_of(values, 400, seed=1).states)
    first = starts_of(values, None, seed=0)
    assert first.states.tolist() == [[3]]
    left, right = values.action_values([3])
    assert first.random == pytest.approx((right - left) / 2.0, abs=1e-9)
    assert first.largest == pytest.approx(right - left, abs=1e-9)
    assert first.indifferent == 0


def test_the_tables_hold_what_searches_choose_and_lose(command):
    said = command(*RUN, *split_words("starts=3 runs=2 simulations=[40,4] scales=[spread,[0,1]] steps=9 loop=open"))
    searches = pd.read_parquet(said.folder / "searches.parquet")
    assert len(searches) == 2 * 2 * 3 * 2
    values = exact_values(walk)
    starts = starts_of(values, 3, seed=0)
    for row in searches.to_dict("records"):
        seed = derived_seed(0, (Purpose.PLANNING_SEARCH, row["start"], row["run"]))
        scale: Any = "spread" if row["scale"] == "spread" else (0.0, 1.0)
        begun = dataclasses.replace(walk, state=starts.states[row["start"]])
        found = plan(begun, "ucb", row["simulations"], scale=scale, loop="open", steps=9, seed=seed)
        assert (row["action"], row["steps"]) == (found.best_move, found.steps)
        losses = losses_in(values, starts.states[row["start"]])
        tried = zip(found.moves, found.visits.tolist(), strict=True)
        assert row["loss"] == losses[row["action"]]
        assert row["regret"] == pytest.approx(sum(visits * losses[action] for action, visits in tried))
    summary = pd.read_csv(said.folder / "summary.csv")
    means = searches.groupby(["policy", "scale", "simulations"])[["loss", "steps"]].mean()
    for row in summary.to_dict("records"):
        mean = means.loc[row["policy"], row["scale"], row["simulations"]]
        assert (row["loss"], row["steps"]) == (pytest.approx(mean["loss"]), pytest.approx(mean["steps"]))
        for name in ("loss", "best", "regret"):
            assert row[f"{name}_low"] <= row[name] <= row[f"{name}_high"]


def test_a_start_with_its_runs_is_one_observation_and_of_one_start_each_run():
    searches = pd.DataFrame(
        {"policy": "ucb", "scale": "tree", "simulations": 9, "steps": 50, "start": [0, 0, 1, 1], "loss": [0.0, 1, 2, 3]}
    ).assign(regret=5.0)
    (several,) = summary_of(searches, 4.0).to_dict("records")
    low, high = mean_interval(np.array([0.5, 2.5]), 0.0, 4.0)
    assert (several["loss"], several["loss_low"], several["loss_high"]) == (1.5, low, high)
    assert (several["starts"], several["searches"], several["best"]) == (2, 4, 0.25)
    (single,) = summary_of(searches.assign(start=0), 4.0).to_dict("records")
    low, high = mean_interval(np.arange(4.0), 0.0, 4.0)
    assert (single["loss"], single["loss_low"], single["loss_high"]) == (1.5, low, high)


@pytest.mark.jit
def test_longer_searches_lose_less_than_an_action_at_random_and_than_short_ones(command):
    said = command(*split_words("experiment=planning process=pig process.goal=20 simulations=[5,1000] starts=40"))
    short, long = pd.read_csv(said.folder / "summary.csv")["loss"]
    assert long < 0.25 * short


@pytest.mark.parametrize(
    ("words", "value"),
    [
        ("process.path=tests.experiments.own_processes.Walk", 0.771),
        ("process.path=tests.experiments.own_processes.walk_from +process.start=2", 0.609),
    ],
)
def test_a_users_process_is_an_object_or_what_makes_one(command, words, value):
    small = split_words(f"experiment=planning process=custom {words} starts=null simulations=[2] executor=processes")
    said = command(*small, "executor.workers=2")
    assert f"7 states; the first has value {value}" in said.out


def test_a_sweep_has_the_losses_of_each_run_after_all_simulations(command, tmp_path):
    small = "-m experiment=planning process=piglet process.goal=3,4 simulations=[3,30] starts=4 hydra.sweep.dir=sweep"
    command(*split_words(small))
    table = pd.read_csv(tmp_path / "sweep" / "sweep.csv").query("`process.goal` == 4")
    of_second = pd.read_csv(tmp_path / "sweep" / "1" / "summary.csv").query("simulations == 30")
    assert table["loss"].tolist() == of_second["loss"].tolist() != []


def test_a_process_has_a_name_and_its_pickle_makes_it_anew():
    given = PROCESSES.of({"name": f"{WALK}_from", "start": 2})
    assert PROCESSES.text(given) == f"{WALK}_from start=2"
    assert given.process.state.tolist() == [2]
    again = pickle.loads(pickle.dumps(given))
    assert again == given
    assert "process" not in vars(again)
    assert again.process.state.tolist() == [2]
