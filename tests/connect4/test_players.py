"""Minimax, look-ahead and levels: against searches that prune nothing, the documents' examples and naive twins."""

from __future__ import annotations

import functools
import json
import math
import re
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from connect4 import Board, lines_through_cells
from connect4.players import Lookahead, Minimax
from connect4.players.minimax import best_columns
from connect4.referee import play_game
from experiments.players import make_player
from tests.connect4 import naive_search
from tests.connect4.positions import undecided
from tests.internals import CLOSED, PREFERENCES, WIN, column_values
from tests.refusals import refused

pytestmark = pytest.mark.kernels

SIZES = [(7, 6, 4), (4, 4, 4), (5, 4, 3), (3, 3, 3), (6, 7, 4), (2, 2, 2), (8, 7, 4), (3, 5, 4), (5, 5, 5)]


def weigh(board: Board):
    """The default heuristic on columns of stones, cell by cell."""
    weights = lines_through_cells(board.width, board.height, board.connect)[::-1]

    def heuristic(columns: naive_search.Columns) -> float:
        return float(sum(stone * weights[r, c] for c, column in enumerate(columns) for r, stone in enumerate(column)))

    return heuristic


def decoded(value: int) -> tuple[float, int]:
    """A value of the kernels as the twin writes it."""
    if abs(value) < WIN // 2:
        return (float(value), 0)
    return (math.inf, int(value) - WIN) if value > 0 else (-math.inf, int(value) + WIN)


def agree(board: Board, depth: int) -> None:
    """Hold every way to search against the twin: all values on the open window, the best ones when pruned."""
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


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_every_search_gives_the_values_and_the_moves_of_a_search_without_pruning(depth: int):
    full_in_two = Board.from_moves([0, 1], 2, 2)
    for board in [full_in_two, *undecided(27 if depth < 3 else 9, SIZES, seed=depth)]:
        agree(board, depth)


@pytest.mark.jit
def test_bitboards_of_one_word_and_of_two_agree_deeper_than_a_naive_search_can_follow():
    for board in undecided(12, [(7, 6, 4), (9, 5, 5), (8, 7, 4), (12, 4, 4)], seed=5):
        weights = np.ascontiguousarray(lines_through_cells(board.width, board.height, board.connect)[::-1].T)
        both = [column_values(board, board.to_move, weights, 7, wide=wide) for wide in (False, True)]
        assert both[0].tolist() == both[1].tolist()


PONS = json.loads((Path(__file__).parents[1] / "data" / "pons_late_positions.json").read_text(encoding="utf-8"))


def score(value: tuple[float, int], plies: int) -> int:
    """A value as a score by Pons: how many stones before the last the side to move wins, negated if it loses."""
    worth, away = value
    return 0 if worth == 0 else int(math.copysign((43 - (plies + abs(away) - 1)) // 2, worth))


@pytest.mark.jit
def test_a_search_to_the_end_of_the_game_finds_the_known_exact_scores():
    nothing = np.zeros((7, 6), dtype=np.int64)
    for moves, exact in PONS["positions"]:
        board = Board.from_moves(moves)
        for wide in (False, True):
            values = column_values(board, board.to_move, nothing, 42, only_best=True, wide=wide)
            assert score(decoded(values.max()), board.plies) == exact, moves
        scores = make_player("lookahead", ply=42).scores_for(board)
        assert max(scores) == 50.0 + 50.0 * np.sign(exact)


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


HEURISTICS = """
def right(board): return float((board.grid * range(board.width)).sum())
def none(board): return None
def infinite(board): return float('inf')
def nan(board): return float('nan')
def fails(board): return 1 / 0
def two(board, other): return 0.0
def spoils(board):
    while not board.is_finished(): board.play(board.legal_moves()[0])
    return 0.0
number = 3
"""


def test_a_heuristic_is_named_by_its_path_in_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "heuristics_of_mine.py").write_text(HEURISTICS)
    monkeypatch.chdir(tmp_path)
    player = make_player("minimax", depth=2, heuristic="heuristics_of_mine.right")
    assert str(player) == "minimax depth=2 heuristic=heuristics_of_mine.right"
    assert str(make_player("minimax", heuristic=flat)) == f"minimax heuristic={__name__}.flat"
    assert player.play(Board()) == 6
    at_once = Board.from_moves("112233")
    assert make_player("minimax", depth=3, heuristic="heuristics_of_mine.infinite").play(at_once) == 3
    assert make_player("minimax", depth=2, heuristic="heuristics_of_mine.spoils").play(at_once) == 3
    said = {"none": "None", "nan": "nan", "fails": "ZeroDivisionError", "two": "'other'", "number": "quadruplets"}
    for name, part in said.items():
        refused(functools.partial(make_player, "minimax", heuristic=f"heuristics_of_mine.{name}"), "heuristic ", part)


def test_a_depth_beyond_the_board_searches_the_whole_game():
    assert Minimax(depth=10**9).evaluate(Board(3, 3, 3))[0] == Minimax(depth=9).evaluate(Board(3, 3, 3))[0]
    assert Minimax(depth=100).evaluate(Board(2, 2, 2))[0] == math.inf


# --- look-ahead ---


EXAMPLES: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[1] / "data" / "lookahead_examples.json").read_text(encoding="utf-8")
)["examples"]
SIDES = {"X": 1, "O": -1}


def set_board(columns: str, width: int = 7, height: int = 6) -> Board:
    """Put stones of X and O in turn without rules: also after a win; on a full column one is lost, and its turn."""
    board, stones, heights, player = Board(width, height), [0, 0], [0] * width, 1
    for column in map(int, columns):
        if heights[column] < height:
            stones[player < 0] |= 1 << (column * (height + 1) + heights[column])
            heights[column] += 1
        player = -player
    board._set(stones, heights, player)
    return board


NO_WIN = Board.from_text(next(one["expected"] for one in EXAMPLES if one["example"] == "  its repr"))
SMALL, COLUMN = Board.from_moves([0, 0, 1, 1], 2, 2), Board.from_moves([0, 0], 2, 2)
SAID = {
    "repr Board(2,2).setBoard('0011')": SMALL.text(bars=True),
    "isFull 2x2 0011": SMALL.is_full(),
    "allowsMove(-1..2) after two in col 0 of 2x2": [COLUMN.allows(column) for column in range(-1, 3)],
    "full 7x6 without win": [NO_WIN.is_full() and NO_WIN.is_finished() and NO_WIN.winner() == 0],
    "  its repr": NO_WIN.text(bars=True),
}


def answer(example: str, moves: str) -> Any:
    """Do what an example of the file says; the moves of a game that is played are compared at once."""
    if found := re.fullmatch(r"Player\('(.)','(\w+)',(\d)\)\.(\w+)\(setBoard\('(\d*)'\)\)", example):
        side, tiebreak, ply, method, columns = found.groups()
        player, board = Lookahead(tiebreak=tiebreak, ply=int(ply)), set_board(columns)
        if method == "scoresFor":
            return player.scores_for(board, SIDES[side])
        assert board.to_move == SIDES[side]
        return player.play(board)
    if found := re.fullmatch(r"scoreBoard (.) of (?:empty|setBoard\('(\d*)'\))", example):
        return Lookahead(ply=0).score_board(set_board(found[2] or ""), SIDES[found[1]])
    if found := re.match(r"tiebreak (\w+)", example):
        return Lookahead(tiebreak=found[1]).tiebreak_move([0, 0, 50, 0, 50, 50, 0])
    if found := re.fullmatch(r"winsFor X,O after setBoard\('(\d*)'\)", example):
        return [set_board(found[1]).has_won(player) for player in (1, -1)]
    if found := re.fullmatch(r"playGame\(X (\w+) (\d), O (\w+) (\d)\)", example):
        pair, board = (Lookahead(tiebreak=found[n], ply=int(found[n + 1])) for n in (1, 3)), Board()
        played = play_game(*pair, board)
        assert "".join(map(str, played.moves)) == moves
        return [{1: "X", -1: "O"}[played.result], board.text(bars=True)]
    return SAID[example]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda one: one["example"].strip())
def test_an_example_of_the_document_holds(example: dict[str, Any]):
    assert answer(example["example"], example.get("moves", "")) == example["expected"]


def test_all_47_examples_are_there_and_three_of_them_are_complete_games():
    assert len({one["example"] for one in EXAMPLES}) == len(EXAMPLES) == 47
    assert [len(one["moves"]) for one in EXAMPLES if "moves" in one] == [19, 15, 38]


LOOKED_AT = [(7, 6, 4), (4, 4, 4), (5, 4, 3), (3, 3, 3), (2, 2, 2), (8, 7, 4), (3, 5, 4), (8, 8, 4)]


@pytest.mark.parametrize("ply", [0, 1, 2, 3])
def test_the_scores_are_those_of_the_naive_recursion_for_either_side(ply: int):
    for board in undecided(8, LOOKED_AT, seed=ply):
        for side in (1, -1):
            expected = naive_search.lookahead(naive_search.columns_of(board), board.height, board.connect, side, ply)
            assert Lookahead(ply=ply).scores_for(board, side) == expected, (board, side)
        assert Lookahead(ply=ply).scores_for(board) == Lookahead(ply=ply).scores_for(board, board.to_move)


def test_a_random_tie_break_takes_every_best_column_equally_often():
    player, scores = make_player("lookahead", seed=3), [0.0, 50.0, -1.0, 50.0, 50.0, 0.0, 50.0]
    counts = Counter(player.tiebreak_move(scores) for _ in range(800))
    assert set(counts) == {1, 3, 4, 6}
    assert max(abs(count - 200) for count in counts.values()) < 62  # five standard deviations


# --- levels ---


POSITIONS: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[1] / "data" / "level_positions.json").read_text(encoding="utf-8")
)["positions"]
every_position = pytest.mark.parametrize("position", POSITIONS, ids=lambda one: one["name"])


def set_up(position: dict[str, Any]) -> Board:
    return Board.from_moves([int(column) for column in position["moves"]])


def columns_played(kind: str, board: Board, times: int = 60, **parameters: Any) -> set[int]:
    """The columns that a player plays on a board, over many draws."""
    player = make_player(kind, seed=5, **parameters)
    return {player.play(board) for _ in range(times)}


@every_position
def test_each_level_plays_what_it_sees_and_nothing_else(position: dict[str, Any]):
    board = set_up(position)
    legal, wins, threats = set(board.legal_moves()), set(position["wins"]), set(position["threats"])
    assert columns_played("level_0", board) == set(range(7))
    assert columns_played("level_1", board) == legal
    assert columns_played("level_2", board) == (wins or legal)
    assert columns_played("level_3", board) == (wins or threats or legal)
    assert columns_played("biased_random", board) == (wins or threats or legal)
    assert columns_played("level_4", board) <= (wins or threats or legal)


def test_of_two_wins_and_of_two_threats_each_is_played_equally_often():
    for moves, kind in (([2, 2, 3, 3, 4, 4], "level_2"), ([2, 0, 3, 0, 4], "level_3"), ([2, 0, 3, 0, 4], "level_4")):
        board = Board.from_moves(moves)
        player = make_player(kind, seed=1)
        counts = Counter(player.play(board) for _ in range(400))
        assert set(counts) == {1, 5}
        assert abs(counts[1] - 200) < 50  # five standard deviations


def test_level_0_plays_full_columns_too_and_loses_by_it():
    board, player = Board.from_moves("111111"), make_player("level_0", seed=2)
    counts = Counter(player.play(board) for _ in range(700))
    assert max(abs(counts[column] - 100) for column in range(7)) < 47  # five standard deviations
    full = play_game(lambda board: 0, lambda board: 0, Board())
    assert (full.result, full.ending) == (-1, "illegal move: column 1 is full")


# --- level 4 -------------------------------------------------------------------------------------------------------


def naive_likes(preference: str, board: Board, column: int) -> int:
    """How a preference likes a column, by putting the stone and looking at every line of cells through it."""
    if preference == "centre":
        return -abs(column - (board.width - 1 - column))
    columns = naive_search.columns_of(board)
    side = board.to_move if preference == "runs" else -board.to_move
    stone = {(c, r): one for c, cells in enumerate(columns) for r, one in enumerate(cells)}
    spot, liked = (column, len(columns[column])), 0
    for right, up in ((0, 1), (1, 0), (1, 1), (1, -1)):
        for start in range(board.connect):
            line = [(spot[0] + (k - start) * right, spot[1] + (k - start) * up) for k in range(board.connect)]
            inside = all(0 <= c < board.width and 0 <= r < board.height for c, r in line)
            found = [stone.get(cell, 0) for cell in line]
            liked += inside and found.count(-side) == 0 and found.count(side) >= board.connect - 2
    return liked


@pytest.mark.parametrize("order", [*PREFERENCES, "-".join(PREFERENCES), "-".join(reversed(PREFERENCES))])
def test_level_4_keeps_what_each_preference_likes_best_in_turn(order: str):
    player, quiet = make_player("level_4", order=order), 0
    for board in undecided(40, [(7, 6, 4), (5, 5, 3), (8, 8, 5), (6, 4, 4)], seed=2):
        if board.winning_moves() or board.winning_moves(-board.to_move):
            continue
        quiet += 1
        columns = board.legal_moves()
        for preference in order.split("-"):
            best = max(naive_likes(preference, board, column) for column in columns)
            columns = [column for column in columns if naive_likes(preference, board, column) == best]
        assert player.candidates(board) == columns
    assert quiet >= 10


def test_an_order_names_each_preference_once():
    for order in ("centre-centre", "runs,centre", "runs-"):
        refused(lambda order=order: make_player("level_4", order=order), "order ", f"got {order!r}")
