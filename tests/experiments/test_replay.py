"""A game of a match or a tournament, move by move in the terminal, and as a picture."""

from __future__ import annotations

import io
import sys

import pandas as pd
import pytest

from connect4 import Board, drawing, screen
from experiments.engine import printing

SMALL = ("board=4x3", "connect=3", "games=6")


@pytest.fixture
def folder(finished, tmp_path):
    """The folder of a match."""
    finished("experiment=match", *SMALL, "hydra.run.dir=run")
    return tmp_path / "run"


def test_a_game_is_shown_move_by_move_and_drawn(command):
    folder = command("experiment=match", "player1=level_3", *SMALL).folder
    game = pd.read_parquet(folder / "games.parquet").to_dict("records")[3]
    said = command(str(folder), "game=3", module="replay")
    assert "random (X)" in said.out
    assert game["moves"] in said.out
    blocks = said.out.split("\n\n")[1:-1]  # of boards that stand beside each other
    board, wide = Board(4, 3, 3), 10
    for place, move in enumerate(game["moves"]):
        board.play(int(move) - 1)
        block = blocks[place // 6].splitlines()
        shown = [line[place % 6 * wide : (place % 6 + 1) * wide].strip() for line in block]
        assert shown == [f"{place + 1}. {'XO'[place % 2]} {move}", *(line.strip() for line in screen.lines(board))]
    assert f"after {game['plies']} plies" in said.out.split("\n\n")[-1]
    for ending in ("png", "svg"):
        path = folder / "figures" / f"game_3.{ending}"
        assert path.stat().st_size > 0
        assert path.name in said.out


def test_a_tournament_has_one_numbering_for_all_pairs_and_a_game_without_a_move_is_told(command):
    never = "{name: custom, path: tests.experiments.own_games.illegal, label: never}"
    folder = command("experiment=tournament", f"players=[random,level_2,{never}]", *SMALL).folder
    assert command(str(folder), "game=17", module="replay").out.startswith("game 17: never (X)")
    assert "illegal move: returned 'everything'" in command(str(folder), "game=17", module="replay").out
    assert command(str(folder), module="replay").out.startswith("game 0:")


@pytest.mark.parametrize(("width", "beside"), [(20, 2), (None, 6)])
def test_as_many_boards_stand_beside_each_other_as_there_is_room_for(command, folder, monkeypatch, width, beside):
    if width is not None:
        monkeypatch.setattr(printing, "_WIDTH_OF_A_FILE", width)
    rows = [line for line in command(str(folder), module="replay").out.splitlines() if "1 2 3 4" in line]
    game = pd.read_parquet(folder / "games.parquet").to_dict("records")[0]
    assert max(map(len, rows)) <= (width or 150)
    assert [row.count("1 2 3 4") for row in rows[:-1]] == [beside] * (-(-game["plies"] // beside) - 1)


def test_step_by_step_each_enter_shows_the_next_board_and_q_ends(command, attempt, folder, monkeypatch):
    def stepped(answers):
        typed = io.StringIO(answers)
        typed.isatty = lambda: True
        monkeypatch.setattr(sys, "stdin", typed)
        return command(str(folder), "--step", module="replay").out

    plies = pd.read_parquet(folder / "games.parquet")["plies"][0]
    assert stepped("\n" * 20).count("1 2 3 4") == plies
    assert stepped("\n\nq\n").count("1 2 3 4") == 3
    monkeypatch.setattr(sys, "stdin", io.StringIO("\n"))
    said = attempt(str(folder), "--step", module="replay")
    said.assert_refused(["--step", "terminal"])


def test_the_moves_of_the_opening_are_marked(command):
    folder = command("experiment=match", "openings=pairs", "board=4x3", "connect=3", "games=32").folder
    command(str(folder), "game=5", module="replay")
    drawn = (folder / "figures" / "game_5.svg").read_text()
    assert drawn.count(f'fill="{drawing.PALE[1]}"') == drawn.count(f'fill="{drawing.PALE[-1]}"') == 1


def test_a_folder_without_games_and_a_game_that_was_not_played_are_refused(attempt, folder):
    attempt(".", module="replay").assert_refused(["folder '.'", "games.parquet"])
    attempt(str(folder), "game=6", module="replay").assert_refused(["game", "from 0 to 5", "6"])
