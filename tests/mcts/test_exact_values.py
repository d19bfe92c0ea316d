"""Exact values of moves: against published ones, and against plain recursion with other rules and other code."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from mcts.games import exact
from tests.internals import Breakthrough, DotsAndBoxes, Hex
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
    for move in board.history:
        position = next(after for one, after, _ in position.after() if one == move)
    return position


def played(start: Any, plies: int, seed: int) -> Any:
    """An unfinished position after so many random moves."""
    draw = random.Random(seed)
    while True:
        board = start
        while len(board.history) < plies and board.result() is None:
            board = board.play(draw.choice(board.moves()))
        if board.result() is None:
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
        assert dict(zip(board.moves(), board.plies(), strict=True)) == wanted
        assert board.scores() == [1 if length > 0 else -1 for length in wanted.values()]


def test_cells_of_a_proof_rule_out_no_move_where_only_a_quick_win_is_refuted():
    board = Hex(4)
    for cell in (8, 2, 11, 12, 1):
        board = board.play(cell)
    exact._search.cache_clear()  # what is known from other positions could hide it
    assert board.plies() == [-8, -8, -8, -10, -8, -8, -8, -10, -8, -8, -8]  # by plain recursion too, in 2 s


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
            scores = board.scores()
            move = draw.randrange(len(scores))
            board = board.play(board.moves()[move])
            if board.result() is not None:
                assert scores[move] == 1
                break
            assert scores[move] == -max(board.scores())


def edge_of(board: DotsAndBoxes, move: int) -> tuple[str, int, int]:
    """The name of an edge in the other code."""
    row, place = divmod(move, 2 * board.columns + 1)
    return ("h", row, place) if place < board.columns else ("v", row, place - board.columns)


@pytest.mark.parametrize(("rows", "columns", "plies"), [(1, 1, 0), (1, 3, 0), (3, 1, 2), (2, 2, 4)])
def test_margins_are_those_of_plain_recursion(rows: int, columns: int, plies: int):
    for seed in range(5):
        board = played(DotsAndBoxes(rows, columns), plies, seed)
        drawn = frozenset(edge_of(board, move) for move in board.history)
        rest = naive_games.boxes_by_edge(rows, columns, drawn)
        ahead = board.margin if board.player() == 0 else -board.margin
        assert board.scores() == [ahead + rest[edge_of(board, move)] for move in board.moves()]


@pytest.mark.jit
def test_margins_of_two_by_three_boxes_are_those_of_plain_recursion():
    test_margins_are_those_of_plain_recursion(2, 3, 10)


@pytest.mark.jit
def test_margins_of_small_boards_are_the_known_ones():
    for columns, wanted in enumerate((-1, 0, -1, 0, -1, 0, -1), start=1):
        assert max(DotsAndBoxes(1, columns).scores()) == max(DotsAndBoxes(columns, 1).scores()) == wanted
    assert sorted(DotsAndBoxes(2, 2).scores()) == [0] * 4 + [2] * 8
    assert max(DotsAndBoxes(2, 3).scores()) == -2
    assert max(DotsAndBoxes(2, 4).scores()) == 2


@pytest.mark.jit
def test_three_by_three_boxes_are_lost_by_three_whatever_the_first_edge():
    assert DotsAndBoxes(3, 3).scores() == [-3] * 24


@pytest.mark.jit
def test_the_first_player_of_breakthrough_wins_on_the_known_boards_alone():
    boards = [(4, 2), (4, 3), (4, 4), (4, 5), (5, 2), (5, 3), (5, 4), (6, 2), (6, 3)]
    assert [size for size in boards if max(Breakthrough(*size).scores()) == 1] == [(6, 2), (6, 3)]


@pytest.mark.long
@pytest.mark.jit
def test_the_second_player_wins_breakthrough_of_five_by_five():
    assert Breakthrough(5, 5).scores() == [-1] * 13


@pytest.mark.jit
@pytest.mark.parametrize(("size", "wanted"), [(2, [1, 2]), (3, [2, 3, 4, 5, 6]), (4, [3, 6, 9, 12])])
def test_the_winning_openings_of_hex_are_the_known_ones(size: int, wanted: list[int]):
    assert [cell for cell, score in enumerate(Hex(size).scores()) if score > 0] == wanted


@pytest.mark.long
@pytest.mark.jit
def test_the_openings_of_hex_are_alike_when_the_board_is_turned():
    scores = Hex(5).scores()
    assert scores == scores[::-1]
    assert scores[12] == 1


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


@pytest.mark.parametrize("start", [DotsAndBoxes(1, 1), Hex(2)], ids=lambda start: type(start).__name__)
def test_a_finished_position_is_refused_in_one_sentence(start: Any):
    finished = start
    while finished.result() is None:
        finished = finished.play(finished.moves()[0])
    for asked in (finished.scores, getattr(finished, "plies", finished.scores)):
        assert refused(asked).startswith("board must be a position that is not finished; got ")


@pytest.mark.parametrize(
    ("board", "sentence"),
    [
        (DotsAndBoxes(3, 4), "board must have at most 24 edges to be solved; got one with 31"),
        (Hex(6), "board must have at most 31 cells and 120 moves left to be solved; got one with 36"),
        (
            Breakthrough(15, 2, 7),
            "board must have at most 31 cells and 120 moves left to be solved; got one with 30",
        ),
    ],
)
def test_larger_boards_are_refused_in_one_sentence(board: Any, sentence: str):
    refused(board.scores, sentence)
