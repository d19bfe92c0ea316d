"""Exact values of moves: against published ones, and against plain recursion with other rules and other code."""

from __future__ import annotations

import functools
import random
from typing import Any

import numpy as np
import pytest

from mcts.games import exact
from mcts.games.breakthrough import Breakthrough
from mcts.games.dots_and_boxes import DotsAndBoxes
from mcts.games.exact import margins_of, plies_of, values_of
from mcts.games.hex import Hex
from tests.mcts import naive_games
from tests.mcts.naive_games import NaiveBreakthrough, NaiveHex
from tests.refusals import refused

pytestmark = pytest.mark.kernels


def naive_of(board: Any) -> Any:
    """The position of a board in the other code."""
    if isinstance(board, Hex):
        position: Any = NaiveHex(board.size)
    else:
        position = NaiveBreakthrough.start(board.rows, board.columns)
    for move in board.moves:
        position = next(after for one, after, _ in position.after() if one == move)
    return position


def played(start: Any, plies: int, seed: int) -> Any:
    """An unfinished position after so many random moves."""
    draw = random.Random(seed)
    while True:
        board = start.copy()
        while len(board.moves) < plies and not board.is_finished():
            board.play(draw.choice(board.legal_moves()))
        if not board.is_finished():
            return board


@pytest.mark.parametrize(
    ("start", "plies", "count"),
    [
        (Hex(2), 0, 1),
        (Hex(3), 2, 4),
        (Hex(4), 8, 10),
        (Hex(5), 17, 10),
        (Breakthrough(4, 2), 0, 1),
        (Breakthrough(4, 3), 4, 10),
        (Breakthrough(6, 2), 6, 5),
        (Breakthrough(5, 4), 20, 4),
    ],
    ids=lambda part: type(part).__name__,
)
def test_values_and_lengths_are_those_of_plain_recursion(start: Any, plies: int, count: int):
    for seed in range(count):
        board = played(start, plies, seed)
        wanted = naive_games.plies_by_move(naive_of(board))
        assert dict(zip(board.legal_moves(), plies_of(board).tolist(), strict=True)) == wanted
        values = values_of(board)
        assert values.dtype == np.float64
        assert values.tolist() == [float(length > 0) for length in wanted.values()]


def test_cells_of_a_proof_rule_out_no_move_where_only_a_quick_win_is_refuted():
    board = Hex(4)
    for cell in (8, 2, 11, 12, 1):
        board.play(cell)
    exact._search.cache_clear()  # what is known from other positions could hide it
    assert plies_of(board).tolist() == [-8, -8, -8, -10, -8, -8, -8, -10, -8, -8, -8]  # by plain recursion too, in 2 s


@pytest.mark.long
@pytest.mark.jit
@pytest.mark.parametrize(
    ("start", "plies", "count"),
    [
        (Hex(3), 0, 1),
        (Hex(4), 6, 20),
        (Hex(5), 14, 15),
        (Breakthrough(5, 3), 6, 20),
        (Breakthrough(4, 4), 6, 20),
        (Breakthrough(5, 5), 26, 10),
    ],
    ids=lambda part: type(part).__name__,
)
def test_values_and_lengths_are_those_of_plain_recursion_in_many_positions(start: Any, plies: int, count: int):
    test_values_and_lengths_are_those_of_plain_recursion(start, plies, count)
    naive_games.plies.cache_clear()  # of up to a million positions


@pytest.mark.jit
@pytest.mark.parametrize("start", [Hex(5), Breakthrough(5, 4)], ids=lambda start: type(start).__name__)
def test_the_value_of_a_position_is_that_of_its_best_move_throughout_a_game(start: Any):
    for seed in range(5):
        board, draw = played(start, 4, seed), random.Random(seed)
        while True:
            values = values_of(board)
            move = draw.randrange(values.size)
            board.play(board.legal_moves()[move])
            if board.is_finished():
                assert values[move] == 1.0
                break
            assert values[move] == 1.0 - values_of(board).max()


def edge_of(board: DotsAndBoxes, move: int) -> tuple[str, int, int]:
    """The name of an edge in the other code."""
    row, place = divmod(move, 2 * board.columns + 1)
    return ("h", row, place) if place < board.columns else ("v", row, place - board.columns)


@pytest.mark.parametrize(("rows", "columns", "plies"), [(1, 1, 0), (1, 3, 0), (3, 1, 2), (2, 2, 4)])
def test_margins_are_those_of_plain_recursion(rows: int, columns: int, plies: int):
    for seed in range(5):
        board = played(DotsAndBoxes(rows, columns), plies, seed)
        drawn = frozenset(edge_of(board, move) for move in board.moves)
        rest = naive_games.boxes_by_edge(rows, columns, drawn)
        wanted = [board.margin * board.to_move + rest[edge_of(board, move)] for move in board.legal_moves()]
        assert margins_of(board).tolist() == wanted
        assert values_of(board).tolist() == [0.5 + 0.5 * np.sign(margin) for margin in wanted]


@pytest.mark.jit
def test_margins_of_two_by_three_boxes_are_those_of_plain_recursion():
    test_margins_are_those_of_plain_recursion(2, 3, 10)


@pytest.mark.jit
def test_margins_of_small_boards_are_the_known_ones():
    for columns, wanted in enumerate((-1, 0, -1, 0, -1, 0, -1), start=1):
        assert margins_of(DotsAndBoxes(1, columns)).max() == margins_of(DotsAndBoxes(columns, 1)).max() == wanted
    assert sorted(margins_of(DotsAndBoxes(2, 2)).tolist()) == [0] * 4 + [2] * 8
    assert margins_of(DotsAndBoxes(2, 3)).max() == -2
    assert margins_of(DotsAndBoxes(2, 4)).max() == 2


@pytest.mark.jit
def test_three_by_three_boxes_are_lost_by_three_whatever_the_first_edge():
    assert margins_of(DotsAndBoxes(3, 3)).tolist() == [-3] * 24
    assert values_of(DotsAndBoxes(3, 3)).tolist() == [0.0] * 24


@pytest.mark.jit
def test_the_first_player_of_breakthrough_wins_on_the_known_boards_alone():
    boards = [(4, 2), (4, 3), (4, 4), (4, 5), (5, 2), (5, 3), (5, 4), (6, 2), (6, 3)]
    assert [size for size in boards if values_of(Breakthrough(*size)).max() == 1.0] == [(6, 2), (6, 3)]


@pytest.mark.long
@pytest.mark.jit
def test_the_second_player_wins_breakthrough_of_five_by_five():
    assert values_of(Breakthrough(5, 5)).tolist() == [0.0] * 13


@pytest.mark.jit
@pytest.mark.parametrize(("size", "wanted"), [(2, [1, 2]), (3, [2, 3, 4, 5, 6]), (4, [3, 6, 9, 12])])
def test_the_winning_openings_of_hex_are_the_known_ones(size: int, wanted: list[int]):
    assert np.flatnonzero(values_of(Hex(size))).tolist() == wanted


@pytest.mark.long
@pytest.mark.jit
def test_the_openings_of_hex_are_alike_when_the_board_is_turned():
    values = values_of(Hex(5))
    assert values.tolist() == values[::-1].tolist()
    assert values[12] == 1.0


def test_the_hook_of_hex_answers_every_question_in_parts_of_any_length():
    draw = random.Random(2)
    for seed, (size, plies) in enumerate([(2, 0), (3, 1), (3, 3), (4, 6), (4, 7), (4, 9)]):
        board = played(Hex(size), plies, seed)
        hook, room = board.game.exact_search(), board.game.most_plies
        length = naive_games.plies(naive_of(board))
        truth = (room - abs(length) + 1) * (1 if length > 0 else -1)
        narrow: Any = hook.narrow
        memory, state = hook.memory(board.game.state, draw.choice([1, 100, 10_000])), board.game.state.copy()
        for least in draw.sample(range(1 - room, room + 1), min(2 * room, 8)):
            bounds, calls = np.array([-room, room]), 0
            while bounds[0] < least <= bounds[1]:
                part = draw.choice([1, 3, 50, 10_000])
                assert 0 <= narrow(state, bounds, least, part, memory) <= part
                calls += 1
                assert calls < 100_000
            assert bounds[0] <= truth <= bounds[1]
        np.testing.assert_array_equal(state, board.game.state)


@pytest.mark.parametrize("value", [values_of, plies_of, margins_of])
def test_bad_input_is_refused_in_one_sentence(value: Any):
    finished = DotsAndBoxes(1, 1) if value is margins_of else Hex(2)
    for move in (0, 1, 2, 3)[: 4 if value is margins_of else 3]:
        finished.play(move)
    assert refused(lambda: value(finished)).startswith("board must be a position that is not finished; got ")
    assert refused(functools.partial(value, 3)).endswith("to be solved; got 3")


@pytest.mark.parametrize(
    ("board", "sentence"),
    [
        (DotsAndBoxes(3, 4), "board must have at most 24 edges to be solved; got one with 31"),
        (Hex(6), "board must have at most 31 cells and 120 moves to come, to be solved; got one with 36"),
        (
            Breakthrough(15, 2, 7),
            "board must have at most 31 cells and 120 moves to come, to be solved; got one with 30",
        ),
    ],
)
def test_larger_boards_are_refused_in_one_sentence(board: Any, sentence: str):
    refused(lambda: values_of(board), sentence)
