"""The levels of document 002 and the biased random player of document 004: what each sees and what it does not."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from connect4 import Board
from connect4.referee import play_game
from experiments.players import make_player
from tests.connect4 import naive_search
from tests.connect4.matches import points_of
from tests.connect4.positions import undecided
from tests.internals import PREFERENCES
from tests.refusals import refused

pytestmark = pytest.mark.kernels

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
    board = Board.from_moves([2, 2, 3, 3, 4, 4])
    for moves, kind in (([2, 2, 3, 3, 4, 4], "level_2"), ([2, 0, 3, 0, 4], "level_3"), ([2, 0, 3, 0, 4], "level_4")):
        board = Board.from_moves(moves)
        player = make_player(kind, seed=1)
        counts = Counter(player.play(board) for _ in range(400))
        assert set(counts) == {1, 5}
        assert abs(counts[1] - 200) < 50  # five standard deviations


def test_level_0_plays_full_columns_too_and_loses_by_it():
    board = Board.from_moves("111111")
    player = make_player("level_0", seed=2)
    counts = Counter(player.play(board) for _ in range(700))
    assert max(abs(counts[column] - 100) for column in range(7)) < 47
    endings = Counter(
        play_game(make_player("level_0", seed=seed), make_player("level_1", seed=9), Board()).ending
        for seed in range(60)
    )
    illegal = {ending: count for ending, count in endings.items() if ending.startswith("illegal move: column ")}
    assert 0 < sum(illegal.values()) < 60


def test_biased_random_is_level_3_by_another_name():
    for board in undecided(20, [(7, 6, 4), (5, 4, 3)], seed=3):
        assert make_player("biased_random", seed=4).play(board) == make_player("level_3", seed=4).play(board)


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


@pytest.mark.parametrize(
    "order", ["-".join(order) for k in (1, 2, 3) for order in itertools.permutations(PREFERENCES, k)]
)
def test_level_4_keeps_what_each_preference_likes_best_in_turn(order: str):
    player, quiet = make_player("level_4", order=order), 0
    for board in undecided(60, [(7, 6, 4), (5, 5, 3), (8, 8, 5), (6, 4, 4)], seed=2):
        if board.winning_moves() or board.winning_moves(-board.to_move):
            continue
        quiet += 1
        columns = board.legal_moves()
        for preference in order.split("-"):
            best = max(naive_likes(preference, board, column) for column in columns)
            columns = [column for column in columns if naive_likes(preference, board, column) == best]
        assert player.candidates(board) == columns
    assert quiet >= 20


@pytest.mark.parametrize("order", ["", "centre-centre", "center", "runs,centre", "runs-", None, ["runs"], 3])
def test_an_order_that_is_none_is_one_sentence(order: Any):
    said = "order must list some of runs, blocks, centre, each once"
    assert refused(lambda: make_player("level_4", order=order), said).endswith(f"got {order!r}")


@pytest.mark.sampled(1)
@pytest.mark.jit
@pytest.mark.parametrize(
    ("stronger", "weaker", "least"),
    [
        ("level_1", "level_0", 0.52),
        ("level_2", "level_1", 0.65),
        ("level_3", "level_2", 0.65),
        ("level_4", "level_3", 0.85),
    ],
)
def test_each_level_beats_the_one_below(stronger: str, weaker: str, least: float):
    assert points_of(make_player(stronger, seed=1), make_player(weaker, seed=2), 400) > 400 * least


@pytest.mark.long
@pytest.mark.jit
def test_the_default_order_beats_the_centre_first_and_any_single_preference_against_level_3():
    scores = {
        order: points_of(make_player("level_4", order=order, seed=1), make_player("level_3", seed=2), 400)
        for order in ("blocks-runs-centre", "centre-runs-blocks", "centre", "runs", "blocks")
    }
    best = scores.pop("blocks-runs-centre")
    assert best > max(scores.values()) + 16
