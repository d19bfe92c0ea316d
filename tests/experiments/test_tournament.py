"""A tournament: every pair, a cross table whose rows sum up, standings with ratings, figures."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest

from experiments.kinds.tournament import STANDINGS, caveats, crosstable_of, observed_in, pairs_of, standings_of
from numerics.output import tables
from tests.experiments.commands import OF_EVERY_RUN
from tests.internals import ratings

SMALL = ("experiment=tournament", "board=4x3", "connect=3", "games=6")
PLAYERS = ("random", "three", "level_2")
GIVEN = 'players=[random,{name: level_3, label: "three"},level_2]'
TABLES = ("games.parquet", "pairs.csv", "crosstable.csv", "standings.csv")


@pytest.mark.long
@pytest.mark.drawn
def test_every_pair_plays_and_game_numbers_are_unique(command):
    said = command(*SMALL, GIVEN)
    names = {path.name for path in said.folder.iterdir() if path.name != ".lock"}
    assert names == {*TABLES, *OF_EVERY_RUN}
    assert {path.name for path in (said.folder / "figures").iterdir()} == {
        f"{name}.png" for name in ("crosstable", "ratings")
    }
    table = pd.read_parquet(said.folder / "games.parquet")
    assert list(table["game"]) == list(range(18))
    assert table["seed"].nunique() == 18
    played = table.groupby(["player1", "player2"], sort=False)
    assert list(played.groups) == list(itertools.combinations(PLAYERS, 2))
    assert (played.size() == 6).all()
    assert (played["first_player"].mean() == 1.5).all()
    assert "cross table" in said.out
    assert "Elo" in said.out


@pytest.fixture
def folder(finished, tmp_path):
    """The folder of a tournament."""
    finished(*SMALL, GIVEN, "hydra.run.dir=run")
    return tmp_path / "run"


def test_rows_of_the_cross_table_sum_up_and_agree_with_the_games(folder):
    table = pd.read_parquet(folder / "games.parquet")
    cross = pd.read_csv(folder / "crosstable.csv")
    assert list(cross) == ["player", *PLAYERS, "points", "games", "score"]
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
    assert abs(standings["elo"].mean()) < 0.01


@pytest.mark.long
def test_stronger_levels_rank_higher(command):
    said = command("experiment=tournament", "players=[level_4,random,level_2]", "games=30")
    players = pd.read_csv(said.folder / "standings.csv")["player"]
    assert players.iloc[0].startswith("level_4")
    assert players.iloc[2] == "random"


@pytest.mark.long
def test_illegal_moves_are_counted_and_said(command):
    said = command("experiment=tournament", "players=[level_0,random]", "games=60", "board=3x3", "connect=3")
    standings = pd.read_csv(said.folder / "standings.csv").set_index("player")
    table = pd.read_parquet(said.folder / "games.parquet")
    lost = table["ending"].str.startswith("illegal move").sum()
    assert lost > 0
    assert standings.loc["level_0", "lost_by_illegal_move"] == lost
    assert standings.loc["random", "lost_by_illegal_move"] == 0
    assert (table.loc[table["ending"].str.startswith("illegal move"), "winner"] == "random").all()
    assert f"level_0 lost {lost} games by illegal move" in said.out


def test_groups_that_won_everything_have_one_end(tmp_path):
    results = {("a", "b"): [1, -1], ("a", "c"): [1, 1], ("a", "d"): [1, 1], ("b", "c"): [1, 1], ("b", "d"): [1, 1]}
    results |= {("c", "d"): [1, 0]}
    rows = [
        {"player1": one, "player2": two, "result": result, "game": 2 * pair + game, "opening": pair}
        for pair, ((one, two), of_pair) in enumerate(results.items())
        for game, result in enumerate(of_pair)
    ]
    games = pd.DataFrame(rows).assign(ending="row", moves=lambda table: table["game"].astype(str), first_player=1)
    pairs = pairs_of(games)
    standings = standings_of(games, pairs)
    for name, table in (("pairs", pairs), ("crosstable", crosstable_of(pairs)), ("standings", standings)):
        tables.write(table, tmp_path / f"{name}.csv")
    cells = {row[0]: row[-2] for row in STANDINGS.of_folder(tmp_path, {})[0].cells}
    assert ["at least" in cells[name] for name in "abcd"] == [True, True, False, False]
    assert ["at most" in cells[name] for name in "abcd"] == [False, False, True, True]
    games.to_parquet(tmp_path / "games.parquet")
    said = caveats(tmp_path, {})
    assert said[0] == "The intervals of neighbours overlap: a and b; b and c; c and d."
