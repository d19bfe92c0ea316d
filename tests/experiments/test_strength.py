"""Players judged by exact scores: tables that agree with the positions and each other, budgets, failures."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from numerics.statistics import compare_rates, wilson
from tests.internals import PLAYER, chance, graded_positions, judge_choice, summary_of, with_budgets

SMALL = ("experiment=strength", "positions=60")
PLAYERS = "players=[random,level_4,{name: level_0, label: nought}]"


@pytest.mark.long
def test_the_tables_agree_with_the_positions_and_each_other_and_differences_are_paired(command):
    said = command(*SMALL, PLAYERS)
    choices = pd.read_parquet(said.folder / "choices.parquet")
    assert len(choices) == 3 * 60
    positions = graded_positions(60, "both")
    for row in choices.itertuples():
        one = positions[row.position]
        legal = 0 <= row.column < 7 and one.scores[row.column] is not None
        assert legal == (row.failure == "")
        assert row.keeps_value == (legal and one.keeps_value(row.column))
        assert row.best == (legal and one.loss(row.column) == 0)
        assert (row.ply, row.source) == (len(one.moves), ("random", "self_play")[row.position % 2])
        assert row.loss == one.loss(row.column) if legal else np.isnan(row.loss)
    summary = pd.read_csv(said.folder / "summary.csv").set_index("player")
    for player, own in choices.groupby("player"):
        kept = own["keeps_value"].sum()
        assert summary.loc[player, "keeps_value"] == kept / 60
        assert np.allclose(summary.loc[player, ["keeps_value_low", "keeps_value_high"]].astype(float), wilson(kept, 60))
        assert np.isclose(summary.loc[player, "loss"], own["loss"].mean())
        assert summary.loc[player, "failures"] == (own["failure"] != "").sum()
    assert summary.loc["nought", "failures"] > 0
    plies = pd.read_csv(said.folder / "by_ply.csv")
    assert np.isclose((plies["keeps_value"] * plies["positions"]).sum(), choices["keeps_value"].sum())
    for row in pd.read_csv(said.folder / "by_source.csv").itertuples():
        own = choices[(choices["player"] == row.player) & (choices["source"] == row.source)]
        assert np.isclose(row.loss, own["loss"].mean())
    for row in pd.read_csv(said.folder / "differences.csv").itertuples():
        difference = summary["keeps_value"][row.player_a] - summary["keeps_value"][row.player_b]
        assert np.isclose(row.difference, difference)
        assert np.isclose(row.difference, (row.only_a - row.only_b) / 60)
        assert row.difference_low < row.difference < row.difference_high
        assert row.p_value <= row.p_adjusted <= 1.0


def test_players_who_lost_nothing_may_have_been_lucky():
    for count in (1, 20, 1_000):
        known = {"player": "one", "name": "one", "simulations": None, "keeps_value": True, "best": True, "failure": ""}
        table = pd.DataFrame({**known, "loss": np.zeros(count)})
        row = summary_of(table).iloc[0]
        assert (row["loss"], row["loss_low"]) == (0.0, 0.0)
        rate = row["loss_high"] / 42.0  # of the worst loss: so many moves would have lost nothing once in forty times
        assert (1.0 - rate) ** count == pytest.approx(0.025)


def test_equal_players_do_not_differ():
    kept = np.array([True, False, True, True])
    found = compare_rates(kept, kept)
    assert (found["difference"], found["p_value"]) == (0.0, 1.0)
    assert found["difference_low"] < 0.0 < found["difference_high"]


@pytest.mark.parametrize("source", ["self_play"])
def test_one_set_alone_is_asked_and_told(command, source):
    said = command("experiment=strength", "players=[random]", "positions=30", f"positions_from={source}")
    choices = pd.read_parquet(said.folder / "choices.parquet")
    assert set(choices["source"]) == {source}
    expected = 100 * chance(graded_positions(30, source))
    assert f"{expected:.1f} %" in said.out
    assert list(choices["ply"]) == [len(one.moves) for one in graded_positions(30, source)]


@pytest.mark.parametrize("source", ["random"])
def test_a_random_player_keeps_the_value_as_often_as_chance_says(source):
    player = PLAYER.build({"name": "random"}, "players[0]").player(1)
    positions = enumerate(graded_positions(None, source))
    kept = [judge_choice(player, number, one, source)["keeps_value"] for number, one in positions]
    assert abs(np.mean(kept) - chance(graded_positions(None, source))) < 4.0 * 0.5 / np.sqrt(2_000)


def test_players_that_think_as_long_as_told_are_asked_with_every_budget():
    nodes = ["random", "uct", {"name": "uct", "policy": "kl_ucb", "label": "kl"}, {"name": "uct", "seconds": 0.1}]
    assert with_budgets(nodes, [10], [0.5, 0.25]) == [
        "random",
        {"name": "uct", "simulations": 10},
        {"name": "uct", "seconds": 0.5},
        {"name": "uct", "seconds": 0.25},
        {"name": "uct", "policy": "kl_ucb", "label": "kl simulations=10", "simulations": 10},
        {"name": "uct", "policy": "kl_ucb", "label": "kl seconds=0.5", "seconds": 0.5},
        {"name": "uct", "policy": "kl_ucb", "label": "kl seconds=0.25", "seconds": 0.25},
        {"name": "uct", "seconds": 0.1},
    ]
    assert with_budgets(["monte_carlo", "perfect", "custom"], [10], [0.5]) == [
        {"name": "monte_carlo", "simulations": 10},
        "perfect",
        "custom",
    ]
    assert with_budgets(nodes, [], []) == nodes


def test_a_player_that_fails_keeps_nothing_and_says_why():
    player = PLAYER.build({"name": "random"}, "players[0]").player(1)
    player.play = lambda board: 1 // 0
    found = judge_choice(player, 0, graded_positions(1)[0], "random")
    assert (found["column"], found["keeps_value"], found["best"]) == (-1, False, False)
    assert found["failure"].startswith("ZeroDivisionError")
