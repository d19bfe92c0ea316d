"""A position in a terminal: what is marked, how wide it is, colours, boards beside each other."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connect4 import Board, screen
from tests.connect4.test_drawing import BOARDS

pytestmark = pytest.mark.jit  # how kernels run decides nothing here

CODES = re.compile(r"\x1b\[[\d;]*m")


@pytest.mark.parametrize("board", BOARDS, ids=repr)
def test_without_marks_and_colours_it_is_the_text_of_the_board(board: Board):
    shown = screen.lines(board)
    assert {len(line) for line in shown} == {screen.width_of(board)}
    assert [re.sub("[>*]", " ", line).split() for line in shown] == [line.split() for line in str(board).splitlines()]
    assert [CODES.sub("", line) for line in screen.lines(board, colour=True)] == shown


@pytest.mark.parametrize("board", BOARDS, ids=repr)
def test_the_last_stone_and_the_winning_row_are_marked_and_nothing_else(board: Board):
    cell = screen.width_of(board) // board.width
    marked = {
        (row, place // cell): sign
        for row, line in enumerate(screen.lines(board)[: board.height])
        for place, sign in enumerate(line)
        if sign in "*>"
    }
    last = {(board.height - board.heights[board.moves[-1]], board.moves[-1])} if board.moves else set()
    assert {place for place, sign in marked.items() if sign == ">"} == last
    assert {place for place, sign in marked.items() if sign == "*"} == set(board.winning_line()) - last


def test_a_text_below_a_column_stands_below_its_number():
    board = Board.from_moves("4453")
    numbers, scores = screen.lines(board, ["+15", "", "0", "-3", "+1", ".", "7"])[-2:]
    assert len(numbers) == len(scores) == screen.width_of(board, ["+15"]) == 28
    assert scores.index("+15") + 2 == numbers.index("1")
    assert scores.index("7") == numbers.index("7")


def test_stones_of_either_side_have_a_colour_and_marked_ones_a_ground():
    line = screen.lines(Board.from_moves("21212", 3, 3, 3), colour=True)
    x, marked_x, o = "\x1b[1;33m", "\x1b[1;30;43m", "\x1b[1;94m"
    assert line[0].count(marked_x + ">X") == 1
    assert line[1].count(marked_x + "*X") == 1
    assert (x in "".join(line), line[1].count(o + "O")) == (False, 1)


@given(count=st.integers(0, 9), room=st.integers(1, 120))
def test_boards_beside_each_other_fit_the_room_and_are_all_there(count: int, room: int):
    boards = [(f"{number}. X 1", Board.from_moves("1", 4, 2)) for number in range(count)]
    shown = list(screen.side_by_side(boards, room))
    assert sum(line.count("1 2 3 4") for line in shown) == count
    assert sum(line.count(". X 1") for line in shown) == count
    if count:
        assert max(map(len, shown)) <= max(room, 8)
        most = max(line.count("1 2 3 4") for line in shown)
        assert most == min(count, screen.MOST_BESIDE, max(1, (room + 2) // 10))
