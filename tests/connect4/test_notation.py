"""Positions as text: strings of columns, boards of letters with bars and without, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from connect4 import Board, notation
from tests.connect4.strategies import boards
from tests.refusals import refused


@settings(deadline=None, max_examples=200)
@given(boards())
def test_every_notation_gives_the_same_board_back(board: Board):
    size = (board.width, board.height, board.connect)
    for moves in (board.notation, board.moves, list(board.moves), iter(board.moves), np.array(board.moves, dtype=int)):
        again = Board.from_moves(moves, *size)
        assert again == board
        assert again.moves == board.moves
    for first in (0, 1):
        written = ",".join(str(column + first) for column in board.moves)
        assert Board.from_moves(written, *size, first=first).moves == board.moves
        assert Board.from_moves(written.replace(",", " , "), *size, first=first).moves == board.moves
    for text in (str(board), board.text(), board.text(bars=True)):
        assert Board.from_text(text, board.connect) == board
        assert Board.from_text(f"\n{text}\n\n", board.connect) == board
    np.testing.assert_array_equal(notation.grid_of_text(board.text(bars=True)), board.grid)


def test_strings_count_columns_from_1_as_pons_does_and_from_0_if_asked():
    assert Board.from_moves("4453").moves == (3, 3, 4, 2)
    assert Board.from_moves("4453").notation == "4453"
    assert Board.from_moves("4,4,5,3") == Board.from_moves("4453") == Board.from_moves(" 4453\n")
    assert Board.from_moves("3342", first=0) == Board.from_moves([3, 3, 4, 2]) == Board.from_moves("4453")
    assert Board.from_moves("") == Board.from_moves([]) == Board()


def test_commas_separate_columns_where_there_are_more_than_nine():
    board = Board.from_moves("10,1,12,12", width=12)
    assert board.moves == (9, 0, 11, 11)
    assert board.notation == "10,1,12,12"
    assert Board.from_moves("10", width=12).moves == (9,)
    assert Board.from_moves("0909", width=10, first=0).moves == (0, 9, 0, 9), "from 0 to 9 a column is one digit"
    assert Board.from_moves("64", width=64, height=1).moves == (63,)
    assert Board.from_moves([9, 0], width=10).notation == "10,1"
    assert Board.from_moves([8, 0], width=9).notation == "91"


@pytest.mark.parametrize(
    ("moves", "width", "parts"),
    [
        ("0", 7, ["from 1 to 7", "move 1", "'0'"]),
        ("448", 7, ["from 1 to 7", "move 3", "'8'"]),
        ("44x", 7, ["from 1 to 7", "move 3", "'x'"]),
        ("4 4", 7, ["from 1 to 7", "move 2", "' '"]),
        ("4.4", 7, ["from 1 to 7", "move 2", "'.'"]),
        ("-1", 7, ["from 1 to 7", "move 1", "'-'"]),
        ("4²", 7, ["from 1 to 7", "move 2", "'²'"]),
        ("٤", 7, ["from 1 to 7", "move 1"]),
        ("4,,4", 7, ["from 1 to 7", "move 2", "''"]),
        ("4,4,", 7, ["from 1 to 7", "move 3", "''"]),
        ("4453", 12, ["from 1 to 12", "separated by commas", "'4453'"]),
        ("13,1", 12, ["from 1 to 12", "separated by commas", "move 1", "'13'"]),
        ("1,0", 12, ["from 1 to 12", "move 2", "'0'"]),
        ("9" * 5000, 12, ["from 1 to 12", "got '9999", "…"]),
        (5, 7, ["a string or a list of columns", "got 5"]),
        (None, 7, ["a string or a list of columns", "got None"]),
        (b"44", 7, ["a string or a list of columns", "got b'44'"]),
        (4.5, 7, ["a string or a list of columns", "got 4.5"]),
        ([3, 7], 7, ["at move 2: column must be", "from 0 to 6", "got 7"]),
        ([3, 1.0], 7, ["at move 2: column must be", "got 1.0"]),
        ([True], 7, ["at move 1: column must be", "got True"]),
        (["4"], 7, ["at move 1: column must be", "got '4'"]),
        (np.array([1.0]), 7, ["at move 1: column must be", "from 0 to 6"]),
        ("4444444", 7, ["at move 7: column 4 cannot be played: it is full; open columns are [1, 2, 3, 5, 6, 7]"]),
        ("12131415", 7, ["at move 8: column 5 cannot be played: the game is over (player 1 has won)"]),
        ([0, 1, 0, 1, 0, 1, 0, 1], 7, ["at move 8: column 1 cannot be played: the game is over (player 1 has won)"]),
    ],
)
def test_moves_that_cannot_be_read_or_played_are_refused(moves: object, width: int, parts: list[str]):
    refused(lambda: Board.from_moves(moves, width=width), "moves must", *parts)


@pytest.mark.parametrize("first", [2, -1, True, None, "1"])
def test_columns_are_counted_from_0_or_1(first: object):
    refused(lambda: Board.from_moves("44", first=first), "first", "from 0 to 1", f"got {first!r}")


def test_text_without_bars_has_dots_and_with_bars_blanks():
    board = Board.from_moves("4455")
    assert str(board) == board.text() == ". . . . . . .\n" * 4 + ". . . O O . .\n. . . X X . .\n1 2 3 4 5 6 7"
    empty = "| | | | | | | |\n"
    assert board.text(bars=True) == (empty * 4 + "| | | |O|O| | |\n| | | |X|X| | |\n" + "-" * 15 + "\n 0 1 2 3 4 5 6")


def test_columns_of_two_digits_stay_above_their_numbers():
    board = Board.from_moves("1,12,11", width=12, height=2)
    lines = board.text().splitlines()
    assert lines[-1].split() == [str(column) for column in range(1, 13)]
    assert {len(line) for line in lines} == {35}
    assert lines[1].index("O") == lines[2].index("12") + 1
    barred = board.text(bars=True).splitlines()
    assert barred[1] == "| X|  |  |  |  |  |  |  |  |  | X| O|"
    assert barred[1].index("O") == barred[3].index("11") + 1
    assert set(barred[2]) == {"-"}


@pytest.mark.parametrize(
    "text",
    [
        "XO.\nOXX",
        "X O .\nO X X",
        "|X|O| |\n|O|X|X|",
        "|X|O|.|\n|O|X|X|\n-------\n 0 1 2",
        "  X O .\n  O X X\n  0 1 2\n",
    ],
)
def test_text_is_read_in_every_form(text: str):
    board = Board.from_text(text, connect=3)
    assert board.grid.tolist() == [[1, -1, 0], [-1, 1, 1]]


def test_a_column_of_a_single_cell_is_read_too():
    board = Board.from_moves([0], 1, 1)
    assert Board.from_text(board.text()) == Board.from_text(board.text(bars=True)) == board
    assert Board.from_text("| |") == Board(1, 1)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", ["rows of a board", "''"]),
        ("\n \n", ["rows of a board"]),
        ("0 1 2\n-----", ["rows of a board"]),
        ("X?", ["X and O", "'?'"]),
        ("x o", ["X and O", "'x'"]),
        ("|X|XO|", ["X and O", "'XO'"]),
        ("X O\nX", ["rows of equal length", "2 cells", "row 1 has 1"]),
        ("|X| |\n|O|", ["rows of equal length"]),
        (5, ["a string", "got 5"]),
        (None, ["a string", "got None"]),
        (["X O"], ["a string", "got ['X O']"]),
    ],
)
def test_text_that_shows_no_board_is_refused(text: object, parts: list[str]):
    refused(lambda: Board.from_text(text), "text must", *parts)


def test_text_of_a_position_that_no_game_reaches_is_refused_as_its_grid_is():
    refused(lambda: Board.from_text("X . .\n. O ."), "grid must have no floating stones")
    refused(lambda: Board.from_text("X X ."), "grid must have as many stones")
