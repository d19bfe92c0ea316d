"""The prose of the documents: 000 (engine), 001 (state) and 003 (the board of its scores, and stones after a win).

The 47 examples that document 003 prints are in `test_lookahead`. It lays stones on a board without rules; `set_board`
does so there, and the engine refuses such strings.
"""

from __future__ import annotations

from connect4 import Board
from tests.connect4.test_board import everything
from tests.connect4.test_lookahead import set_board
from tests.refusals import refused


def test_the_board_of_the_scores_is_printed_as_in_the_document():
    rows = ["| | | | | | | |"] * 2 + ["| | | | |X| | |", "| |O| | |O| | |", "| |X|X| |X| | |", "| |X|O| |O|O| |"]
    picture = "\n".join([*rows, "-" * 15, " 0 1 2 3 4 5 6"])
    board = Board.from_moves("1211244445", first=0)
    assert board.text(bars=True) == picture
    assert board == Board.from_text(picture) == set_board("1211244445")
    assert board.to_move == 1
    assert board.winning_moves(-1) == [3], "the document: O would win at once in column 3"
    assert board.winning_moves(1) == []


def test_stones_after_a_win_are_shown_by_the_helper_and_refused_by_the_engine():
    board = set_board("01020305")
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
