"""A person at the terminal: what is shown, what is asked again, and how one leaves."""

from __future__ import annotations

import io
import sys

import pytest

from connect4 import Board
from connect4.players import Human
from connect4.referee import play_game
from experiments.players import make_player
from numerics.players import Quit


def person(answers: str) -> tuple[Human, io.StringIO]:
    player = make_player("human")
    assert isinstance(player, Human)
    player.source, player.sink = io.StringIO(answers), io.StringIO()
    return player, player.sink


def test_the_board_the_last_move_and_whose_turn_it_is_are_shown():
    player, shown = person("4\n")
    board = Board.from_moves([3, 2, 3])
    assert player.play(board) == 3
    assert shown.getvalue() == (
        "\n"
        " . . . . . . .\n"
        " . . . . . . .\n"
        " . . . . . . .\n"
        " . . . . . . .\n"
        " . . .>X . . .\n"
        " . . O X . . .\n"
        " 1 2 3 4 5 6 7\n"
        "X played column 4; O to move.\n"
        "Column (1 to 7; q quits): "
    )


def test_before_the_first_move_there_is_no_last_one():
    player, shown = person(" 1 \n")
    assert player.play(Board()) == 0
    assert "\nX to move.\n" in shown.getvalue()


def test_a_bad_or_a_full_column_is_asked_again_with_a_sentence():
    player, shown = person("8\n-1\nleft\n\n1.5\n1\n0\n5\n")
    board = Board.from_moves([0] * 6)
    assert player.play(board) == 4
    said = shown.getvalue()
    assert said.count("Column (1 to 7; q quits): ") == 8
    for sentence in (
        "column must be a whole number from 1 to 7; got 8.\n",
        "column must be a whole number from 1 to 7; got -1.\n",
        "column must be a whole number from 1 to 7; got 0.\n",
        "'left' is no column; the columns are 1 to 7; q quits.\n",
        "'' is no column; the columns are 1 to 7; q quits.\n",
        "'1.5' is no column; the columns are 1 to 7; q quits.\n",
        "column 1 cannot be played: it is full; open columns are [2, 3, 4, 5, 6, 7].\n",
    ):
        assert sentence in said
    assert board == Board.from_moves([0] * 6)


@pytest.mark.parametrize("answers", ["q\n", "Q\n", "", "9\nq\n"])
def test_q_or_the_end_of_the_input_leaves_the_program_and_nobody_loses(answers: str):
    player, _ = person(answers)
    with pytest.raises(Quit, match="has quit"):
        play_game(player, make_player("random"), Board())
    assert issubclass(Quit, KeyboardInterrupt), "every command ends on it as on Ctrl-C"


def test_a_whole_game_is_played_and_its_end_is_shown():
    player, shown = person("1\n1\n1\n1\n")
    other = make_player("lookahead", ply=0, tiebreak="RIGHT")
    assert Board().run(player, other) == 1
    assert shown.getvalue().endswith(" 1 2 3 4 5 6 7\nX played column 1; X wins.\n")
    assert shown.getvalue().count("to move.\n") == 4


def test_a_person_who_loses_or_draws_sees_that_too():
    player, shown = person("1\n2\n3\n")
    assert Board().run(lambda board: 3, player) == 1
    assert shown.getvalue().endswith("X played column 4; X wins.\n")
    drawn, told = person("1\n2\n")
    assert Board(2, 2).run(make_player("lookahead", ply=0, tiebreak="LEFT"), drawn) == 0
    assert told.getvalue().endswith("O played column 2; the board is full: a draw.\n")
    watching, heard = person("1\n")
    assert Board().run(watching, lambda board: 9) == 1
    assert heard.getvalue().endswith("X wins (O: illegal move: returned 9).\n")


def test_standard_input_and_output_are_used_unless_others_are_given(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr(sys, "stdin", io.StringIO("6\n"))
    assert make_player("human").play(Board(6, 5)) == 5
    assert capsys.readouterr().out.endswith("Column (1 to 6; q quits): ")


def test_large_boards_have_columns_of_two_digits():
    player, shown = person("12\n")
    assert player.play(Board(12, 4)) == 11
    assert "  9 10 11 12\n" in shown.getvalue()


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_shows_colours_unless_nobody_wants_them(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    for sink, colour in ((Terminal(), True), (io.StringIO(), False)):
        player, _ = person("1\n")
        player.sink = sink
        player.play(Board.from_moves("4"))
        assert ("\x1b[" in sink.getvalue()) == colour
    monkeypatch.setenv("NO_COLOR", "1")
    player.sink = plain = Terminal()
    player.show(Board.from_moves("4"))
    assert "\x1b[" not in plain.getvalue()
