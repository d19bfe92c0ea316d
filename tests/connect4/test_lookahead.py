"""The look-ahead player: all 47 examples of its document, a naive twin, and what the document leaves out."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from connect4 import Board
from connect4.players import Lookahead
from connect4.referee import play_game
from experiments.players import make_player
from tests.connect4 import naive_search
from tests.connect4.positions import undecided

pytestmark = pytest.mark.kernels

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


def player(tiebreak: str, ply: int) -> Lookahead:
    return Lookahead(tiebreak=tiebreak, ply=ply)


def answer(example: str, expected: Any) -> Any:
    """Do what an example of the file says; `expected` only sets up the one board that is given by its picture."""
    if found := re.fullmatch(r"Player\('(.)','(\w+)',(\d)\)\.scoresFor\(setBoard\('(\d*)'\)\)", example):
        side, tiebreak, ply, columns = found.groups()
        return player(tiebreak, int(ply)).scores_for(set_board(columns), SIDES[side])
    if found := re.fullmatch(r"Player\('(.)','(\w+)',(\d)\)\.nextMove\(setBoard\('(\d*)'\)\)", example):
        side, tiebreak, ply, columns = found.groups()
        board = set_board(columns)
        assert board.to_move == SIDES[side]
        return player(tiebreak, int(ply)).play(board)
    if found := re.fullmatch(r"scoreBoard (.) of setBoard\('(\d*)'\)", example):
        return player("LEFT", 0).score_board(set_board(found[2]), SIDES[found[1]])
    if example == "scoreBoard O of empty":
        return player("LEFT", 0).score_board(Board(), -1)
    if found := re.match(r"tiebreak (\w+)", example):
        return player(found[1], 1).tiebreak_move([0, 0, 50, 0, 50, 50, 0])
    if example == "repr Board(2,2).setBoard('0011')":
        return Board.from_moves([0, 0, 1, 1], 2, 2).text(bars=True)
    if example == "isFull 2x2 0011":
        return Board.from_moves([0, 0, 1, 1], 2, 2).is_full()
    if example == "allowsMove(-1..2) after two in col 0 of 2x2":
        board = Board.from_moves([0, 0], 2, 2)
        return [board.allows(column) for column in range(-1, 3)]
    if example == "full 7x6 without win":
        board = Board.from_text(NO_WIN)
        return [board.is_full() and board.is_finished() and board.winner() == 0 and board.legal_moves() == []]
    if example == "  its repr":
        return Board.from_text(NO_WIN).text(bars=True)
    if found := re.fullmatch(r"winsFor X,O after setBoard\('(\d*)'\)", example):
        board = set_board(found[1])
        return [board.has_won(1), board.has_won(-1)]
    found = re.fullmatch(r"playGame\(X (\w+) (\d), O (\w+) (\d)\)", example)
    assert found, f"unknown example: {example}"
    board = Board()
    played = play_game(player(found[1], int(found[2])), player(found[3], int(found[4])), board)
    GAMES[example] = "".join(map(str, played.moves))
    return [{1: "X", -1: "O"}[played.result], board.text(bars=True)]


NO_WIN = next(one["expected"] for one in EXAMPLES if one["example"] == "  its repr")
GAMES: dict[str, str] = {}


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda one: one["example"].strip())
def test_an_example_of_the_document_holds(example: dict[str, Any]):
    assert answer(example["example"], example["expected"]) == example["expected"]
    if "moves" in example:
        assert GAMES[example["example"]] == example["moves"]


def test_all_47_examples_are_there_and_three_of_them_are_complete_games():
    assert len(EXAMPLES) == 47
    assert len({one["example"] for one in EXAMPLES}) == 47
    assert [len(one["moves"]) for one in EXAMPLES if "moves" in one] == [19, 15, 38]


def test_the_boards_of_the_examples_are_reached_by_the_engine_where_the_rules_allow_it():
    loose = 0
    for example in EXAMPLES:
        if found := re.search(r"setBoard\('(\d+)'\)", example["example"]):
            if "2,2" in example["example"]:
                continue
            columns = [int(column) for column in found[1]]
            try:
                board = Board.from_moves(columns)
            except ValueError:
                loose += 1
            else:
                assert (board.grid == set_board(found[1]).grid).all()
    assert loose == 6, "five go on after a win and one plays on a full column, which the engine refuses"


SIZES = [(7, 6, 4), (4, 4, 4), (5, 4, 3), (3, 3, 3), (2, 2, 2), (8, 7, 4), (3, 5, 4), (8, 8, 4)]


@pytest.mark.parametrize("ply", [0, 1, 2, 3])
def test_the_scores_are_those_of_the_naive_recursion_for_either_side(ply: int):
    for board in undecided(24 if ply < 3 else 16, SIZES, seed=ply):
        for side in (1, -1):
            expected = naive_search.lookahead(naive_search.columns_of(board), board.height, board.connect, side, ply)
            assert Lookahead(ply=ply).scores_for(board, side) == expected, (board, side)
        assert Lookahead(ply=ply).scores_for(board) == Lookahead(ply=ply).scores_for(board, board.to_move)


@pytest.mark.long
@pytest.mark.jit
def test_deeper_scores_are_those_of_the_naive_recursion():
    for board in undecided(16, [(7, 6, 4), (4, 4, 4), (4, 5, 3), (5, 4, 4)], seed=11):
        for side in (1, -1):
            for ply in (4, 5) if board.width < 7 else (4,):
                expected = naive_search.lookahead(
                    naive_search.columns_of(board), board.height, board.connect, side, ply
                )
                assert Lookahead(ply=ply).scores_for(board, side) == expected, (board, side, ply)


def test_a_board_that_becomes_full_scores_50_at_any_ply():
    board = Board.from_moves([0, 0, 1], 2, 2)
    for ply in range(1, 9):
        assert Lookahead(ply=ply).scores_for(board, -1) == [-1.0, 50.0]
        assert Lookahead(ply=ply).scores_for(Board(2, 2), 1) == [50.0, 50.0]
    board.play(1)
    assert Lookahead(ply=3).scores_for(board) == [-1.0, -1.0]


def test_on_a_won_board_every_open_column_has_the_boards_own_score():
    board = set_board("0102030")
    for ply in range(4):
        assert Lookahead(ply=ply).scores_for(board, 1) == [100.0] * 7
        assert Lookahead(ply=ply).scores_for(board, -1) == [0.0] * 7


def test_a_random_tie_break_takes_every_best_column_equally_often():
    looker, scores = make_player("lookahead", seed=3), [0.0, 50.0, -1.0, 50.0, 50.0, 0.0, 50.0]
    counts = Counter(looker.tiebreak_move(scores) for _ in range(800))
    assert set(counts) == {1, 3, 4, 6}
    assert max(abs(count - 200) for count in counts.values()) < 62  # five standard deviations


def test_the_tie_break_may_be_written_in_small_letters():
    assert str(make_player("lookahead", tiebreak="left")) == "lookahead tiebreak=LEFT"
