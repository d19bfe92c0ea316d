"""`python -m experiments.answer`: the other side of `player=program`."""

from __future__ import annotations

import io
import shlex
import sys
from pathlib import Path

import pytest

from connect4 import Board
from connect4.referee import play_game
from experiments import answer
from experiments.players import make_player
from tests.internals import end_programs

pytestmark = pytest.mark.jit


def answers(lines: str, *arguments: str, monkeypatch, capsys) -> list[str]:
    monkeypatch.setattr(sys, "stdin", io.StringIO(lines))
    answer.main(arguments)
    return capsys.readouterr().out.splitlines()


def test_a_line_is_answered_by_a_column_and_what_it_is_worth(monkeypatch, capsys):
    said = answers("112233\n\n445 0.01\n", "player=uct_best simulations=300", monkeypatch=monkeypatch, capsys=capsys)
    assert said[0] == "4 1.000000"  # wins at once
    assert [len(line.split()) for line in said] == [2, 2, 2]
    late = "5771643672513111651573 0.5\n"
    assert answers(late, "player=perfect", monkeypatch=monkeypatch, capsys=capsys) == ["7"]


@pytest.mark.long
def test_the_session_in_the_guide_is_what_comes(monkeypatch, capsys):
    page = (Path(__file__).parents[2] / "docs" / "guides" / "engines.md").read_text(encoding="utf-8")
    command, *lines = page.partition("```text\n$ python -m experiments.answer ")[2].partition("\n```")[0].splitlines()
    asked = "".join(f"{line}\n" for line in lines[::2])
    assert answers(asked, *shlex.split(command), monkeypatch=monkeypatch, capsys=capsys) == lines[1::2]


def test_what_somebodys_code_prints_is_no_answer(monkeypatch, capsys, tmp_path):
    (tmp_path / "loud.py").write_text("print('loading')\ndef agent(o, c):\n    print('thinking')\n    return 2\n")
    given = (f"player=kaggle file={tmp_path / 'loud.py'}",)
    assert answers("4\n", *given, monkeypatch=monkeypatch, capsys=capsys) == ["3"]


def test_a_line_that_is_no_position_is_answered_by_a_sentence(monkeypatch, capsys):
    lines = "8\n11223344\n1212121\n4 soon\n4\n"
    said = answers(lines, "player=uct simulations=50", monkeypatch=monkeypatch, capsys=capsys)
    for line, part in zip(said, ("'8'", "move 8", "1212121", "'soon'", ""), strict=True):
        assert part in line
        assert line.startswith("error") == bool(part)


@pytest.mark.long
def test_a_program_that_answers_plays_as_the_player_itself():
    program = make_player(
        "program", command=f"{sys.executable} -m experiments.answer 'player=minimax depth=3 ties=left'"
    )
    plain = make_player("minimax", depth=3, ties="left")
    try:
        for size in ((7, 6, 4), (5, 4, 4)):
            games = [play_game(one, lambda board: board.legal_moves()[-1], Board(*size)) for one in (program, plain)]
            assert games[0].moves == games[1].moves
    finally:
        end_programs()
