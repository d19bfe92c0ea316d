"""Minimax: the same values as a search that prunes nothing, on bitboards and for a user's heuristic."""

from __future__ import annotations

import functools
import json
import math
import textwrap
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from connect4 import Board, lines_through_cells
from connect4.players import Minimax
from connect4.players.minimax import best_columns
from experiments.players import make_player
from tests.connect4 import naive_search
from tests.connect4.matches import points_of
from tests.connect4.positions import undecided
from tests.refusals import refused

pytestmark = pytest.mark.kernels

SIZES = [(7, 6, 4), (4, 4, 4), (5, 4, 3), (3, 3, 3), (6, 7, 4), (2, 2, 2), (8, 7, 4), (3, 5, 4), (5, 5, 5)]
DEEP_SIZES = [(4, 4, 4), (5, 4, 4), (4, 5, 3), (7, 6, 4)]


def weigh(board: Board):
    """The default heuristic on columns of stones, cell by cell."""
    weights = lines_through_cells(board.width, board.height, board.connect)[::-1]

    def heuristic(columns: naive_search.Columns) -> float:
        return float(sum(stone * weights[r, c] for c, column in enumerate(columns) for r, stone in enumerate(column)))

    return heuristic


def decoded(value: int) -> tuple[float, int]:
    """A value of the kernels as the twin writes it."""
    from tests.internals import WIN

    if abs(value) < WIN // 2:
        return (float(value), 0)
    return (math.inf, int(value) - WIN) if value > 0 else (-math.inf, int(value) + WIN)


def agree(board: Board, depth: int) -> None:
    """Hold every way to search against the twin: all values on the open window, the best ones when pruned."""
    from tests.internals import CLOSED, column_values

    expected = naive_search.column_values(board, board.to_move, depth, weigh(board))
    best = max(expected.values())
    columns = [column for column, value in expected.items() if value == best]
    weights = np.ascontiguousarray(lines_through_cells(board.width, board.height, board.connect)[::-1].T)
    for wide in (False, True):
        values = column_values(board, board.to_move, weights, depth, wide=wide)
        found = {column: decoded(value) for column, value in enumerate(values) if value != CLOSED}
        assert found == expected, (board, depth, wide)
        pruned = column_values(board, board.to_move, weights, depth, only_best=True, wide=wide)
        assert decoded(pruned.max()) == best
        assert np.flatnonzero(pruned == pruned.max()).tolist() == columns, (board, depth, wide)
    assert Minimax(depth=depth).evaluate(board) == (best[0], columns)
    assert best_columns(board, lambda one: weigh(one)(naive_search.columns_of(one)), depth) == (best, columns)


@pytest.mark.parametrize(("width", "order"), [(7, [3, 2, 4, 1, 5, 0, 6]), (6, [2, 3, 1, 4, 0, 5]), (1, [0])])
@pytest.mark.jit
def test_a_heuristic_is_asked_from_the_middle_outwards(width: int, order: list[int]):
    asked: list[list[int]] = []
    best_columns(Board(width, 6), lambda board: asked.append(board.moves) or 0.0, 2)
    first, replies = zip(*asked[:width], strict=True)
    assert (set(first), list(replies)) == ({order[0]}, order), "no reply to the first move is pruned"
    tried = [move for move, _ in asked]
    assert list(dict.fromkeys(tried)) == order


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_every_search_gives_the_values_and_the_moves_of_a_search_without_pruning(depth: int):
    for board in undecided(27 if depth < 3 else 18, SIZES, seed=depth):
        agree(board, depth)


@pytest.mark.long
@pytest.mark.jit
def test_deep_searches_agree_with_the_search_without_pruning_too():
    for board in undecided(12, DEEP_SIZES, seed=7):
        agree(board, 4 if board.width == 7 else 5)
    late = [board for board in undecided(200, [(7, 6, 4)], seed=8) if board.plies >= 24]
    assert len(late) >= 6
    for board in late[:6]:
        agree(board, 5)


@pytest.mark.jit
def test_bitboards_of_one_word_and_of_two_agree_deeper_than_a_naive_search_can_follow():
    from tests.internals import column_values

    for board in undecided(40, [(7, 6, 4), (9, 5, 5), (8, 7, 4), (12, 4, 4)], seed=5):
        weights = np.ascontiguousarray(lines_through_cells(board.width, board.height, board.connect)[::-1].T)
        both = [column_values(board, board.to_move, weights, 8, wide=wide) for wide in (False, True)]
        assert both[0].tolist() == both[1].tolist()


PONS = json.loads((Path(__file__).parents[1] / "data" / "pons_late_positions.json").read_text(encoding="utf-8"))


def score(value: tuple[float, int], plies: int) -> int:
    """A value as a score by Pons: how many stones before the last the side to move wins, negated if it loses."""
    worth, away = value
    return 0 if worth == 0 else int(math.copysign((43 - (plies + abs(away) - 1)) // 2, worth))


@pytest.mark.jit
def test_a_search_to_the_end_of_the_game_finds_the_known_exact_scores():
    from tests.internals import column_values

    nothing = np.zeros((7, 6), dtype=np.int64)
    for moves, exact in PONS["positions"]:
        board = Board.from_moves(moves)
        for wide in (False, True):
            values = column_values(board, board.to_move, nothing, 42, only_best=True, wide=wide)
            assert score(decoded(values.max()), board.plies) == exact, moves
        scores = make_player("lookahead", ply=42).scores_for(board)
        assert max(scores) == 50.0 + 50.0 * np.sign(exact)


def test_the_default_heuristic_is_the_documents_table_of_points():
    # At depth 1 a column is worth the points of the cell where the stone falls.
    assert Minimax(depth=1).evaluate(Board()) == (7.0, [3])
    assert Minimax(depth=1).evaluate(Board.from_moves("4")) == (10 - 7, [3])
    assert Minimax(depth=1).evaluate(Board.from_moves("44")) == (13 - 10 + 7, [3])


@pytest.mark.parametrize(("ties", "column"), [("centre", 3), ("left", 0)])
def test_a_fixed_order_of_ties_decides_without_chance(ties: str, column: int):
    board = Board()
    assert {make_player("minimax", heuristic=flat, depth=2, ties=ties, seed=seed).play(board) for seed in range(8)} == {
        column
    }
    even = Board(4, 4)
    assert make_player("minimax", heuristic=flat, ties="centre", depth=1).play(even) == 1


def test_random_ties_are_equally_likely():
    player, board = make_player("minimax", heuristic=flat, depth=1, seed=4), Board()
    counts = Counter(player.play(board) for _ in range(700))
    assert set(counts) == set(range(7))
    assert max(abs(count - 100) for count in counts.values()) < 45  # five standard deviations


def flat(board: Board) -> float:
    """Nothing is worth anything."""
    return 0.0


def stones_in_the_first_column(board: Board) -> float:
    """Player 1's stones there less the other's."""
    return float(board.grid[:, 0].sum())


def test_a_heuristic_is_named_by_its_path_in_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "heuristics_of_mine.py").write_text(
        textwrap.dedent("""
            def right(board):
                return float((board.grid * range(board.width)).sum())

            def infinite(board):
                return float("inf")

            def spoils(board):
                while not board.is_finished():
                    board.play(board.legal_moves()[0])
                return 0.0

            def none(board):
                return None

            def nan(board):
                return float("nan")

            def fails(board):
                return 1 / 0

            def two(board, other):
                return 0.0

            number = 3
        """)
    )
    monkeypatch.chdir(tmp_path)
    player = make_player("minimax", depth=2, heuristic="heuristics_of_mine.right")
    assert str(player) == "minimax depth=2 heuristic=heuristics_of_mine.right"
    assert player.play(Board()) == 6
    at_once = Board.from_moves("112233")
    assert make_player("minimax", depth=3, heuristic="heuristics_of_mine.infinite").play(at_once) == 3
    assert make_player("minimax", depth=2, heuristic="heuristics_of_mine.spoils").play(at_once) == 3
    said = {
        "none": "must return a number; got None",
        "nan": "must return a number; got nan",
        "fails": "fails on the empty board: ZeroDivisionError: division by zero",
        "two": "missing 1 required positional argument: 'other'",
        "number": "must be quadruplets, a function of a board, or its dotted path",
        "absent": "has no 'absent'",
    }
    for name, part in said.items():
        refused(functools.partial(make_player, "minimax", heuristic=f"heuristics_of_mine.{name}"), "heuristic ", part)


def test_a_heuristic_given_in_python_is_named_by_where_it_stands():
    assert str(make_player("minimax", heuristic=flat)) == "minimax heuristic=tests.connect4.test_minimax.flat"


def test_a_depth_beyond_the_board_searches_the_whole_game():
    assert Minimax(depth=10**9).evaluate(Board(3, 3, 3))[0] == Minimax(depth=9).evaluate(Board(3, 3, 3))[0]
    assert Minimax(depth=100).evaluate(Board(2, 2, 2))[0] == math.inf


@pytest.mark.jit
def test_fifty_games_at_depth_5_against_random_are_nearly_all_won():
    assert points_of(make_player("minimax", depth=5, seed=1), make_player("random", seed=2), 50) >= 49


@pytest.mark.jit
def test_a_deeper_search_is_stronger():
    deep, shallow = make_player("minimax", depth=6, seed=1), make_player("minimax", depth=1, seed=2)
    assert points_of(deep, shallow, 60) >= 42
