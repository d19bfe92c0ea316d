"""The board for people: its rules on every size, its views, texts, lines and documents, and what it refuses."""

from __future__ import annotations

import copy
import functools
import itertools
import pickle
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from connect4 import Board, find_winning_quadruplets, lines_through_cells, notation, winning_lines
from connect4.lines import MOST_BITS
from connect4.order import moves_to
from tests.connect4.naive_search import columns_of, has_row
from tests.connect4.positions import undecided
from tests.refusals import refused

# fmt: off
SIZES = [
    (2, 2, 2), (2, 2, 4), (3, 3, 3), (7, 6, 4), (6, 7, 5), (1, 8, 4), (9, 1, 3), (12, 9, 4), (4, 31, 6), (64, 1, 20),
    (1, 64, 63), (2, 63, 64), (7, 8, 8), (9, 7, 9), (16, 7, 5), (31, 2, 3),
]
# fmt: on


@st.composite
def boards(draw: st.DrawFn, largest: int = 12) -> Board:
    """Draw a position with the moves that led to it."""
    width = draw(st.integers(1, largest))
    height = draw(st.integers(1, min(largest, MOST_BITS // width - 1)))
    board = Board(width, height, draw(st.integers(2, 6)))
    for choice in draw(st.lists(st.integers(0, 10**6), max_size=width * height)):
        legal = board.legal_moves()
        if not legal:
            break
        board.play(legal[choice % len(legal)])
    return board


def everything(board: Board) -> tuple:
    """All that a board shows; equal before and after what must not change it."""
    shown = (board.plies, board.to_move, board.moves, board.heights, board.winner(), board.legal_moves(), board.text())
    return (*shown, board.stones(1), board.stones(-1), hash(board), board.width, board.height, board.connect)


# --- the rules -------------------------------------------------------------------------------------------------------


def test_a_new_board_is_empty_and_the_first_player_begins():
    board = Board()
    assert (board.width, board.height, board.connect) == (7, 6, 4)
    assert (board.to_move, board.plies, board.moves, board.winner(), board.is_finished()) == (1, 0, (), 0, False)
    assert (board.grid.shape, board.grid.dtype, board.grid.any()) == ((6, 7), np.int8, False)


@pytest.mark.parametrize("size", SIZES)
def test_whole_games_keep_the_rules_on_every_size_and_are_taken_back(size: tuple[int, int, int]):
    width, height, connect = size
    board, chance, states = Board(*size), random.Random(str(size)), []
    cells = np.zeros((height, width), dtype=np.int8)
    while legal := board.legal_moves():
        states.append(everything(board))
        heights = [int(np.count_nonzero(cells[:, column])) for column in range(width)]
        assert legal == [column for column in range(width) if heights[column] < height]
        column, mover = chance.choice(legal), board.to_move
        cells[height - 1 - heights[column], column] = mover
        board.play(column)
        assert board.to_move == -mover
        assert board.top_in_a_row(column) == bool(board.winner())
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
    assert Board.from_moves(board.notation, *size) == Board.from_grid(cells, connect) == board
    assert everything(board.mirror().mirror()) == everything(board)
    for state in reversed(states):
        assert board.moves[-1] == board.undo()
        assert everything(board) == state


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


def test_a_player_may_be_named_with_the_move_and_a_column_with_the_undoing():
    board = Board()
    board.play(3, 1)
    board.play(3, player=-1)
    before = everything(board)
    for player in (-1, "X", True):
        refused(lambda player=player: board.play(3, player), "player", repr(player))
    for column in (2, True):
        refused(lambda column=column: board.undo(column), "column", repr(column))
    assert everything(board) == before
    assert [board.undo(3), board.undo()] == [3, 3]
    assert board == Board()


def test_reset_goes_back_to_the_empty_board_or_to_the_grid():
    board = Board.from_moves("4455")
    board.reset()
    assert (board, board.moves) == (Board(), ())
    for board in (Board.from_grid(Board.from_moves("4455").grid), Board.from_grid(Board.from_moves("1").grid).mirror()):
        start = board.copy()
        refused(board.undo, "undo")
        board.play(0)
        board.reset()
        assert board == start


# --- other boards ----------------------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=60)
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


@settings(deadline=None, max_examples=60)
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
    for other in (board, Board.from_grid(board.grid, board.connect)):
        assert eval(repr(other), {"Board": Board}) == board


def test_other_sizes_run_lengths_and_colours_are_other_positions():
    assert Board() != Board(connect=5)
    assert Board() != Board(6, 7)
    assert Board.from_moves("12") != Board.from_moves("21")
    assert Board() != "the empty board"


# --- grids -----------------------------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=60)
@given(boards())
def test_a_grid_is_read_as_it_is_written_with_either_sign_for_the_second_player(board: Board):
    for grid in (board.grid, board.grid.tolist(), board.grid % 3, board.grid.astype(float), (board.grid % 3).tolist()):
        again = Board.from_grid(grid, board.connect)
        assert again == board, "however it came about"
        assert hash(again) == hash(board)
        assert (again.winner(), again.to_move, again.heights) == (board.winner(), board.to_move, board.heights)
        assert again.moves == ()


def test_the_state_of_document_001_has_the_other_player_to_move():
    text = ". . . O . . .\n. . . X . . .\n. . O X . . .\n. . X O X . .\n. O X X O . .\nX O O O X X ."
    board = Board.from_text(text)
    grid = (board.grid % 3).tolist()
    for right in (None, 2, -1):
        assert Board.from_grid(grid, to_move=right) == board
    assert (board.to_move, board.empty_cells, board.free_cells) == (-1, 25, (5, 4, 2, 0, 3, 5, 6))
    assert (board.allows(2), board.allows(3)) == (True, False)
    for wrong in (0, 1, 3, "X", 1.0, True, 2.0):
        refused(lambda wrong=wrong: Board.from_grid(grid, to_move=wrong), "to_move ", repr(wrong))


E, X, O = 0, 1, -1  # noqa: E741


@pytest.mark.parametrize(
    ("grid", "fact"),
    [
        ([[E, E], [X, X]], "2 and 0"),
        ([[E, E], [O, E]], "0 and 1"),
        ([[X, O], [E, X]], "row 0, column 0"),
        ([[E, E, E], [X, O, X], [E, E, E]], "row 1, column 0"),
        ([[X, E], [O, E]], "bottom row"),
        ([[X, X], [O, O], [X, O]], "on top"),
        ([[O, O, O, E, E], [X, X, X, X, O]], "next"),
        ([[O, O, O, O], [X, X, X, X]], "both"),
        ([[O, O, E, E, E], [X, X, X, X, O], [O, O, O, X, O], [X, X, X, X, O]], "last move"),
    ],
)
def test_grids_that_no_game_reaches_are_refused(grid: list[list[int]], fact: str):
    refused(lambda: Board.from_grid(grid), "grid ", fact)


# fmt: off
NO_GRIDS = [
    ("XO", "'XO'"), (5, "5"), (None, "None"), ([], "[]"), ([[]], "[[]]"), ([[0, 1], [0]], "[[0, 1], [0]]"),
    ([[True, False]], "[[True, False]]"), ([["X", "O"]], "[['X', 'O']]"), (np.zeros((2, 2, 2)), "array"),
    ([[0, 3]], "3"), ([[0.5, 0.0]], "0.5"), ([[float("nan"), 0]], "nan"), ([[0, -2]], "-2"),
    ([[1, 2], [1, -1]], "both"), ([[1 + 0j]], "1+0j"), (np.zeros((3, 3), dtype=object), "dtype=object"),
]
# fmt: on


@pytest.mark.parametrize(("grid", "shown"), NO_GRIDS)
def test_what_is_no_grid_is_refused(grid: object, shown: str):
    refused(lambda: Board.from_grid(grid), "grid ", shown)


# --- what is refused -------------------------------------------------------------------------------------------------

NO_COLUMN = [-1, 7, 2**70, 3.0, 0.5, True, np.True_, np.float64(3.0), "3", None, [3], np.array([3]), 3 + 0j]


@pytest.mark.parametrize(
    ("moves", "column", "facts"),
    [
        *(("4453", column, ["from 0 to 6", "got"]) for column in NO_COLUMN),
        ("444444", 3, ["[0, 1, 2, 4, 5, 6]"]),
        ("1213141", 6, ["player 1"]),
        ("472424756645422154157737216635626711335331", 0, ["full"]),
    ],
)
def test_what_is_no_column_or_a_full_one_is_refused_and_changes_nothing(moves: str, column: object, facts: list[str]):
    board = Board.from_moves(moves)
    before = everything(board)
    refused(lambda: board.play(column), "column ", str(column) if type(column) is int else repr(column), *facts)
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


@pytest.mark.parametrize("name", ["width", "height", "connect"])
def test_sizes_that_are_no_board_are_refused_wherever_they_are_given(name: str):
    for value in (0, 65, 10**30, 7.0, "7", None, True, np.nan, [7]):
        for make in (lambda **size: Board(**size), lambda **size: Board.from_moves("", **size)):
            refused(lambda make=make, value=value: make(**{name: value}), name, "to 64", f"{value}")
    refused(lambda: Board.from_grid(np.zeros((6, 65))), "width", "got 65")
    refused(lambda: Board.from_grid(np.zeros((65, 7))), "height", "got 65")
    lines = {"width": find_winning_quadruplets, "height": functools.partial(lines_through_cells, 7)}
    lines["connect"] = functools.partial(winning_lines, 7, 6)
    refused(lambda: lines[name](0), name, "got 0")


@pytest.mark.parametrize("player", [0, 2, -2, True, 1.0, "X"], ids=repr)
def test_players_are_1_and_minus_1_and_an_empty_column_has_no_top(player: object):
    board = Board.from_moves("4455")
    for ask in (board.stones, board.has_won, board.winning_moves):
        refused(lambda ask=ask: ask(player), "player", f"got {player!r}")
    refused(lambda: board.top_in_a_row(6), "column 6")
    refused(lambda: board.top_in_a_row(7), "column", "got 7")


# --- positions as text ---


@settings(deadline=None, max_examples=80)
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


@pytest.mark.parametrize(
    ("moves", "width", "first", "played", "notation"),
    [
        ("4453", 7, 1, (3, 3, 4, 2), "4453"),
        ("4,4,5,3", 7, 1, (3, 3, 4, 2), "4453"),
        (" 4453\n", 7, 1, (3, 3, 4, 2), "4453"),
        ("3342", 7, 0, (3, 3, 4, 2), "4453"),
        ("", 7, 1, (), ""),
        ("10,1,12,12", 12, 1, (9, 0, 11, 11), "10,1,12,12"),
        ("10", 12, 1, (9,), "10"),
        ("0909", 10, 0, (0, 9, 0, 9), "1,10,1,10"),  # from 0 to 9 a column is one digit
        ([9, 0], 10, 1, (9, 0), "10,1"),
        ([8, 0], 9, 1, (8, 0), "91"),
    ],
)
def test_strings_count_from_1_or_0_and_commas_separate_columns_above_9(moves, width, first, played, notation):
    board = Board.from_moves(moves, width=width, first=first)
    assert (board.moves, board.notation) == (played, notation)


@pytest.mark.parametrize(
    ("moves", "width", "parts"),
    [
        ("0", 7, ["1 to 7", "move 1", "'0'"]),
        ("448", 7, ["move 3", "'8'"]),
        ("44x", 7, ["move 3", "'x'"]),
        ("4²", 7, ["move 2", "'²'"]),
        ("٤", 7, ["move 1"]),
        ("4,,4", 7, ["move 2", "''"]),
        ("4453", 12, ["1 to 12", "commas", "'4453'"]),
        ("13,1", 12, ["move 1", "'13'"]),
        ("9" * 5000, 12, ["got '9999", "…"]),
        (None, 7, ["None"]),
        ([3, 7], 7, ["move 2", "0 to 6", "7"]),
        ([3, 1.0], 7, ["move 2", "1.0"]),
        ([True], 7, ["move 1", "True"]),
        ("4444444", 7, ["move 7", "column 4", "[1, 2, 3, 5, 6, 7]"]),
        ("12131415", 7, ["move 8", "column 5", "player 1"]),
    ],
)
def test_moves_that_cannot_be_read_or_played_are_refused(moves: object, width: int, parts: list[str]):
    refused(lambda: Board.from_moves(moves, width=width), "moves ", *parts)


def test_columns_are_counted_from_0_or_1():
    for first in (2, True, None, "1"):
        refused(lambda first=first: Board.from_moves("44", first=first), "first", repr(first))


def test_text_without_bars_has_dots_and_with_bars_blanks_and_wide_columns_stay_above_their_numbers():
    board = Board.from_moves("4455")
    assert str(board) == board.text() == ". . . . . . .\n" * 4 + ". . . O O . .\n. . . X X . .\n1 2 3 4 5 6 7"
    empty = "| | | | | | | |\n"
    assert board.text(bars=True) == (empty * 4 + "| | | |O|O| | |\n| | | |X|X| | |\n" + "-" * 15 + "\n 0 1 2 3 4 5 6")
    wide = Board.from_moves("1,12,11", width=12, height=2)
    _, low, numbers = wide.text().splitlines()
    assert low.index("O") == numbers.index("12") + 1
    _, low, _, numbers = wide.text(bars=True).splitlines()
    assert (low, low.index("O")) == ("| X" + 9 * "|  " + "| X| O|", numbers.index("11") + 1)


def test_text_is_read_in_every_form():
    for text in ("XO.\nOXX", "|X|O| |\n|O|X|X|", "|X|O|.|\n|O|X|X|\n-------\n 0 1 2", "  X O .\n  O X X\n  0 1 2\n"):
        assert Board.from_text(text, connect=3).grid.tolist() == [[1, -1, 0], [-1, 1, 1]], text


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("\n \n", "rows"),
        ("0 1 2\n-----", "rows"),
        ("X?", "'?'"),
        ("|X|XO|", "'XO'"),
        ("X O\nX", "row 1 has 1"),
        ("|X| |\n|O|", "row 1 has 1"),
        (None, "None"),
    ],
)
def test_text_that_shows_no_board_is_refused(text: object, fact: str):
    refused(lambda: Board.from_text(text), "text ", fact)


# --- lines that win ---


SHAPES = [(7, 6, 4), (6, 7, 4), (4, 4, 4), (3, 9, 4), (9, 3, 4), (3, 3, 4), (5, 5, 3), (8, 8, 5), (2, 2, 2), (1, 9, 3)]


@pytest.mark.parametrize(("width", "height", "connect"), SHAPES)
def test_lines_are_the_runs_of_cells_in_one_direction_and_all_of_them(width: int, height: int, connect: int):
    across, up = max(0, width - connect + 1), max(0, height - connect + 1)
    lines = winning_lines(width, height, connect)
    assert len(lines) == len({frozenset(line) for line in lines}) == across * height + up * width + 2 * across * up
    counts = lines_through_cells(width, height, connect)
    assert counts.shape == (height, width)
    for row, column in np.ndindex(height, width):
        assert counts[row, column] == sum((row, column) in line for line in lines)
    for line in lines:
        steps = {(b[0] - a[0], b[1] - a[1]) for a, b in itertools.pairwise(line)}
        assert len(line) == connect
        assert len(steps) == 1
        assert steps <= {(0, 1), (1, 0), (1, 1), (-1, 1)}
        assert all(0 <= row < height and 0 <= column < width for row, column in line)


def test_the_lines_through_each_cell_are_the_weights_of_document_001():
    upper = [[3, 4, 5, 7, 5, 4, 3], [4, 6, 8, 10, 8, 6, 4], [5, 8, 11, 13, 11, 8, 5]]
    assert lines_through_cells().tolist() == upper + upper[::-1]
    assert find_winning_quadruplets() == find_winning_quadruplets(7, 6) == [*winning_lines(7, 6, 4)]


# --- moves to a position ---


def test_moves_are_found_for_every_position_of_a_game():
    boards = undecided(60, [(7, 6, 4), (4, 4, 3), (9, 9, 5)], seed=5)
    assert len(boards) > 30
    for board in boards:
        assert moves_to(board) == board.moves
        found = moves_to(Board.from_grid(board.grid, board.connect))
        assert Board.from_moves(found, board.width, board.height, board.connect) == board


def test_a_position_without_an_order_of_moves_is_refused():
    below = np.array([[2], [2], [1], [1]])  # the second player has laid both stones on top
    for grid in (below, Board.from_moves("1212121").grid):
        refused(lambda grid=grid: moves_to(Board.from_grid(grid)), "board ")
