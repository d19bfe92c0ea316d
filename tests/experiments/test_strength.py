"""Players judged by exact scores: tables that agree with each other, resumption, figures, mistakes."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from experiments.kinds.strength.strength_figures import draw_against, draw_differences
from numerics.statistics import compare_rates, wilson
from tests.drawn import new_axes
from tests.experiments.commands import OF_EVERY_RUN, split_words
from tests.internals import CHOICES, PLAYER, chance, graded_positions, judge_choice, summary_of, with_budgets

SMALL = ("experiment=strength", "positions=60")
PLAYERS = "players=[random,level_4,{name: level_0, label: nought}]"
TABLES = ("choices.parquet", "summary.csv", "by_ply.csv", "by_source.csv", "differences.csv")


@pytest.mark.long
@pytest.mark.drawn
def test_the_tables_agree_with_the_positions_and_each_other_and_differences_are_paired(command):
    said = command(*SMALL, PLAYERS)
    names = {path.name for path in said.folder.iterdir() if path.name != ".lock"}
    assert names == {*TABLES, *OF_EVERY_RUN}
    figures = {path.name for path in (said.folder / "figures").iterdir()}
    assert figures == {f"{name}.png" for name in ("players", "differences", "by_ply", "seconds")}
    choices = pd.read_parquet(said.folder / "choices.parquet")
    assert list(choices) == list(CHOICES)
    assert len(choices) == 3 * 60
    positions = graded_positions(60, "both")
    for row in choices.itertuples():
        one = positions[row.position]
        legal = 0 <= row.column < 7 and one.scores[row.column] is not None
        assert legal == (row.failure == "")
        assert row.keeps_value == (legal and one.keeps_value(row.column))
        assert row.best == (legal and one.loss(row.column) == 0)
        assert row.ply == len(one.moves)
        assert row.source == ("random", "self_play")[row.position % 2]
        assert row.loss == one.loss(row.column) if legal else np.isnan(row.loss)
    summary = pd.read_csv(said.folder / "summary.csv").set_index("player")
    for player, own in choices.groupby("player"):
        kept = own["keeps_value"].sum()
        assert summary.loc[player, "keeps_value"] == kept / 60
        assert np.allclose(summary.loc[player, ["keeps_value_low", "keeps_value_high"]].astype(float), wilson(kept, 60))
        assert np.isclose(summary.loc[player, "loss"], own["loss"].mean())
        assert summary.loc[player, "failures"] == (own["failure"] != "").sum()
    plies = pd.read_csv(said.folder / "by_ply.csv")
    assert len(plies) == 3 * 21
    assert np.isclose((plies["keeps_value"] * plies["positions"]).sum(), choices["keeps_value"].sum())
    sources = pd.read_csv(said.folder / "by_source.csv")
    assert list(sources["source"]) == ["random", "self_play"] * 3
    assert (sources["positions"] == 30).all()
    for row in sources.itertuples():
        own = choices[(choices["player"] == row.player) & (choices["source"] == row.source)]
        assert np.isclose(row.keeps_value, own["keeps_value"].mean())
        assert np.isclose(row.loss, own["loss"].mean())
    assert "the same by the kind of the positions" in said.out
    table = pd.read_csv(said.folder / "differences.csv")
    summary = summary["keeps_value"]
    assert len(table) == 3
    for row in table.itertuples():
        assert np.isclose(row.difference, summary[row.player_a] - summary[row.player_b])
        assert np.isclose(row.difference, (row.only_a - row.only_b) / 60)
        assert row.difference_low < row.difference < row.difference_high
        assert row.p_value <= row.p_adjusted <= 1.0


def test_players_are_compared_with_the_best_one_as_in_the_table_the_nearest_above():
    axes = new_axes()
    columns = ["player_a", "player_b", "positions", "difference", "difference_low", "difference_high"]
    rows = [("a", "b", 50, 0.2, 0.1, 0.3), ("a", "c", 50, -0.05, -0.1, 0.02), ("b", "c", 50, -0.25, -0.3, -0.2)]
    draw_differences(pd.DataFrame(rows, columns=columns), axes, {})
    assert [label.get_text() for label in axes.get_yticklabels()] == ["a", "b"]
    assert "value kept, minus that of c" in axes.get_xlabel()
    (grey,), (blue,) = [[line for line in bars.lines[2][0].get_segments() if len(line)] for bars in axes.containers]
    np.testing.assert_allclose(grey, [[-10.0, 0.0], [2.0, 0.0]], atol=1e-9)
    np.testing.assert_allclose(blue, [[-30.0, 1.0], [-20.0, 1.0]], atol=1e-9)


def test_players_who_lost_nothing_may_have_been_lucky():
    for count in (1, 20, 1_000):
        table = pd.DataFrame(
            {
                "player": "one",
                "name": "one",
                "simulations": None,
                "keeps_value": True,
                "best": True,
                "loss": np.zeros(count),
                "failure": "",
            }
        )
        row = summary_of(table).iloc[0]
        assert (row["loss"], row["loss_low"]) == (0.0, 0.0)
        rate = row["loss_high"] / 42.0  # of the worst loss: so many moves would have lost nothing once in forty times
        assert (1.0 - rate) ** count == pytest.approx(0.025)


def test_equal_players_do_not_differ():
    kept = np.array([True, False, True, True])
    found = compare_rates(kept, kept)
    assert (found["difference"], found["p_value"]) == (0.0, 1.0)
    assert found["difference_low"] < 0.0 < found["difference_high"]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("source", ["random", "self_play"])
def test_one_set_alone_is_asked_and_told(command, source):
    said = command("experiment=strength", "players=[random]", "positions=30", f"positions_from={source}")
    choices = pd.read_parquet(said.folder / "choices.parquet")
    assert set(choices["source"]) == {source}
    expected = 100 * chance(graded_positions(30, source))
    assert f"a random legal move keeps it in {expected:.1f} %" in said.out
    assert list(choices["ply"]) == [len(one.moves) for one in graded_positions(30, source)]


@pytest.mark.parametrize("source", ["random", "self_play"])
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


def test_lines_join_the_budgets_of_a_player_and_times_are_drawn_in_milliseconds(command):
    from matplotlib.figure import Figure

    names = [f"uct simulations={count}" for count in (10, 100)]
    names += ["uct seconds=0.02", "uct simulations=10 policy=kl_ucb", "random"]
    table = pd.DataFrame(
        {
            "player": ["uct simulations=10", "uct simulations=100", "uct seconds=0.02", "kl", "random"],
            "name": names,
            "simulations": pd.array([10, 100, None, 10, None], dtype="Int64"),
            "positions": 50,
            "keeps_value": 0.5,
            "keeps_value_low": 0.4,
            "keeps_value_high": 0.6,
        }
    )
    timings = table[["player"]].assign(seconds=[0.0001, 0.001, 0.02, 0.0002, 0.00005])
    axes = Figure().subplots()
    draw_against(table, timings, axes, {}, "seconds")
    drawn = {one.get_label(): list(one.lines[0].get_xdata()) for one in axes.containers}
    assert {name: np.round(x, 9).tolist() for name, x in drawn.items()} == {
        "uct": [0.1, 1.0, 20.0],
        "kl": [0.2],
        "random": [0.05],
    }
    axes.figure.canvas.draw()
    assert {text.get_text() for text in axes.get_xticklabels()} >= {"0.1", "1", "10"}
    axes = Figure().subplots()
    draw_against(table, timings, axes, {}, "simulations")
    places = [list(one.lines[0].get_xdata()) for one in axes.containers]
    assert np.allclose(places[0], [10.0, 100.0], rtol=0.02)
    assert np.allclose(places[1], [10.0], rtol=0.02)
    assert places[0][0] != places[1][0]  # no error bar covers another


@pytest.mark.long
@pytest.mark.drawn
def test_budgets_in_seconds_are_drawn(command):
    players = "players=[random,{name: uct, label: uct},{name: perfect, label: best}]"
    said = command(
        "experiment=strength",
        "positions=8",
        players,
        *split_words("simulations=[20,50] seconds=[0.005,0.02] executor=serial positions_from=random"),
    )
    summary = pd.read_csv(said.folder / "summary.csv").set_index("player")
    timed = set(pd.read_parquet(said.folder / "timings.parquet")["player"])
    assert {"uct seconds=0.005", "uct seconds=0.02"} <= timed
    assert summary["simulations"].dropna().tolist() == [20, 50]  # those of perfect only tell equal moves apart
    assert summary.loc["best", "best"] == 1.0
    assert summary.loc["best", "loss"] == 0.0
    assert {path.name for path in (said.folder / "figures").glob("*.png")} == {
        "players.png",
        "differences.png",
        "by_ply.png",
        "seconds.png",
        "simulations.png",
    }


@pytest.mark.long
@pytest.mark.drawn
@pytest.mark.jit
def test_more_simulations_keep_the_value_more_often_and_are_drawn(command):
    said = command(
        *split_words(
            "experiment=strength positions=300 positions_from=random 'players=[random,{name: uct, simulations: "
            "30},{name: uct, simulations: 3000}]'"
        ),
    )
    summary = pd.read_csv(said.folder / "summary.csv")
    assert list(summary["simulations"].fillna(0)) == [0, 30, 3_000]
    assert summary["keeps_value_high"].iloc[0] < summary["keeps_value_low"].iloc[1]
    assert summary["keeps_value_high"].iloc[1] < summary["keeps_value_low"].iloc[2]
    assert (said.folder / "figures" / "simulations.png").exists()
    assert "uct simulations=3000" in said.out


@pytest.mark.long
def test_illegal_moves_and_errors_keep_nothing_and_are_told(command):
    said = command(*SMALL, PLAYERS)
    summary = pd.read_csv(said.folder / "summary.csv").set_index("player")
    assert summary.loc["nought", "failures"] > 0
    assert f"nought gave no legal move in {summary.loc['nought', 'failures']}" in said.out
    player = PLAYER.build({"name": "random"}, "players[0]").player(1)
    player.play = lambda board: 1 // 0
    found = judge_choice(player, 0, graded_positions(1)[0], "random")
    assert (found["column"], found["keeps_value"], found["best"]) == (-1, False, False)
    assert found["failure"].startswith("ZeroDivisionError")
