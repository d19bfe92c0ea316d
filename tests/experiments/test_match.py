"""Matches and tournaments: balanced colours, openings, seeds, tables, players that fail, a person at the terminal."""

from __future__ import annotations

import io
import itertools
import sys

import numpy as np
import pandas as pd
import pytest

from connect4 import Board
from connect4.referee import play_game
from experiments.games import results
from experiments.kinds.tournament import observed_in
from experiments.players import make_player
from experiments.report import sheets
from tests.internals import openings_of, ratings
from tests.refusals import refused

MATCH = ("experiment=match", "games=12")
SMALL = ("board=4x3", "connect=3")
OWN = "tests.connect4.my_players"


def test_games_are_what_the_rules_say(command):
    folder = command(*MATCH, "games=20", "player1=level_2").folder
    table = pd.read_parquet(folder / "games.parquet")
    assert list(table["game"]) == list(range(20))
    assert list(table["first_player"]) == [1, 2] * 10
    assert table["seed"].nunique() == 20
    for game in table.to_dict("records"):
        board = Board.from_moves(game["moves"])
        assert board.is_finished()
        assert board.plies == game["plies"]
        mover = board.winner() if game["first_player"] == 1 else -board.winner()
        assert game["result"] == mover
        assert game["winner"] == {1: "level_2", 0: "draw", -1: "random"}[mover]
        assert game["ending"] == ("row" if mover else "full")
    timings = pd.read_parquet(folder / "timings.parquet")
    assert np.array_equal(timings["moves1"] + timings["moves2"], table["plies"])
    assert (timings[["seconds1", "seconds2"]] > 0).all(axis=None)
    first = table["first_player"] == 1
    assert np.array_equal(timings["moves1"], np.where(first, (table["plies"] + 1) // 2, table["plies"] // 2))


def test_a_game_can_be_played_again_from_its_seed(command):
    table = pd.read_parquet(command(*MATCH, "player1=level_3", "player2=random").folder / "games.parquet")
    for game in table.to_dict("records"):
        one, two = make_player("level_3", seed=game["seed"]), make_player("random", seed=game["seed"])
        one.reset(1)
        two.reset(2)
        sides = (one, two) if game["first_player"] == 1 else (two, one)
        assert "".join(str(move + 1) for move in play_game(*sides, Board()).moves) == game["moves"]


def test_players_of_one_kind_draw_different_numbers(command):
    games = pd.read_parquet(command(*MATCH).folder / "games.parquet")
    assert (games["player1"].iloc[0], games["player2"].iloc[0]) == ("random (1)", "random (2)")
    assert any(moves[:8:2] != moves[1:8:2] for moves in games["moves"])


def test_the_summary_counts_the_games(command):
    folder = command(*MATCH, *SMALL, "games=40").folder
    table, summary = pd.read_parquet(folder / "games.parquet"), pd.read_csv(folder / "summary.csv")
    assert list(summary["colour"]) == ["first", "second", "both"]
    for row, own in zip(
        summary.itertuples(), (table[table.first_player == 1], table[table.first_player == 2], table), strict=True
    ):
        assert row.games == len(own)
        assert (row.wins, row.draws, row.losses) == tuple((own.result == one).sum() for one in (1, 0, -1))
        assert np.isclose(row.score, (row.wins + row.draws / 2) / row.games)
        found = results.tally_of(own)
        assert np.allclose((row.score_low, row.score_high), (found["score_low"], found["score_high"]))
        assert np.isclose(row.plies_mean, own.plies.mean())
        assert row.distinct_games == own.moves.nunique()
    assert tuple(summary["games"]) == (20, 20, 40)


@pytest.mark.parametrize(("openings", "count"), [("first_moves", 4), ("book.txt", 2)])
def test_each_opening_is_played_with_both_colours(command, tmp_path, openings, count):
    (tmp_path / "book.txt").write_text("12 # two moves\n3\n")
    said = command("experiment=match", *SMALL, f"openings={openings}", f"games={4 * count}")
    table = pd.read_parquet(said.folder / "games.parquet")
    counts = table.groupby(["opening", "first_player"]).size()
    assert len(counts) == 2 * count
    assert (counts == 2).all()
    assert all(moves.startswith(own) for moves, own in zip(table["moves"], table["opening"], strict=True))
    pairs = table.groupby(table["game"] // 2)
    assert (pairs["opening"].nunique() == 1).all()
    assert (pairs["first_player"].nunique() == 2).all()
    timings = pd.read_parquet(said.folder / "timings.parquet")
    assert np.array_equal(timings["moves1"] + timings["moves2"] + table["opening"].str.len(), table["plies"])


@pytest.mark.parametrize(
    ("name", "reason", "ending"),
    [
        ("word", "illegal_move", "illegal move: returned 'left'"),
        ("raises", "error", "RuntimeError: no idea at all ("),
        ("endless", "time", "no move after 0.05 s"),
    ],
)
def test_a_player_that_fails_loses_and_the_tables_say_so(command, name, reason, ending):
    seconds = 0.05 if name == "endless" else 30.0
    own = ("player2=custom", f"player2.path={OWN}.{name}", f"player2.seconds={seconds}")
    said = command("experiment=match", "games=2", "player1=random", *own)
    table, summary = pd.read_parquet(said.folder / "games.parquet"), pd.read_csv(said.folder / "summary.csv")
    assert table["ending"].str.startswith(ending).all()
    assert list(table["result"]) == [1, 1]
    assert list(table["plies"]) == [1, 0]
    for one in results.FORFEITS:
        assert list(summary[f"won_by_{one}"]) == ([1, 1, 2] if one == reason else [0, 0, 0])
        assert list(summary[f"lost_by_{one}"]) == [0, 0, 0]
    assert ending in said.out


EDITED = {
    "book.txt": ("1\n", ["openings=book.txt"]),
    "edited_players.py": ("from tests.connect4.my_players import leftmost\n", ["player1=custom", "player1.path="]),
    "edited_games.py": ("from tests.experiments.own_games import Nim\n", ["game=custom", "game.cls="]),
}


@pytest.mark.parametrize("file", EDITED)
def test_edited_openings_players_or_games_cannot_finish_a_run(command, attempt, tmp_path, monkeypatch, file):
    text, words = EDITED[file]
    name = text.split()[-1]
    small = () if file == "edited_games.py" else SMALL
    words = [f"{word}{file.removesuffix('.py')}.{name}" if word.endswith("=") else word for word in words]
    run = ("experiment=match", *small, "games=2", *words, "hydra.run.dir=run")
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / file).write_text(text)
    command(*run)
    (tmp_path / file).write_text(text + "2\n")
    assert attempt(*run).status == 2


def test_games_that_hardly_differ_are_said(command):
    paths = [f"player{place}.path={OWN}.leftmost" for place in (1, 2)]
    said = command("experiment=match", "games=6", "player1=custom", "player2=custom", *paths)
    assert "1 of the 6 games" in said.out


def test_a_person_plays_one_game_at_the_terminal(command, monkeypatch):
    answers = "".join(f"{column}\n" for column in (9, *(list(range(4)) * 3)))
    monkeypatch.setattr(sys, "stdin", io.StringIO(answers))
    said = command("experiment=match", "games=1", *SMALL, "player1=human", "player2=random")
    table = pd.read_parquet(said.folder / "games.parquet")
    assert list(table["first_player"]) == [1]
    assert "X to move" in said.out


def test_a_person_who_leaves_ends_the_program_without_a_traceback(attempt, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO("q\n"))
    said = attempt("experiment=match", "games=1", "player1=human", "hydra.run.dir=run")
    assert said.status == 130
    assert said.complaint.startswith("interrupted")
    assert len(said.complaint.strip().splitlines()) == 1


def test_games_are_rounded_up_to_whole_rounds_and_the_folder_knows_these(command, attempt, tmp_path):
    run = ("experiment=match", "openings=first_moves", "board=4x3", "connect=3", "hydra.run.dir=run")
    said = command(*run, "games=9")
    assert "games=16 instead of 9" in said.err
    assert len(pd.read_parquet(tmp_path / "run" / "games.parquet")) == 16
    command(*run, "games=1e1")
    assert "games=16, not 24" in attempt(*run, "games=17").err


TOURNAMENT = ("experiment=tournament", "board=4x3", "connect=3", "games=6")
PLAYERS = ("random", "three", "level_2")
GIVEN = 'players=[random,{name: level_3, label: "three"},level_2]'


@pytest.fixture
def folder(finished, tmp_path):
    """The folder of a tournament."""
    finished(*TOURNAMENT, GIVEN, "hydra.run.dir=run")
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
    folder = command(*TOURNAMENT, players).folder
    cells = {row[0]: " ".join(row) for sheet in sheets(folder) for row in sheet.cells}
    ends = ("at least", "at most")
    assert {name: [end in cells[name] for end in ends] for name in cells} == {
        "random": [True, False],
        "never": [False, True],
    }


def test_built_in_openings_are_all_first_moves_and_all_pairs_of_them():
    board = Board()
    assert openings_of("none", board) == [()]
    assert openings_of("first_moves", board) == [(column,) for column in range(7)]
    assert openings_of("pairs", board) == [(one, other) for one in range(7) for other in range(7)]
    assert openings_of("pairs", Board(3, 1)) == [(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)]
    refused(lambda: openings_of("pairs", Board(1, 1)), "openings 'pairs'")


def test_a_file_holds_one_opening_a_line_with_comments_and_blank_lines(tmp_path):
    file = tmp_path / "openings.txt"
    file.write_text("# from a book\n4453   # the example of the documents\n\n  1  \n")
    assert openings_of(str(file), Board()) == [(3, 3, 4, 2), (0,)]
    file.write_text("10,3\n")
    assert openings_of(str(file), Board(12, 6)) == [(9, 2)]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (b"4\n\n48\n", ["line 3", "'8'"]),
        (b"1111111\n", ["line 1", "full"]),
        (b"1212121\n", ["line 1", "end the game"]),
        (b"# nothing\n", ["is empty"]),
        (b"4\nx\n", ["line 2", "'x'"]),
        (b"\xff\xfe\x00", ["text file"]),
        (None, ["no such file"]),
    ],
)
def test_a_file_of_something_else_is_refused_with_the_line(tmp_path, text, parts):
    file = tmp_path / "openings.txt"
    if text is not None:
        file.write_bytes(text)
    refused(lambda: openings_of(str(file), Board()), "openings ", "openings.txt", *parts)


def test_a_board_is_columns_x_rows():
    board = Board.of_size("64x1", 4)
    assert (board.width, board.height) == (64, 1)
    for size in ("7", "0x6", "65x6", "7x", "x6", "7X6", "-7x6", "7x6x5", "", "7 x 6", 7, None):
        refused(lambda size=size: Board.of_size(size, 4), "board", repr(str(size)))
