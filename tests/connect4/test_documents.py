"""The board's part of the documents' own examples: 000 (engine), 001 (state) and 003 (board and complete games).

Document 003 lays stones on a board without rules; `laid` does so here, and the engine refuses just those strings.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from connect4 import Board
from tests.connect4.test_board import everything, refused

FACTS = json.loads((Path(__file__).parents[1] / "data" / "lookahead_examples.json").read_text(encoding="utf-8"))
EXAMPLES = {example["example"]: example for example in FACTS["examples"]}
WINS = [name for name in EXAMPLES if name.startswith("winsFor")]
GAMES = [name for name in EXAMPLES if name.startswith("playGame")]
AFTER_THE_END = ["01020305", "65646364", "60514031", "012345665432100123456111000222444333666555"]
INTO_A_FULL_COLUMN = ["654321065432106543210563412600123456152413"]


def laid(columns: str, width: int = 7, height: int = 6) -> Board:
    """Lay stones in turn without rules, also after a win; one for a full column is left out, and its turn passes."""
    board = Board(width, height)
    stones, heights, to_move = [0, 0], [0] * width, 1
    for column in map(int, columns):
        if heights[column] < height:
            stones[to_move < 0] |= 1 << (column * (height + 1) + heights[column])
            heights[column] += 1
        to_move = -to_move
    board._set(stones, heights, to_move)
    return board


def expected(name: str) -> Any:
    return EXAMPLES[name]["expected"]


def test_all_47_examples_are_here():
    assert len(EXAMPLES) == 47
    assert (len(WINS), len(GAMES)) == (24, 3)


@pytest.mark.parametrize("name", WINS)
def test_who_wins_in_an_example(name: str):
    columns = re.search(r"'(\d+)'", name)[1]
    board = laid(columns)
    assert [board.has_won(1), board.has_won(-1)] == expected(name)
    if columns in AFTER_THE_END:
        refused(lambda: Board.from_moves(columns, first=0), "moves must", "the game is over")
    elif columns in INTO_A_FULL_COLUMN:
        refused(lambda: Board.from_moves(columns, first=0), "moves must", "it is full")
    else:
        strict = Board.from_moves(columns, first=0)
        assert strict == board
        assert strict.winner() == (1 if expected(name)[0] else -1)
        assert strict.top_in_a_row(int(columns[-1]))
        assert not strict.legal_moves()


@pytest.mark.parametrize("name", GAMES)
def test_a_complete_game_ends_as_printed(name: str):
    winner, picture = expected(name)
    moves = EXAMPLES[name]["moves"]
    board = Board.from_moves(moves, first=0)
    assert board.text(bars=True) == picture
    assert board.winner() == {"X": 1, "O": -1}[winner]
    assert Board.from_text(picture) == board
    replay = iter(map(int, moves))
    assert Board().run(lambda _: next(replay), lambda _: next(replay)) == board.winner()


def test_a_board_of_2_by_2_is_printed_filled_and_allows_what_the_document_says():
    board = Board.from_moves("0011", width=2, height=2, first=0)
    assert board.text(bars=True) == expected("repr Board(2,2).setBoard('0011')")
    assert board.is_full() == expected("isFull 2x2 0011")
    after_two = Board.from_moves("00", width=2, height=2, first=0)
    allowed = [after_two.allows(column) for column in range(-1, 3)]
    assert allowed == expected("allowsMove(-1..2) after two in col 0 of 2x2")
    assert not after_two.is_full()


def test_the_full_board_of_7_by_6_without_a_winner():
    picture = expected("  its repr")
    board = Board.from_text(picture)
    assert [board.is_full()] == expected("full 7x6 without win")
    assert (board.winner(), board.is_finished(), board.legal_moves(), board.empty_cells) == (0, True, [], 0)
    assert board.text(bars=True) == picture


def test_the_board_of_the_scores_is_printed_as_in_the_document():
    rows = ["| | | | | | | |"] * 2 + ["| | | | |X| | |", "| |O| | |O| | |", "| |X|X| |X| | |", "| |X|O| |O|O| |"]
    picture = "\n".join([*rows, "-" * 15, " 0 1 2 3 4 5 6"])
    board = Board.from_moves("1211244445", first=0)
    assert board.text(bars=True) == picture
    assert board == Board.from_text(picture) == laid("1211244445")
    assert board.to_move == 1
    assert board.winning_moves(-1) == [3], "the document: O would win at once in column 3"
    assert board.winning_moves(1) == []


def test_stones_after_a_win_are_shown_by_the_helper_and_refused_by_the_engine():
    board = laid("01020305")
    assert [board.has_won(1), board.has_won(-1)] == [True, False]
    rows = ["| | | | | | | |"] * 2 + ["|X| | | | | | |"] * 3 + ["|X|O|O|O| |O| |"]
    assert board.text(bars=True) == "\n".join([*rows, "-" * 15, " 0 1 2 3 4 5 6"])
    refused(lambda: Board.from_moves("01020305", first=0), "moves must", "move 8", "player 1 has won")
    refused(lambda: Board.from_grid(board.grid), "grid must", "the player who would move next has 4 in a row")
    assert Board.from_moves("0102030", first=0).winner() == 1


def test_the_steps_of_document_001_on_a_state():
    """Play, undo, see the counts kept up to date, and ask whether the stone on top completed a row."""
    board = Board()
    state = (board.to_move, board.empty_cells, board.free_cells)
    assert state == (1, 42, (6, 6, 6, 6, 6, 6, 6))
    for column in (3, 4, 3, 4, 3, 4):
        board.play(column)
        assert not board.top_in_a_row(column)
    before = everything(board)
    board.play(3)
    assert (board.to_move, board.empty_cells, board.free_cells) == (-1, 35, (6, 6, 6, 2, 3, 6, 6))
    assert (board.top_in_a_row(3), board.top_in_a_row(4)) == (True, False)
    board.undo(3)
    assert everything(board) == before


def test_the_engine_of_document_000():
    """reset, has_won, play(x, player), is_finished and run: a player is anything that chooses a column."""
    board = Board()
    for turn, column in enumerate([0, 1, 0, 1, 0, 1, 0]):
        assert not board.has_won()
        assert not board.is_finished()
        board.play(column, 1 if turn % 2 == 0 else -1)
    assert board.has_won()
    assert board.is_finished()
    assert board.winner() == 1
    board.reset()
    assert board == Board()
    assert board.run(lambda b: 0, lambda b: 1) == 1
    board.reset()
    assert board.run(lambda b: b.plies % 7, lambda b: 0 if b.allows(0) else 1) in (1, -1, 0)
    assert Board().run(lambda b: 1 + b.plies % 3, lambda b: 0) == -1
