"""Random play as an experiment: its tables, their truth, the same bytes whoever works, sweeps, other players."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest

from connect4.combinatorics import bounds
from experiments.kinds.random_games.random_play_sheets import percent, power
from numerics.output import tables
from tests import data
from tests.experiments.commands import split_words
from tests.internals import random_games

RUN = ("experiment=random_games", "board=4x3", "connect=3")
SMALL = ("games=60", "paths=40", "position_paths=10", "fillings=20", "exact_positions=30")


def test_the_tables_say_what_the_games_were(command):
    folder = command(*RUN, *SMALL, "seed=4").folder
    record = random_games(4, 3, 3, 60, 4)
    for row in tables.read(folder / "lengths.csv").to_dict("records"):
        same = (record.lengths == row["plies"]) & (record.results == row["winner"])
        assert same.sum() == row["games"]
    row = tables.read(folder / "summary.csv").iloc[0]
    assert row["length_mean"] == pytest.approx(record.lengths.mean())
    assert row["length_deviation"] == pytest.approx(record.lengths.std(ddof=1))
    assert row["length_error"] == pytest.approx(record.lengths.std(ddof=1) / math.sqrt(60))
    for name, result in (("first", 1), ("second", -1), ("draw", 0)):
        wins = int((record.results == result).sum())
        assert row[f"{name}_games"] == wins
        assert row[name] == pytest.approx(wins / 60)
        method = "exact" if name == "draw" else "wilsoncc"
        interval = binomtest(wins, 60).proportion_ci(0.95, method=method)
        assert (row[f"{name}_low"], row[f"{name}_high"]) == pytest.approx((interval.low, interval.high))
    assert row["length_mean_first"] == pytest.approx(record.lengths[record.results == 1].mean())


@pytest.mark.long
@pytest.mark.jit
def test_exact_numbers_stand_beside_the_estimates_where_they_are_known(command):
    facts = data.read("connect4_counts")["boards"]["4x4"]
    said = command("experiment=random_games", "board=4x4", "paths=20000", "position_paths=2000")
    row, totals = tables.read(said.folder / "summary.csv").iloc[0], facts["totals"]
    for name in ("first", "second", "draw"):
        assert row[f"exact_{name}"] == pytest.approx(totals[name])
        assert abs(row[name] - totals[name]) < 5.0 * math.sqrt(totals[name] / 10_000)
    assert row["exact_mean_length"] == pytest.approx(totals["mean_length"])
    counts = tables.read(said.folder / "counts.csv")
    all_plies = counts[counts["ply"].isna()].set_index(["quantity", "source"])
    assert all_plies.loc[("finished", "exact"), "value"] == totals["games"]
    assert all_plies.loc[("positions", "exact"), "value"] == totals["positions"]
    assert all_plies.loc[("positions", "published"), "value"] == totals["positions"]
    assert all_plies.loc[("finished", "column orders"), "value"] == bounds.games_by_fillings(4, 4)
    for quantity, exact in (("finished", totals["games"]), ("positions", totals["positions"])):
        estimate = all_plies.loc[(quantity, "estimate")]
        assert abs(estimate["value"] / exact - 1.0) < 5.0 * estimate["relative_error"]
        assert estimate["reliable"] == "yes"
        assert 10 ** estimate["log10_low"] < estimate["value"] < 10 ** estimate["log10_high"]
    by_ply = counts[counts["ply"].notna()].set_index(["quantity", "source", "ply"])["value"]
    for ply, positions, _, full, ways, wins, _ in facts["plies"]:
        exact = [by_ply.loc[(what, "exact", ply)] for what in ("positions", "sequences", "finished")]
        assert exact == [positions, ways, ways if full else wins]
    draws = tables.read(said.folder / "draws.csv").set_index("source")
    assert draws.loc["exact", "value"] == pytest.approx(totals["draw"])
    assert draws.loc["independent lines", "value"] == pytest.approx(bounds.draw_with_independent_lines(4, 4, 4))
    low, high, filling = draws.loc["random filling", ["low", "high", "value"]]
    assert low < filling < high
    assert filling < min(draws.loc["disjoint lines", "value"], totals["draw"])  # play alternates colours in its columns


def test_other_players_are_studied_as_well(command):
    said = command(*RUN, "player1=level_2", "player2=level_1", "games=20")
    lengths = tables.read(said.folder / "lengths.csv")
    assert set(lengths["first_player"]) == {"level_2", "level_1"}
    assert lengths.groupby("first_player")["games"].sum().tolist() == [10, 10]
    games = pd.read_parquet(said.folder / "games.parquet")
    row = tables.read(said.folder / "summary.csv").iloc[0]
    assert row["length_mean"] == pytest.approx(games["plies"].mean())
    assert row["player1_wins"] == (games["winner"] == "level_2").sum()
    assert row["player2_wins"] == (games["winner"] == "level_1").sum()
    first_won = (games["first_player"] == 1) == (games["result"] == 1)
    assert row["first_games"] == (first_won & (games["result"] != 0)).sum()
    alone = command(*RUN, "player1=level_1", "player2=level_1", "games=10").folder  # one population
    assert set(tables.read(alone / "lengths.csv")["first_player"]) == {"level_1"}
    assert np.isnan(tables.read(alone / "summary.csv")["player1_wins"].iloc[0])


def test_forfeited_games_have_no_length(command):
    folder = command(
        "experiment=random_games", "board=2x2", "connect=2", "player1=level_0", "player2=level_0", "games=40", "seed=3"
    ).folder
    games = pd.read_parquet(folder / "games.parquet")
    lost = int((~games["ending"].isin(["row", "full"])).sum())
    row = tables.read(folder / "summary.csv").iloc[0]
    assert row["forfeits"] == lost > 0
    assert row["games"] == 40 - lost == tables.read(folder / "lengths.csv")["games"].sum()


def test_a_sweep_over_boards_is_one_table_and_one_figure_a_question(command):
    command(
        *split_words(
            "-m experiment=random_games board=2x2,3x3,8x8 connect=3 games=40 paths=10 position_paths=1 "
            "fillings=10 exact_positions=1000 hydra.sweep.dir=swept"
        ),
    )
    table = tables.read(Path("swept/sweep.csv"))
    assert list(table["board"]) == ["2x2", "3x3", "8x8"]
    assert table["games_exact"].notna().tolist() == [True, True, False]
    assert (table["games_estimate_log10"] <= table["games_bound_log10"] + 1.0).all()
    figures = {path.name for path in Path("swept/figures").iterdir()}
    assert figures == {f"{name}.png" for name in ("lengths", "shares", "counts")}


def test_numbers_are_written_with_the_digits_that_they_need():
    shares = {0.5557: "55.57 %", 0.00256: "0.26 %", 4.1e-4: "0.041 %", 0.0: "0 %", math.nan: "-"}
    assert {share: percent(share) for share in shares} == shares
    powers = {7.0: "7", 1234.0: "1,234", 4531985219092.0: "4.53e12", 9.999e30: "1.00e31"}
    assert {n: power(math.log10(n)) for n in powers} == powers
    assert power(math.nan) == "0"
