"""A tournament: every pair, a cross table whose rows sum up, standings with ratings, forfeits."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest

from experiments.kinds.tournament import observed_in
from experiments.report import sheets
from tests.internals import ratings

SMALL = ("experiment=tournament", "board=4x3", "connect=3", "games=6")
PLAYERS = ("random", "three", "level_2")
GIVEN = 'players=[random,{name: level_3, label: "three"},level_2]'


@pytest.fixture
def folder(finished, tmp_path):
    """The folder of a tournament."""
    finished(*SMALL, GIVEN, "hydra.run.dir=run")
    return tmp_path / "run"


def test_rows_of_the_cross_table_sum_up_and_agree_with_the_games(folder):
    table = pd.read_parquet(folder / "games.parquet")
    cross = pd.read_csv(folder / "crosstable.csv")
    assert table["seed"].nunique() == 18
    played = table.groupby(["player1", "player2"], sort=False)
    assert list(played.groups) == list(itertools.combinations(PLAYERS, 2))
    assert (played.size() == 6).all()
    assert (played["first_player"].mean() == 1.5).all()
    assert list(cross["player"]) == list(PLAYERS)
    points = cross[list(PLAYERS)].to_numpy()
    assert np.isnan(np.diag(points)).all()
    assert np.array_equal(np.nansum(points, axis=1), cross["points"])
    assert np.array_equal(cross["games"], [12, 12, 12])
    assert np.allclose(cross["score"], cross["points"] / 12)
    for i, j in itertools.combinations(range(3), 2):
        own = table[(table.player1 == PLAYERS[i]) & (table.player2 == PLAYERS[j])]
        assert points[i, j] == ((own.result + 1) / 2).sum()
        assert points[i, j] + points[j, i] == 6


def test_pairs_and_standings_agree_with_the_cross_table(folder):
    cross, table = pd.read_csv(folder / "crosstable.csv").set_index("player"), pd.read_parquet(folder / "games.parquet")
    pairs, standings = pd.read_csv(folder / "pairs.csv"), pd.read_csv(folder / "standings.csv")
    assert len(pairs) == 6
    for row in pairs.itertuples():
        assert row.wins + row.draws / 2 == cross.loc[row.player, row.opponent]
        assert row.score_low <= row.score <= row.score_high
    points = cross[list(PLAYERS)].to_numpy()
    elo, low, high = ratings(points, observed_in(table, PLAYERS))
    order = [PLAYERS[place] for place in np.argsort(-elo)]
    assert list(standings["player"]) == order
    assert list(standings["rank"]) == [1, 2, 3]
    for row in standings.itertuples():
        place = PLAYERS.index(row.player)
        assert row.wins + row.draws / 2 == cross.loc[row.player, "points"]
        assert np.isclose(row.elo, elo[place], atol=0.006)
        assert np.allclose((row.elo_low, row.elo_high), (low[place], high[place]), atol=0.006)


def test_illegal_moves_are_counted_and_said(command):
    said = command("experiment=tournament", "players=[level_0,random]", "games=40", "board=3x3", "connect=3")
    standings = pd.read_csv(said.folder / "standings.csv").set_index("player")
    table = pd.read_parquet(said.folder / "games.parquet")
    by_forfeit = table["ending"].str.startswith("illegal move")
    lost = by_forfeit.sum()
    assert standings["lost_by_illegal_move"].to_dict() == {"level_0": lost, "random": 0}
    assert lost > 0
    assert (table.loc[by_forfeit, "winner"] == "random").all()
    assert f"level_0 lost {lost} games by illegal move" in said.out


def test_players_that_won_or_lost_everything_have_one_end(command):
    players = "players=[random,{name: custom, path: tests.experiments.own_games.illegal, label: never}]"
    folder = command(*SMALL, players).folder
    cells = {row[0]: " ".join(row) for sheet in sheets(folder) for row in sheet.cells}
    ends = ("at least", "at most")
    assert {name: [end in cells[name] for end in ends] for name in cells} == {
        "random": [True, False],
        "never": [False, True],
    }
