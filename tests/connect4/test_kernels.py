"""Bitboards of one word and of two, the board for people and a naive twin say the same on every size."""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from connect4 import Board
from numerics.games import DRAWN, UNDECIDED, WON, Game
from numerics.random import streams
from tests import naive
from tests.connect4.naive_play import exact_value, playout
from tests.connect4.naive_search import Columns, after_moves, columns_of, has_row
from tests.connect4.positions import undecided
from tests.internals import game_of, is_wide, popcount

pytestmark = pytest.mark.kernels

FACTS = json.loads((Path(__file__).parents[1] / "data" / "random_play.json").read_text(encoding="utf-8"))

# fmt: off
BOTH = [
    (7, 6, 4), (4, 4, 4), (9, 6, 4), (5, 5, 3), (6, 6, 2), (2, 2, 2), (12, 4, 4), (4, 15, 4), (3, 20, 20), (2, 31, 31),
    (32, 1, 32), (31, 1, 5), (21, 2, 3), (10, 5, 6), (1, 1, 2), (1, 63, 4), (1, 62, 64), (7, 6, 64), (7, 8, 8),
]
ONLY_WIDE = [(8, 8, 4), (33, 1, 3), (1, 64, 4), (24, 3, 5), (2, 63, 4), (16, 7, 4), (3, 40, 5)]
# fmt: on
NAMES = ("uniform", "biased")


def engines(board: Board) -> list[Game]:
    """The board's position on bitboards of two words, and of one where it fits."""
    kinds = (True,) if is_wide(board.width, board.height) else (True, False)
    return [game_of(board, wide=wide) for wide in kinds]


@pytest.mark.sampled(12)
@pytest.mark.parametrize("size", BOTH + ONLY_WIDE)
def test_legal_moves_and_outcomes_of_random_games_are_the_same_everywhere(size: tuple[int, int, int]):
    width, height, connect = size
    chance = random.Random(str(size))
    for _ in range(2):
        board = Board(*size)
        columns: Columns = [[] for _ in range(width)]
        games = engines(board)
        moves = np.full(width, -1, dtype=np.int64)
        while True:
            legal = [column for column, _ in after_moves(columns, height, board.to_move)]
            assert board.legal_moves() == legal
            for game in games:
                assert moves[: game.legal(game.state, moves)].tolist() == legal
            column, mover = chance.choice(legal), board.to_move
            columns[column].append(mover)
            board.play(column)
            for game in games:
                game.play(game.state, column)
            won, full = has_row(columns, connect, mover), sum(map(len, columns)) == width * height
            assert columns == columns_of(board)
            assert (board.winner(), board.is_finished()) == (mover if won else 0, won or full)
            expected = WON if won else DRAWN if full else UNDECIDED
            assert [game.outcome(game.state) for game in games] == [expected] * len(games)
            for game, fresh in zip(games, engines(board), strict=True):
                np.testing.assert_array_equal(game.state, fresh.state)
            if board.is_finished():
                break


# fmt: off
PLAYED = [
    (7, 6, 4), (5, 5, 3), (2, 2, 2), (4, 4, 4), (4, 15, 4), (4, 4, 5), (1, 62, 9), (32, 1, 5), (8, 8, 4), (33, 1, 3),
    (3, 40, 5), (16, 7, 4),
]
# fmt: on


@pytest.mark.sampled(16)
@pytest.mark.parametrize(("size", "name"), [(size, name) for size in PLAYED for name in NAMES])
def test_playouts_are_the_naive_ones_draw_by_draw(size: tuple[int, int, int], name: str):
    for number, board in enumerate([Board(*size), *undecided(2, [size], seed=2)]):
        for index in range(2 if len(board.game.state) == 6 else 1):
            twin = naive.Xoshiro(naive.stream(7, (number,), index))
            value = playout(columns_of(board), board.height, board.connect, board.to_move, twin, name == "biased")
            for game in engines(board):
                rng = streams(7, (number,), index, 1)
                assert game.playouts[name](game.state.copy(), rng, 0) == value
                assert rng[0].tolist() == twin.s, "the stream stands elsewhere"


@pytest.mark.parametrize(("width", "height"), [(1, 63), (32, 1), (7, 8), (9, 6), (16, 3), (21, 2)])
def test_one_word_serves_every_board_of_64_bits_and_two_the_next_larger(width: int, height: int):
    assert len(Board(width, height).game.state) == 6
    if (height + 2) * width > 64 and height < 64:
        assert len(Board(width, height + 1).game.state) == 12


def test_a_position_for_kernels_says_how_many_moves_it_can_have():
    game = Board.from_moves("4444").game
    assert (game.most_moves, game.most_plies, set(game.playouts)) == (7, 38, {*NAMES, "careful"})


# --- what chance does ------------------------------------------------------------------------------------------------


def shares(board: Board, name: str, games: int) -> np.ndarray:
    """How often the side to move wins, draws and loses."""
    state, playout, rng = board.game.state, board.game.playouts[name], streams(9, (1,), 0, games)
    values = np.array([playout(state.copy(), rng, r) for r in range(games)])
    return np.array([(values == value).mean() for value in (1.0, 0.5, 0.0)])


@pytest.mark.jit
@pytest.mark.parametrize("size", ["4x5", "7x6"])
def test_uniform_games_end_as_exact_probabilities_and_300_million_games_of_another_program_did(size: str):
    games, counted = 100_000, FACTS["simulated"].get(size, {"games": np.inf}) | FACTS["exact"].get(size, {})
    known = np.array([counted[who] for who in ("first", "draw", "second")], dtype=float)
    known /= known.sum()
    errors = np.sqrt(known * (1.0 - known) * (1.0 / games + 1.0 / counted["games"]))
    assert (np.abs(shares(Board(*map(int, size.split("x"))), "uniform", games) - known) < 5.0 * errors).all()


@pytest.mark.jit
def test_the_mean_of_biased_playouts_is_the_exact_one_of_a_position():
    """Full columns, several threats, wins and draws: whatever chance is asked, its shares are equal."""
    games = 20_000
    boards = [board for board in undecided(100, [(4, 4, 4)], seed=4) if board.empty_cells <= 9][:5]
    assert len(boards) == 5
    for board in boards:
        exact = float(exact_value(columns_of(board), board.height, board.connect, board.to_move, biased=True))
        won, drawn, _ = shares(board, "biased", games)
        error = np.sqrt(max(won + drawn / 4.0 - (won + drawn / 2.0) ** 2, 0.0) / games)
        assert won + drawn / 2.0 == pytest.approx(exact, abs=5.0 * error + 1e-12), board


@pytest.mark.parametrize("filled", [(), (6,), (0, 2, 4, 6), (0, 1, 2, 3, 4)])
def test_a_random_column_is_any_open_one_equally_often(filled: tuple[int, ...]):
    from tests.internals import draw_cell

    columns = [column for column in range(7) if column not in filled]
    cells, words = np.int64(sum(1 << 3 * column for column in columns)), streams(10, (1,), 0, 1)[0]
    counts = np.zeros(7, dtype=np.int64)
    for _ in range(3_000):
        cell, *words = draw_cell(cells, np.uint64(7), 3, *map(np.uint64, words))
        counts[(int(cell).bit_length() - 1) // 3] += 1
    assert counts[list(filled)].sum() == 0
    assert stats.chisquare(counts[columns]).pvalue > 1e-5


def test_bits_are_counted_in_every_part_of_a_word():
    words = np.random.default_rng(0).integers(-(2**63), 2**63, 300)
    words = np.concatenate([words, words & (words >> 1), words >> 40, words << 50, 1 << np.arange(64), [0, -1]])
    assert [popcount(word) for word in words] == [(int(word) & (2**64 - 1)).bit_count() for word in words]
