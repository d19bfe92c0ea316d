"""Submissions to Kaggle's ConnectX as players: what they are shown, and what they do wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from connect4 import Board
from connect4.referee import play_game
from experiments.players import make_player
from tests.internals import PLAYER, configuration_of, observation_of, source_files
from tests.refusals import refused

SUBMISSION = Path(__file__).with_name("my_submission.py")


def rightmost(board: Board) -> int:
    return board.legal_moves()[-1]


def written(folder: Path, text: str) -> str:
    file = folder / "submission.py"
    file.write_text(text, encoding="utf-8")
    return str(file)


def test_what_it_is_shown_is_what_kaggle_shows():
    board = Board.from_moves("445", 7, 6, 4)
    shown, terms = observation_of(board), configuration_of(board, 0.5)
    assert (shown.mark, shown.step, shown["mark"]) == (2, 3, 2)
    assert shown.board == [0] * 28 + [0, 0, 0, 2, 0, 0, 0] + [0, 0, 0, 1, 1, 0, 0]
    assert all(type(cell) is int for cell in shown.board)
    assert (terms.columns, terms.rows, terms.inarow, terms.actTimeout, terms["timeout"]) == (7, 6, 4, 0.5, 0.5)
    assert not hasattr(shown, "winner")


def test_the_last_that_can_be_called_plays_and_may_take_the_observation_alone(tmp_path: Path):
    text = "class Bot:\n    pass\nwidth = 7\ndef first(seen, terms): return 1\nlast = lambda seen: width - seen.mark\n"
    player = make_player("kaggle", file=written(tmp_path, text))
    assert (player.play(Board()), player.play(Board.from_moves("4"))) == (6, 5)


def test_its_file_is_run_anew_for_every_game_and_may_import_what_lies_beside_it(tmp_path: Path):
    (tmp_path / "beside_the_submission.py").write_text("STEP = 2\n")
    text = (
        "import beside_the_submission as b\nmoves = []\ndef f(o, c):\n    moves.append(b.STEP)\n    return sum(moves)\n"
    )
    player = make_player("kaggle", file=written(tmp_path, text))
    assert [player.play(Board()), player.play(Board())] == [2, 4]
    player.reset(1)
    assert player.play(Board()) == 2


@pytest.mark.parametrize(
    ("body", "ending"),
    [
        ("return 7", "illegal move: returned 7; columns count from 0 to 6"),
        ("return None", "illegal move: returned None"),
        ("return o.winner", "AttributeError: winner (submission.py, line 2: return o.winner)"),
        ("1 / 0", "ZeroDivisionError: division by zero (submission.py, line 2: 1 / 0)"),
        ("while True: pass", "no move after 0.2 s"),
        ("import sys; sys.exit(3)", "SystemExit: 3 (submission.py, line 2: import sys; sys.exit(3))"),
    ],
)
def test_what_a_submission_does_wrong_loses_its_game(tmp_path: Path, body: str, ending: str):
    player = make_player("kaggle", file=written(tmp_path, f"def agent(o, c): \n    {body}\n"), limit=0.2)
    played = play_game(player, rightmost, Board())
    assert (played.result, played.ending) == (-1, ending)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("def agent(o, c)\n", "file '{}' has a syntax error in line 1 of submission.py: expected ':': def agent(o, c)"),
        ("width = 7\n", "file '{}' must define a function of observation and configuration; it defines none"),
        (
            "\nraise OSError('no table')\n",
            "file '{}' fails: OSError: no table (submission.py, line 2: raise OSError('no table'))",
        ),
        ("import sys\nsys.exit(1)\n", "file '{}' fails: SystemExit: 1 (submission.py, line 2: sys.exit(1))"),
    ],
)
def test_a_file_that_fails_is_refused_before_any_game(tmp_path: Path, text: str, sentence: str):
    file = written(tmp_path, text)
    assert refused(lambda: make_player("kaggle", file=file)) == sentence.format(file)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"file": ""}, "file must be the path of a submission, such as submission.py; got ''"),
        ({"file": 3}, "file must be the path of a submission, such as submission.py; got 3"),
        ({"file": "no_such.py"}, "file must be a submission's file; 'no_such.py': No such file or directory"),
        ({"file": str(SUBMISSION), "limit": 0}, "limit must be a finite number above 0 and at most 1e+06; got 0"),
    ],
    ids=str,
)
def test_a_bad_parameter_is_one_sentence(parameters: dict[str, object], sentence: str):
    assert refused(lambda: make_player("kaggle", **parameters)) == sentence


def test_a_run_knows_the_files_that_play():
    kaggle = PLAYER.build({"name": "kaggle", "file": str(SUBMISSION)}, "player1")
    engine = PLAYER.build({"name": "program", "command": f"python {SUBMISSION} --fast"}, "player2")
    assert str(SUBMISSION) in source_files(kaggle)
    assert str(SUBMISSION) in source_files(engine)
