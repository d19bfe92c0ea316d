"""The referee: games to their end, what loses one before, OpenSpiel as a second one, and a person at the terminal."""

from __future__ import annotations

import io
import random
import re
import sys
import time

import numpy as np
import pytest

from connect4 import Board
from connect4.players import Human
from connect4.referee import LONGEST_ENDING, play_game
from experiments.players import make_player
from numerics.players import Forfeit


def first_open(board: Board) -> int:
    return board.legal_moves()[0]


def last_open(board: Board) -> int:
    return board.legal_moves()[-1]


def raising(error: BaseException):
    """A player that fails at its second move."""

    def player(board: Board) -> int:
        if board.plies >= 2:
            raise error
        return 0

    return player


def test_a_row_wins_for_either_side_and_a_full_board_is_a_draw():
    won = play_game(first_open, last_open, Board())
    assert (won.result, won.ending, won.moves) == (1, "row", (0, 6, 0, 6, 0, 6, 0))
    lost = play_game(lambda board: [0, 1, 0, 1, 2][board.plies // 2], lambda board: 6, Board())
    assert (lost.result, lost.ending, lost.moves) == (-1, "row", (0, 6, 1, 6, 0, 6, 1, 6))
    drawn = play_game(first_open, first_open, Board(2, 2))
    assert (drawn.result, drawn.ending, drawn.moves) == (0, "full", (0, 0, 1, 1))


def test_a_game_goes_on_from_the_board_that_is_given_and_ends_on_it():
    board = Board.from_moves([3, 3, 3, 2])
    played = play_game(lambda board: 3, first_open, board)
    assert (played.result, played.moves) == (1, (3, 3, 3, 2, 3, 0, 3, 0, 3))
    assert board.moves == played.moves
    assert board.is_finished()
    second = Board.from_moves([0])
    assert play_game(first_open, last_open, second).moves[:2] == (0, 6), "the second player is to move"


@pytest.mark.parametrize("column", [7, -1, "3", None, 2.0, True])
def test_an_illegal_move_loses_and_is_said(column: object):
    for result, players in ((-1, (lambda board: column, first_open)), (1, (first_open, lambda board: column))):
        played = play_game(*players, Board())
        assert (played.result, len(played.moves)) == (result, int(result == 1))
        assert played.ending.startswith(f"illegal move: returned {column!r}")
        assert (";" in played.ending) == (column == 7)  # as an engine answers that counts from 1
    assert play_game(lambda board: np.int64(0), last_open, Board()).result == 1


def test_an_exception_loses_and_its_text_stands_in_one_short_line():
    played = play_game(raising(RuntimeError("no\nidea")), last_open, Board())
    assert (played.result, played.moves) == (-1, (0, 6))
    assert re.fullmatch(r"RuntimeError: no idea \(test_referee.py, line \d+: raise error\)", played.ending)
    assert play_game(last_open, raising(KeyError("x")), Board()).result == 1
    assert play_game(raising(Forfeit("no move after 2 s")), last_open, Board()).ending == "no move after 2 s"
    for player in (raising(ValueError("word " * 100)), lambda board: "x" * 1000):
        assert len(play_game(player, last_open, Board()).ending) == LONGEST_ENDING


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_ctrl_c_and_the_end_of_the_program_are_no_loss(error: type[BaseException]):
    with pytest.raises(error):
        play_game(raising(error()), last_open, Board())


def test_a_player_cannot_change_the_game_through_its_board():
    assert play_game(lambda board: (board.play(1), 0)[1], last_open, Board()).moves == (0, 6, 0, 6, 0, 6, 0)


def test_the_thinking_time_of_each_side_is_kept_apart_also_when_a_move_fails():
    def slow(board: Board) -> int:
        time.sleep(0.02)
        return 0

    def slow_to_fail(board: Board) -> int:
        time.sleep(0.05)
        raise RuntimeError

    played = play_game(slow, last_open, Board())
    assert played.seconds[0] >= 0.08
    assert played.seconds[1] < played.seconds[0]
    failed = play_game(first_open, slow_to_fail, Board())
    assert failed.seconds[1] >= 0.05 > failed.seconds[0]
    assert failed.ending.startswith("RuntimeError (test_referee.py, line ")


# --- OpenSpiel as a second referee ---


@pytest.mark.parametrize("size", [(7, 6, 4), (5, 5, 3), (9, 4, 5), (10, 10, 6), (2, 3, 2)])
def test_the_board_for_people_and_openspiel_agree_at_every_move(size: tuple[int, int, int]):
    pyspiel = pytest.importorskip("pyspiel", reason="open_spiel is not installed")
    chance, stones = random.Random(str(size)), {"x": 1, "o": -1, ".": 0}
    for _ in range(8):
        board = Board(*size)
        sizes = {"rows": board.height, "columns": board.width, "x_in_row": board.connect}
        state = pyspiel.load_game("connect_four", sizes).new_initial_state()
        while not board.is_finished():
            assert (state.is_terminal(), state.current_player()) == (False, 0 if board.to_move == 1 else 1)
            assert state.legal_actions() == board.legal_moves()
            column = chance.choice(board.legal_moves())
            board.play(column)
            state.apply_action(column)
            shown = [[stones[sign] for sign in line] for line in str(state).split()[: board.height]]
            assert shown == board.grid.tolist()
        assert (state.is_terminal(), state.returns()) == (True, [board.winner(), -board.winner()])


# --- a person at the terminal ---


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


def test_a_bad_or_a_full_column_is_asked_again_with_a_sentence():
    answers = ["8", "-1", "left", "", "1.5", "1", "0"]
    player, shown = person("\n".join([*answers, "5\n"]))
    board = Board.from_moves([0] * 6)
    assert player.play(board) == 4
    _, *said = shown.getvalue().split("Column (1 to 7; q quits): ")
    for answer, sentence in zip(answers, said, strict=False):
        assert answer in sentence
        assert sentence.endswith(".\n")
    assert len(said) == 8
    assert "[2, 3, 4, 5, 6, 7]" in said[5]
    assert board == Board.from_moves([0] * 6)


@pytest.mark.parametrize("answers", ["q\n", "Q\n", "", "9\nq\n"])
def test_q_or_the_end_of_the_input_leaves_the_program_and_nobody_loses(answers: str):
    player, _ = person(answers)
    with pytest.raises(KeyboardInterrupt):  # on which every command ends as on Ctrl-C
        play_game(player, make_player("random"), Board())


@pytest.mark.parametrize(
    ("answers", "size", "first", "other", "shown"),
    [
        (" 1 \n1\n1\n1\n", (7, 6), True, lambda board: 6, "column 1; X wins.\n"),
        ("1\n2\n3\n", (7, 6), False, lambda board: 3, "X wins.\n"),
        ("1\n2\n", (2, 2), False, first_open, "a draw.\n"),
        ("1\n", (7, 6), True, lambda board: 9, "illegal move: returned 9"),
    ],
)
def test_a_whole_game_is_played_and_its_end_is_shown(answers, size, first, other, shown):
    player, sink = person(answers)
    Board(*size).run(*((player, other) if first else (other, player)))
    assert shown in sink.getvalue()
    assert ("\nX to move.\n" in sink.getvalue()) == first


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_shows_colours_unless_nobody_wants_them(monkeypatch: pytest.MonkeyPatch, capsys):
    monkeypatch.setenv("TERM", "xterm")
    for given, sink, colour in (("", Terminal(), True), ("", io.StringIO(), False), ("1", Terminal(), False)):
        monkeypatch.setenv("NO_COLOR", given)
        player, _ = person("1\n")
        player.sink = sink
        player.play(Board.from_moves("4"))
        assert ("\x1b[" in sink.getvalue()) == colour
    monkeypatch.setattr(sys, "stdin", io.StringIO("6\n"))
    assert make_player("human").play(Board(6, 5)) == 5
    assert capsys.readouterr().out.endswith("Column (1 to 6; q quits): "), "unless others are given"
