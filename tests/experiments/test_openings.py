"""Openings: built-in ones and files, each checked; the board of a configuration."""

from __future__ import annotations

import pytest

from connect4 import Board
from tests.internals import openings_of
from tests.refusals import refused


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
