"""The board for people: its rules on every size, its views, and input that it refuses and survives."""

from __future__ import annotations

import copy
import pickle
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from connect4 import Board
from tests.connect4.naive_search import columns_of, has_row
from tests.connect4.positions import undecided
from tests.connect4.strategies import boards
from tests.refusals import refused

# fmt: off
SIZES = [
    (2, 2, 2), (2, 2, 4), (3, 3, 3), (7, 6, 4), (6, 7, 5), (1, 8, 4), (9, 1, 3), (12, 9, 4), (4, 31, 6),
    (64, 1, 20),
]
# fmt: on
DOCUMENT_001 = [  # the grid that document 001 prints, with the state beside it
    [0, 0, 0, 2, 0, 0, 0],
    [0, 0, 0, 1, 0, 0, 0],
    [0, 0, 2, 1, 0, 0, 0],
    [0, 0, 1, 2, 1, 0, 0],
    [0, 2, 1, 1, 2, 0, 0],
    [1, 2, 2, 2, 1, 1, 0],
]


def everything(board: Board) -> tuple:
    """All that a board shows; equal before and after what must not change it."""
    return (
        board.plies,
        board.to_move,
        board.moves,
        board.heights,
        board.stones(1),
        board.stones(-1),
        board.winner(),
        board.legal_moves(),
        board.text(),
        hash(board),
        board.width,
        board.height,
        board.connect,
    )


# --- the rules -------------------------------------------------------------------------------------------------------


def test_a_new_board_is_empty_and_the_first_player_begins():
    board = Board()
    assert (board.width, board.height, board.connect) == (7, 6, 4)
    assert (board.to_move, board.plies, board.moves, board.winner(), board.is_finished()) == (1, 0, (), 0, False)
    assert board.legal_moves() == [0, 1, 2, 3, 4, 5, 6]
    assert board.grid.shape == (6, 7)
    assert board.grid.dtype == np.int8
    assert not board.grid.any()


@pytest.mark.parametrize("size", SIZES)
def test_whole_games_keep_the_rules_on_every_size(size: tuple[int, int, int]):
    width, height, connect = size
    board, chance = Board(*size), random.Random(str(size))
    cells = np.zeros((height, width), dtype=np.int8)
    while legal := board.legal_moves():
        heights = [int(np.count_nonzero(cells[:, column])) for column in range(width)]
        assert legal == [column for column in range(width) if heights[column] < height]
        column, mover = chance.choice(legal), board.to_move
        cells[height - 1 - heights[column], column] = mover
        board.play(column)
        assert board.to_move == -mover
        assert board.heights == tuple((cells != 0).sum(axis=0))
        assert board.free_cells == tuple((cells == 0).sum(axis=0))
        assert board.empty_cells == sum(board.free_cells)
    np.testing.assert_array_equal(board.grid, cells)
    won = [has_row(columns_of(board), connect, player) for player in (1, -1)]
    assert [board.has_won(1), board.has_won(-1)] == won
    assert board.has_won() == any(won) == bool(board.winner())
    assert board.winner() == (-board.to_move if any(won) else 0)
    assert board.is_finished()
    assert board.is_full() == (board.empty_cells == 0) == bool(cells.all())
    assert Board.from_moves(board.notation, *size) == board
    assert all(board.top_in_a_row(column) for column in [board.moves[-1]] if any(won))


@pytest.mark.parametrize(
    ("width", "height"),
    [
        (width, height)
        for width in (1, 2, 7, 8, 9, 10, 16, 31, 63, 64)
        for height in (1, 2, 6, 7, 8, 31, 63, 64)
        if width * (height + 1) <= 128
    ],
)
def test_every_size_from_1_to_64_fills_up(width: int, height: int):
    board = Board(width, height, 64 if width < 64 > height else 63)
    order = [column for column in range(width) for _ in range(height)]
    for column in order:
        if board.is_finished():
            break
        board.play(column)
    assert board.is_finished()
    mirrored = board.mirror().mirror()
    assert mirrored == board
    assert mirrored.moves == board.moves
    assert Board.from_grid(board.grid, board.connect) == board
    while board.plies:
        board.undo()
    assert board == Board(width, height, board.connect)


@pytest.mark.parametrize(
    ("moves", "row"),
    [
        ("1213141", [(2, 0), (3, 0), (4, 0), (5, 0)]),
        ("1122334", [(5, 0), (5, 1), (5, 2), (5, 3)]),
        ("12234334544", [(2, 3), (3, 2), (4, 1), (5, 0)]),
        ("76654554344", [(2, 3), (3, 4), (4, 5), (5, 6)]),
        ("1122335577664", [(5, column) for column in range(7)]),
    ],
)
def test_rows_win_upwards_along_and_both_ways_across(moves: str, row: list[tuple[int, int]]):
    board = Board.from_moves(moves)
    assert (board.winner(), board.has_won(1), board.has_won(-1)) == (1, True, False)
    assert board.winning_line() == sorted(row)
    assert len(board.winning_rows()) == len(row) - 3
    assert board.legal_moves() == []
    before = Board.from_moves(moves[:-1])
    assert before.winner() == 0
    assert before.winning_line() == []
    assert int(moves[-1]) - 1 in before.winning_moves()


def test_winning_moves_are_those_after_which_somebody_has_won():
    for board in undecided(60, [(7, 6, 4), (5, 4, 3), (6, 6, 2), (10, 8, 4)]):
        for player in (1, -1):
            found = []
            for column in board.legal_moves():
                columns = columns_of(board)
                columns[column].append(player)
                found += [column] if has_row(columns, board.connect, player) else []
            assert board.winning_moves(player) == found
        assert board.winning_moves() == board.winning_moves(board.to_move)


def test_the_top_stone_of_a_column_lies_in_a_row_or_not():
    board = Board.from_moves("1122334")
    assert [board.top_in_a_row(column) for column in range(4)] == [False, False, False, True]
    assert [Board.from_moves("121314").top_in_a_row(column) for column in range(4)] == [False] * 4
    upright = Board.from_moves("1213141")
    assert [upright.top_in_a_row(column) for column in range(4)] == [True, False, False, False]
    three = Board.from_moves("11223", connect=3)
    assert [three.top_in_a_row(column) for column in range(3)] == [False, False, True]
    refused(lambda: board.top_in_a_row(6), "column 6", "empty")
    refused(lambda: board.top_in_a_row(7), "column", "from 0 to 6", "got 7")


def test_a_player_may_be_named_with_the_move_and_a_column_with_the_undoing():
    board = Board()
    board.play(3, 1)
    board.play(3, player=-1)
    before = everything(board)
    refused(lambda: board.play(3, -1), "player must be 1", "got -1")
    refused(lambda: board.play(3, "X"), "player must be 1", "got 'X'")
    refused(lambda: board.play(3, True), "player must be 1", "got True")
    refused(lambda: board.undo(2), "column must be 3", "got 2")
    refused(lambda: board.undo(True), "column", "got True")
    assert everything(board) == before
    assert board.undo(3) == 3
    assert board.undo() == 3
    assert board == Board()


def test_reset_goes_back_to_the_empty_board_or_to_the_grid():
    board = Board.from_moves("4455")
    board.reset()
    assert board == Board()
    assert board.moves == ()
    given = Board.from_grid(Board.from_moves("4455").grid)
    given.play(0)
    given.reset()
    assert given == Board.from_moves("4455")
    refused(given.undo, "undo", "none was played")
    lopsided = Board.from_grid(Board.from_moves("1").grid).mirror()
    lopsided.play(0)
    lopsided.reset()
    assert lopsided == Board.from_moves("7")


# --- other boards ----------------------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=150)
@given(boards(), st.data())
def test_playing_and_undoing_is_nothing_at_all(board: Board, data: st.DataObject):
    states = [everything(board)]
    while board.legal_moves() and data.draw(st.booleans()):
        board.play(data.draw(st.sampled_from(board.legal_moves())))
        states.append(everything(board))
    for state in reversed(states[:-1]):
        column = board.undo()
        assert everything(board) == state
        assert column in board.legal_moves()
    while board.plies:
        board.undo()
    assert board == Board(board.width, board.height, board.connect)


@settings(deadline=None, max_examples=150)
@given(boards(), st.data())
def test_mirroring_and_playing_commute(board: Board, data: st.DataObject):
    turned = board.mirror()
    np.testing.assert_array_equal(turned.grid, board.grid[:, ::-1])
    assert everything(turned.mirror()) == everything(board)
    assert (turned.winner(), turned.to_move) == (board.winner(), board.to_move)
    assert turned.legal_moves() == sorted(board.width - 1 - column for column in board.legal_moves())
    if board.legal_moves():
        column = data.draw(st.sampled_from(board.legal_moves()))
        board.play(column)
        turned.play(board.width - 1 - column)
        assert everything(board.mirror()) == everything(turned)


@settings(deadline=None, max_examples=150)
@given(boards())
def test_copies_and_pickles_are_the_same_board_and_live_on_their_own(board: Board):
    before = everything(board)
    for other in (board.copy(), copy.copy(board), copy.deepcopy(board), pickle.loads(pickle.dumps(board))):
        assert other == board
        assert everything(other) == before
        for _ in range(other.plies):
            other.undo()
        if other.legal_moves():
            other.play(other.width - 1)
        assert everything(board) == before
        other.reset()
        assert other.plies == 0


@settings(deadline=None, max_examples=100)
@given(boards(largest=7), st.randoms(use_true_random=False))
def test_positions_are_equal_however_they_came_about(board: Board, chance: random.Random):
    columns = columns_of(board)
    again, left = Board(board.width, board.height, board.connect), [list(stones) for stones in columns]
    for _ in range(200):  # moves of the same stones in another order, as far as the turns allow
        fitting = [column for column, stones in enumerate(left) if stones and stones[0] == again.to_move]
        if not fitting or again.is_finished():
            break
        column = chance.choice(fitting)
        left[column].pop(0)
        again.play(column)
    same = columns_of(again) == columns
    assert (again == board) == same
    if same:
        assert hash(again) == hash(board)
        assert {again: 1}[board] == 1


def test_transpositions_are_one_position_and_other_sizes_and_run_lengths_are_others():
    assert Board.from_moves("123") == Board.from_moves("321")
    assert len({Board.from_moves("123"), Board.from_moves("321"), Board.from_grid(Board.from_moves("123").grid)}) == 1
    assert Board() != Board(connect=5)
    assert Board() != Board(6, 7)
    assert Board.from_moves("12") != Board.from_moves("21")
    assert Board() != "the empty board"


@settings(deadline=None, max_examples=60)
@given(boards(largest=10))
def test_what_a_board_prints_of_itself_makes_it_again(board: Board):
    assert eval(repr(board), {"Board": Board}) == board
    based = Board.from_grid(board.grid, board.connect)
    assert eval(repr(based), {"Board": Board}) == board


# --- grids -----------------------------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=150)
@given(boards())
def test_a_grid_is_read_as_it_is_written_with_either_sign_for_the_second_player(board: Board):
    for grid in (board.grid, board.grid.tolist(), board.grid % 3, board.grid.astype(float), (board.grid % 3).tolist()):
        again = Board.from_grid(grid, board.connect)
        assert again == board
        assert (again.winner(), again.to_move, again.heights) == (board.winner(), board.to_move, board.heights)
        assert again.moves == ()


def test_the_state_of_document_001_is_refused_because_its_other_player_is_to_move():
    message = refused(lambda: Board.from_grid(DOCUMENT_001, to_move=1), "to_move must be -1", "got 1")
    assert "the first player has 9 stones and the second 8" in message
    board = Board.from_grid(DOCUMENT_001, to_move=2)
    assert board == Board.from_grid(DOCUMENT_001) == Board.from_grid(DOCUMENT_001, to_move=-1)
    assert (board.to_move, board.empty_cells, board.free_cells) == (-1, 25, (5, 4, 2, 0, 3, 5, 6))
    assert (board.grid % 3).tolist() == DOCUMENT_001
    assert board.allows(2), "the document: 2 can be played ..."
    assert not board.allows(3), "... but not 3"
    assert str(board).splitlines()[:2] == [". . . O . . .", ". . . X . . ."]
    for wrong in (0, 3, "X", 1.0, True, 2.0):
        refused(lambda wrong=wrong: Board.from_grid(DOCUMENT_001, to_move=wrong), "to_move must be -1", f"{wrong!r}")


E, X, O = 0, 1, -1  # noqa: E741


@pytest.mark.parametrize(
    ("grid", "parts"),
    [
        ([[E, E], [X, X]], ["as many stones", "got 2 and 0"]),
        ([[E, E], [O, E]], ["as many stones", "got 0 and 1"]),
        ([[X, O], [E, X]], ["no floating stones", "row 0, column 0"]),
        ([[E, E, E], [X, O, X], [E, E, E]], ["no floating stones", "row 1, column 0"]),
        ([[X, E], [O, E]], ["no stone in the bottom row belongs to the first player"]),
        ([[X, X], [O, O], [X, O]], ["no stone on top of a column belongs to the player who moved last"]),
        ([[O, O, O, E, E], [X, X, X, X, O]], ["the player who would move next has 4 in a row"]),
        ([[O, O, O, O], [X, X, X, X]], ["both players have 4 in a row"]),
        (
            [[O, O, E, E, E], [X, X, X, X, O], [O, O, O, X, O], [X, X, X, X, O]],
            ["no last move can have completed every row of 4"],
        ),
    ],
)
def test_grids_that_no_game_reaches_are_refused(grid: list[list[int]], parts: list[str]):
    refused(lambda: Board.from_grid(grid), "grid must", *parts)


@pytest.mark.parametrize(
    ("grid", "shown"),
    [
        ("XO", "'XO'"),
        (5, "5"),
        (None, "None"),
        ([], "[]"),
        ([[]], "[[]]"),
        ([[0, 1], [0]], "[[0, 1], [0]]"),
        ([[True, False]], "[[True, False]]"),
        ([["X", "O"]], "[['X', 'O']]"),
        (np.zeros((2, 2, 2)), "array"),
        ([[0, 3]], "3"),
        ([[0.5, 0.0]], "0.5"),
        ([[float("nan"), 0]], "nan"),
        ([[0, -2]], "-2"),
        ([[1, 2], [1, -1]], "both"),
        ([[1 + 0j]], "1+0j"),
        (np.zeros((3, 3), dtype=object), "dtype=object"),
    ],
)
def test_what_is_no_grid_is_refused(grid: object, shown: str):
    refused(lambda: Board.from_grid(grid), "grid must", shown)


def test_grids_larger_than_a_board_and_rows_of_one_are_refused():
    refused(lambda: Board.from_grid(np.zeros((6, 65))), "width", "from 1 to 64", "got 65")
    refused(lambda: Board.from_grid(np.zeros((65, 7))), "height", "from 1 to 64", "got 65")
    refused(lambda: Board.from_grid(np.zeros((6, 7)), connect=1), "connect", "from 2 to 64", "got 1")


# --- what is refused -------------------------------------------------------------------------------------------------

# fmt: off
NO_COLUMN = [
    -1, 7, 2**70, 3.0, 0.5, True, False, np.True_, np.float64(3.0), "3", "", None, [3], (3,), np.array([3]), 3 + 0j,
]
# fmt: on


@pytest.mark.parametrize("column", NO_COLUMN, ids=repr)
def test_what_is_no_column_is_refused_and_changes_nothing(column: object):
    board = Board.from_moves("4453")
    before = everything(board)
    shown = str(column) if isinstance(column, int) and not isinstance(column, bool) else repr(column)
    refused(lambda: board.play(column), "column must", "from 0 to 6", f"got {shown}")
    assert everything(board) == before
    assert not board.allows(column)


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int32, np.int64, np.uint64, np.intp])
def test_numpy_integers_are_columns_and_are_kept_as_plain_ones(kind: type):
    board = Board()
    board.play(kind(3))
    board.play(kind(6), kind(1) * -1 if np.issubdtype(kind, np.signedinteger) else None)
    assert board == Board.from_moves("47")
    assert [type(move) for move in board.moves] == [int, int]
    assert Board.from_moves(np.array([3, 6], dtype=kind)) == board
    assert board.allows(kind(3))
    assert board.undo(kind(6)) == 6


def test_a_full_column_and_a_finished_game_are_refused_and_change_nothing():
    full = Board.from_moves("444444")
    won = Board.from_moves("1213141")
    drawn = Board.from_moves("1122", 2, 2)
    for board, column, why in (
        (full, 3, "it is full; open columns are [0, 1, 2, 4, 5, 6]"),
        (won, 6, "the game is over (player 1 has won)"),
        (won, 0, "the game is over (player 1 has won)"),
        (drawn, 1, "the game is over (the board is full)"),
    ):
        before = everything(board)
        refused(lambda board=board, column=column: board.play(column), f"column {column} cannot be played", why)
        assert everything(board) == before
        assert not board.allows(column)
    assert full.allows(2)


@pytest.mark.parametrize("name", ["width", "height", "connect"])
@pytest.mark.parametrize("value", [0, -1, 65, 10**30, 7.0, "7", None, True, np.nan, [7]], ids=repr)
def test_sizes_that_are_no_board_are_refused(name: str, value: object):
    low = 2 if name == "connect" else 1
    shown = str(value) if isinstance(value, int) and not isinstance(value, bool) else repr(value)
    refused(lambda: Board(**{name: value}), name, f"from {low} to 64", f"got {shown}")
    refused(lambda: Board.from_moves("", **{name: value}), name, f"from {low} to 64", f"got {shown}")


@pytest.mark.parametrize("player", [0, 2, -2, True, 1.0, "X", None], ids=repr)
def test_players_are_1_and_minus_1(player: object):
    board = Board.from_moves("4455")
    refused(lambda: board.stones(player), "player must be 1 or -1", f"got {player!r}")
    if player is not None:
        refused(lambda: board.has_won(player), "player must be 1 or -1", f"got {player!r}")
        refused(lambda: board.winning_moves(player), "player must be 1 or -1", f"got {player!r}")


@settings(deadline=None, max_examples=60)
@given(boards(largest=8), st.one_of(st.integers(), st.floats(), st.text(), st.none(), st.booleans()))
def test_whatever_is_played_the_board_accepts_it_by_the_rules_or_stays_as_it_was(board: Board, move: object):
    before, legal = everything(board), board.legal_moves()
    if type(move) is int and move in legal:
        board.play(move)
        board.undo()
    else:
        with pytest.raises(ValueError, match="column"):
            board.play(move)
    assert everything(board) == before
