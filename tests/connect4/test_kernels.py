"""Bitboards of one word and of two, the board for people and a naive twin say the same on every size."""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from connect4 import Board, Solver
from experiments.players import make_player
from numerics.games import DRAWN, LOST, UNDECIDED, WON, Game
from numerics.random import streams
from tests import naive
from tests.connect4.naive_play import playout
from tests.connect4.naive_search import Columns, after_moves, columns_of, has_row
from tests.connect4.positions import undecided
from tests.internals import COMPILED, game_of, is_wide, popcount

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


# --- tactical hooks: against exact scores, their playouts against a twin, and the player that uses them ---


TACTICAL = [(7, 6, 4), (5, 4, 4), (4, 4, 3), (3, 5, 3), (4, 4, 5), (2, 7, 2)]


def exact(board: Board, solver: Solver) -> dict[int, int]:
    """The sign of each legal column's score for the side to move."""
    return {column: int(np.sign(score)) for column, score in enumerate(solver.scores(board)) if score is not None}


def late(size: tuple[int, int, int], count: int) -> list[Board]:
    """Random positions that can be solved in a moment."""
    least = (14 if size == (7, 6, 4) else 0) if COMPILED else size[0] * size[1] - 12
    return [board for board in undecided(8 * count, [size], seed=5) if board.plies >= least][:count]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("size", TACTICAL)
def test_what_tactics_decide_is_true_and_what_they_leave_out_is_no_better(size: tuple[int, int, int]):
    solver, moves, decided, fewer = Solver(*size), np.empty(size[0], np.int64), 0, 0
    boards = late(size, (10 if size == (7, 6, 4) else 25) if COMPILED else 8)
    for board in boards:
        tactics, signs = board.game.tactical(), exact(board, solver)
        best = max(signs.values())
        found = tactics.outcome(tactics.state)
        if found != UNDECIDED:
            decided += 1
            assert {WON: 1, DRAWN: 0, LOST: -1}[found] == -best  # of the side that moved last
        kept = moves[: tactics.legal(tactics.state, moves)].tolist()
        fewer += len(kept) < len(signs)
        assert set(kept) <= set(signs)
        assert max(signs[column] for column in kept) == best
        if board.winning_moves():
            assert kept == board.winning_moves()
    assert decided > 0
    assert fewer > 0 or size == (4, 4, 5)  # where nobody can win, nothing is left out


@pytest.mark.parametrize(("moves", "found"), [("44", UNDECIDED), ("4455", LOST), ("44556", WON)])
def test_a_move_that_makes_two_threats_is_seen_before_it_is_made(moves: str, found: int):
    game = Board.from_moves(moves).game.tactical()
    assert game.outcome(game.state) == found


def wins_above(board: Board, column: int) -> bool:
    """Whether the side to move would win in the cell above the lowest empty one of a column, which stays empty."""
    grid, row = board.grid == board.to_move, board.height - 2 - board.heights[column]
    for down, right in ((1, 0), (0, 1), (1, 1), (1, -1)):
        length = 1
        for way in (1, -1):
            y, x = row + way * down, column + way * right
            while 0 <= y < board.height and 0 <= x < board.width and grid[y, x]:
                y, x, length = y + way * down, x + way * right, length + 1
        if row >= 0 and length >= board.connect:
            return True
    return False


def careful(board: Board, words: naive.Xoshiro) -> float:
    """One careful playout by the rules alone: what the side to move gets.

    A move below a cell where its own side would win comes last. Where there is a choice, each word of the stream names
    a column, until one may be played.
    """
    side, board = board.to_move, board.copy()
    while not board.winning_moves():
        safe, patient = [], []
        for column in board.legal_moves():
            after = board.copy()
            after.play(column)
            if after.is_finished() or not after.winning_moves():
                safe.append(column)
                if not wins_above(board, column):
                    patient.append(column)
        if not safe:
            return float(board.to_move != side)
        chosen = patient or safe
        column = chosen[0] if len(chosen) == 1 else -1
        while column not in chosen:
            column = (words.word() >> 32) * board.width >> 32
        board.play(column)
        if board.is_finished():
            assert board.winner() == 0
            return 0.5
    return float(board.to_move == side)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("size", TACTICAL)
def test_careful_playouts_are_the_plain_ones_draw_by_draw(size: tuple[int, int, int]):
    for number, board in enumerate([Board(*size), *undecided(2, [size], seed=8)]):
        rng, twin = streams(3, (number,), 0, 1), naive.Xoshiro(naive.stream(3, (number,), 0))
        for _ in range(4):
            assert board.game.playout("careful")(board.game.state.copy(), rng, 0) == careful(board, twin)
            assert rng[0].tolist() == twin.s, "the stream stands elsewhere"


@pytest.mark.long
def test_the_best_player_is_uct_with_options():
    best = make_player("uct_best", simulations=200, seed=3)
    options = {"policy": "puct", "playouts": "careful", "prior": "lines", "solve": True, "transpositions": True}
    plain = make_player("uct", simulations=200, seed=3, tactics=True, exact=True, **options)
    assert str(best) == "uct_best simulations=200"
    for board in undecided(4, [(7, 6, 4), (5, 5, 4)], seed=4):
        assert best.play(board) == plain.play(board)
