"""A user's own player: found by its path, fresh in every game, limited in time; what it does wrong loses its game."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from connect4 import Board
from connect4.players import Custom
from connect4.referee import play_game
from experiments.players import make_player
from numerics.players import Forfeit
from tests.refusals import refused

ROOT = Path(__file__).resolve().parents[2]
MINE = "tests.connect4.my_players."


def custom(name: str, seconds: float = 10.0, seed: int = 0) -> Custom:
    return Custom(path=MINE + name, seconds=seconds, seed=seed)


@pytest.mark.parametrize(("name", "column"), [("leftmost", 0), ("Caller", 6), ("Rememberer", 0), ("Spoiler", 0)])
def test_a_function_or_a_class_with_play_or_call_plays(name: str, column: int):
    board = Board()
    assert custom(name).play(board) == column
    assert board == Board(), "the user's code has a copy"


def test_every_game_has_a_player_of_its_own():
    player = custom("Rememberer")
    assert [player.play(Board()) for _ in range(3)] == [0, 1, 2]
    player.reset(1)
    assert player.play(Board()) == 0
    player.reset()
    assert player.play(Board()) == 0


def test_a_player_of_the_projects_own_kind_can_be_named():
    board = Board.from_moves("112233")
    assert Custom(path="connect4.players.simple.Level2").play(board) == 3
    assert custom("Inner").play(Board()) in range(7)


@pytest.mark.long
def test_the_players_file_may_lie_in_the_current_folder(tmp_path: Path):
    (tmp_path / "my_own_players.py").write_text("class Right:\n    def play(self, board):\n        return 6\n")
    code = (
        "from connect4 import Board\n"
        "from experiments.players import make_player\n"
        "print(make_player('custom', path='my_own_players.Right').play(Board()))"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", code],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert done.stdout.strip() == "6"


# --- what it does wrong ----------------------------------------------------------------------------------------------


# Under a tracer, such as that of coverage, Python 3.11 turns round and round until the sleeper wakes.
@pytest.mark.parametrize("name", ["endless", "endless_catching", pytest.param("sleeper", marks=pytest.mark.jit)])
def test_a_move_that_takes_too_long_loses_the_game_and_the_match_goes_on(name: str):
    start = time.perf_counter()
    played = play_game(custom(name, seconds=0.2), make_player("random"), Board())
    assert time.perf_counter() - start < 60.0
    assert (played.result, played.ending, played.moves) == (-1, "no move after 0.2 s", ())
    assert 0.2 <= played.seconds[0] < 60.0
    second = play_game(make_player("random"), custom(name, seconds=0.2), Board())
    assert (second.result, second.ending) == (1, "no move after 0.2 s")
    assert len(second.moves) == 1


@pytest.mark.parametrize("name", ["endless", "endless_catching"])
def test_an_endless_loop_is_really_ended(name: str):
    player = custom(name, seconds=0.05)
    for _ in range(3):
        with pytest.raises(Forfeit):
            player.play(Board())
    assert not [thread for thread in threading.enumerate() if thread.name == f"move of {MINE}{name}"]


@pytest.mark.parametrize(
    ("name", "ending"),
    [
        ("raises", 'RuntimeError: no idea at all (my_players.py, line 87: raise RuntimeError("no ...'),
        ("leaves", "SystemExit: 3 (my_players.py, line 92: raise SystemExit(3))"),
        ("word", "illegal move: returned 'left'"),
    ],
)
def test_what_a_users_player_does_wrong_loses_the_game_and_is_said_in_one_line(name: str, ending: str):
    played = play_game(custom(name), make_player("random"), Board())
    assert (played.result, played.ending, played.moves) == (-1, ending, ())


SENTENCES = {
    "": f"path must be a dotted path such as my_players.MyPlayer; got '{MINE}'",
    "absent": f"path '{MINE}absent': module 'tests.connect4.my_players' has no 'absent'",
    "number": f"path '{MINE}number' must name a class or a function of a board; it names a int",
    "NeedsMore": f"path '{MINE}NeedsMore': NeedsMore() fails: TypeError: ",
    "Broken": f"path '{MINE}Broken': Broken() fails: OSError: the book of openings is not there",
    "two": f"path '{MINE}two' must take only a board; it takes (board: 'Board', player: 'int')",
    "Mute": f"path '{MINE}Mute' must name a class with play(board) or __call__(board)",
}


@pytest.mark.parametrize("name", SENTENCES)
def test_a_path_that_names_no_player_is_one_sentence_before_any_game(name: str):
    refused(lambda: make_player("custom", path=MINE + name), SENTENCES[name])
