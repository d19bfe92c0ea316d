"""The engines in several languages that a user begins with: built and judged as their first lines say."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys

import pytest

from connect4 import Board
from connect4.templates.__main__ import LANGUAGES, main
from experiments.players import make_player
from numerics.exits import run_guarded
from numerics.output import tables
from tests.connect4.naive_search import after_moves, columns_of, has_row
from tests.connect4.positions import undecided
from tests.internals import end_programs, sourced_positions

TOOLS = {"c": "gcc", "javascript": "node", "python": sys.executable, "rust": "rustc"}
SIZES = [(7, 6, 4), (4, 4, 3), (1, 5, 2), (9, 3, 5), (13, 3, 3), (10, 11, 6)]  # columns, rows, in a row


@pytest.fixture(params=LANGUAGES)
def steps(request, monkeypatch, tmp_path, program):
    """The lines of commands at the head of an engine, which is written and built in an empty folder."""
    program(TOOLS[request.param])
    monkeypatch.chdir(tmp_path)
    file = f"my_{LANGUAGES[request.param]}"
    main([request.param, "-o", file])
    lines = re.findall(r"^(?://)? {4,}((?:treebandit|gcc|rustc) .*)$", (tmp_path / file).read_text(), re.MULTILINE)
    write, *build, judge = (shlex.split(line) for line in lines)
    assert write == ["treebandit", "template", request.param, "-o", file]
    for line in build:
        subprocess.run(line, check=True)
    yield judge
    end_programs()


def best_of_one_ply(board: Board) -> int:
    """Return a winning column, else one where the opponent would win, else the one nearest the middle."""
    for player in (board.to_move, -board.to_move):
        for column, then in after_moves(columns_of(board), board.height, player):
            if has_row(then, board.connect, player):
                return column
    return min(board.legal_moves(), key=lambda column: abs(2 * column - board.width + 1))


@pytest.mark.long
def test_it_is_built_and_judged_as_its_first_lines_say(steps, command):
    assert steps[:2] == ["treebandit", "judge"]
    words = [word.replace("python ", f"{sys.executable} ") for word in steps[2:]]
    said = command(*words, "limit=60", module="experiments.judge")  # seconds, on a busy machine too
    choices = tables.read(said.folder / "choices.parquet")
    assert len(choices) == 60
    assert set(choices["failure"]) == {""}
    asked = sourced_positions("all")
    assert choices["column"].tolist() == [best_of_one_ply(asked[number][0].board) for number in choices["position"]]


@pytest.mark.sampled(1)
def test_it_plays_boards_of_any_size(steps):
    (text,) = [word.removeprefix("command=") for word in steps if word.startswith("command=")]
    player = make_player("program", command=text.replace("python ", f"{sys.executable} "), seconds=0.5, limit=20.0)
    for size in SIZES:
        for board in [Board(*size), *undecided(40, [size])]:
            assert player.play(board) == best_of_one_ply(board), (size, board.notation)


def test_an_engine_is_printed_or_written_once(capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    main(["c"])
    printed = capsys.readouterr().out
    main(["c", "-o", "mine.c"])
    assert (tmp_path / "mine.c").read_text() == printed
    for words, part in (("c -o mine.c", "'mine.c'"), ("java", "'java'"), ("c -o no/where/c", "--output")):
        assert run_guarded(lambda words=words: main(words.split())) == 2
        assert part in capsys.readouterr().err
