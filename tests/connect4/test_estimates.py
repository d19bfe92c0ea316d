"""Knuth's random paths: unbiased by full enumeration, right on boards that were counted, honest about their error."""

from __future__ import annotations

import functools
import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from connect4 import Board
from connect4.combinatorics import published
from connect4.combinatorics.estimates import Sums, last_ply_counted, mixed_fillings, walk_games, walk_positions
from connect4.lines import winning_lines
from tests import data
from tests.internals import RandomGames, count, divide_by_orders, random_games, weigh_paths

pytestmark = pytest.mark.kernels

FACTS = data.read("connect4_counts")


def every_game(width: int, height: int, connect: int) -> RandomGames:
    """The record of every finished game of a board."""
    moves, lengths, results = [], [], []

    def go_on(board: Board) -> None:
        if board.is_finished():
            moves.append([*board.moves, *[-1] * (width * height - board.plies)])
            lengths.append(board.plies)
            results.append(board.winner())
        for column in board.legal_moves():
            board.play(column)
            go_on(board)
            board.undo()

    go_on(Board(width, height, connect))
    return RandomGames(
        np.array(moves, dtype=np.int8), np.array(lengths, dtype=np.int64), np.array(results, dtype=np.int8)
    )


def weights(record: RandomGames, width: int, height: int, connect: int) -> tuple[np.ndarray, np.ndarray]:
    """log W_p and log W_p / N of every path and ply."""
    sequences = np.full((record.lengths.size, width * height + 1), -np.inf)
    weigh_paths(record.moves, record.lengths, width, height, sequences)
    positions = sequences.copy()
    divide_by_orders(record.moves, record.lengths, record.results, np.array([width, height, connect]), positions)
    return sequences, positions


@functools.cache
def orders(board: Board) -> int:
    """In how many orders the stones of a position can have been dropped, by taking back last stones."""
    grid = board.grid
    if board.plies == 0:
        return 1
    total = 0
    for column, top in enumerate(board.heights):
        row = board.height - top
        if top and grid[row, column] == -board.to_move:
            before = grid.copy()
            before[row, column] = 0
            try:
                earlier = Board.from_grid(before, board.connect)
            except ValueError:  # it had both colours in a row
                continue
            total += 0 if earlier.winner() else orders(earlier)
    return total


@pytest.mark.parametrize("size", [(2, 2, 2), (3, 2, 2), (2, 3, 3), (3, 2, 3), (4, 2, 2)])
def test_the_mean_over_all_paths_is_the_number_itself(size: tuple[int, int, int]):
    record = every_game(*size)
    sequences, positions = weights(record, *size)
    ends = sequences[np.arange(record.lengths.size), record.lengths]
    chance = np.exp(-ends)  # of the whole path
    assert chance.sum() == pytest.approx(1.0)
    for one in count(*size):
        assert (chance * np.exp(sequences[:, one.ply])).sum() == pytest.approx(one.sequences)
        assert (chance * np.exp(positions[:, one.ply])).sum() == pytest.approx(one.positions)
    assert (chance * np.exp(ends)).sum() == pytest.approx(record.lengths.size)


@pytest.mark.parametrize("size", [(4, 3, 3), (3, 4, 3), (5, 3, 4)])
def test_orders_are_those_of_a_naive_count(size: tuple[int, int, int]):
    record = random_games(*size, games=5, seed=6)
    sequences, positions = weights(record, *size)
    for path in range(5):
        board = Board(*size)
        for ply in range(record.lengths[path]):
            board.play(int(record.moves[path, ply]))
            found = math.exp(sequences[path, ply + 1] - positions[path, ply + 1])
            assert found == pytest.approx(orders(Board.from_grid(board.grid, board.connect)))


def test_a_path_weighs_the_open_columns_that_it_met():
    record = random_games(3, 3, 3, games=6, seed=1)
    sequences, _ = weights(record, 3, 3, 3)
    for path in range(6):
        board, weight = Board(3, 3, 3), 1
        for ply in range(record.lengths[path]):
            weight *= len(board.legal_moves())
            board.play(int(record.moves[path, ply]))
            assert math.exp(sequences[path, ply + 1]) == pytest.approx(weight)
        assert np.isneginf(sequences[path, record.lengths[path] + 1 :]).all()


@pytest.mark.sampled(1)
@pytest.mark.jit
@pytest.mark.parametrize("size", ["4x4", "4x5", "5x4", "5x5"])
def test_estimates_meet_the_exact_numbers_within_their_errors(size: str):
    width, height = map(int, size.split("x"))
    facts = FACTS["boards"][size]
    games, positions = walk_games(width, height, 4, 200_000, seed=3), walk_positions(width, height, 4, 10_000, seed=3)
    pairs = [(games.all.estimates()[0], facts["totals"]["games"])]
    pairs += [(positions.all.estimates()[0], facts["totals"]["positions"])]
    pairs += [(games.sequences.estimates()[row[0]], row[4]) for row in facts["plies"]]
    pairs += [(games.finished.estimates()[row[0]], row[5]) for row in facts["plies"][:-1] if row[5]]
    pairs += [(positions.by_ply.estimates()[row[0]], row[1]) for row in facts["plies"]]
    assert all(estimate.reliable for estimate, _ in pairs[:2])
    for estimate, exact in pairs:
        if not estimate.reliable:
            continue  # too few paths to know the error
        # Plies before any column is full are known exactly, with an error of 0 but for rounding.
        assert abs(math.exp(estimate.log - math.log(exact)) - 1.0) < 5.0 * estimate.relative_error + 1e-12


@pytest.mark.long
@pytest.mark.jit
def test_the_positions_of_the_usual_board_are_estimated_within_the_error():
    estimate = walk_positions(7, 6, 4, 6_000, seed=11).all.estimates()[0]
    exact = published.positions(7, 6, 4)
    assert exact is not None
    assert estimate.relative_error < 0.3
    assert abs(estimate.value / exact - 1.0) < 4.0 * estimate.relative_error


def test_sums_of_parts_are_the_sums_of_the_whole():
    logs = np.log(np.random.default_rng(0).gamma(0.3, 1e5, size=(60, 3)))
    logs[5:20, 1] = -np.inf
    whole, joined = Sums.of(logs), Sums.join([Sums.of(part) for part in np.array_split(logs, 4)])
    assert joined.count == 60
    for one, other in zip(whole.estimates(), joined.estimates(), strict=True):
        assert other.log == pytest.approx(one.log, rel=1e-13)
        assert other.relative_error == pytest.approx(one.relative_error, rel=1e-10)
        assert other.effective == pytest.approx(one.effective, rel=1e-10)


def test_errors_are_those_of_the_textbook():
    weights = np.random.default_rng(1).gamma(0.5, 2.0, size=40)
    (estimate,) = Sums.of(np.log(weights)[:, None]).estimates()
    assert estimate.value == pytest.approx(weights.mean())
    assert estimate.relative_error == pytest.approx(weights.std(ddof=1) / math.sqrt(40) / weights.mean())
    assert estimate.effective == pytest.approx(weights.sum() ** 2 / (weights**2).sum())
    low, high = estimate.interval()
    assert low < estimate.log < high
    assert high - low == pytest.approx(2 * 1.96 * estimate.relative_error, rel=1e-4)


def test_weights_beyond_float64_are_added_all_the_same():
    sums = Sums.join([Sums.of(np.full((2, 1), 5000.0)), Sums.of(np.full((2, 1), 5000.0 + math.log(3.0)))])
    (estimate,) = sums.estimates()
    assert estimate.log == pytest.approx(5000.0 + math.log(2.0))
    assert estimate.value == math.inf


def test_a_single_heavy_path_makes_an_estimate_unreliable():
    logs = np.zeros((1000, 1))
    logs[7] = 30.0
    (estimate,) = Sums.of(logs).estimates()
    assert estimate.effective == pytest.approx(1.0, abs=1e-6)
    assert not estimate.reliable
    nothing = Sums.of(np.full((10, 1), -np.inf)).estimates()[0]
    assert nothing.value == 0.0
    assert not nothing.reliable
    assert math.isnan(Sums.of(np.zeros((1, 1))).estimates()[0].relative_error)


def test_large_boards_are_walked_as_far_as_orders_can_be_counted(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("connect4.combinatorics.estimates.MOST_STATES", 300)
    assert last_ply_counted(8, 8) == 8
    assert last_ply_counted(2, 2) == 4
    found = walk_positions(8, 8, 4, paths=3, seed=0).by_ply
    assert len(found.peak) == 9
    assert found.estimates()[1].value == pytest.approx(8.0)
    assert found.estimates()[2].value == pytest.approx(64.0)


@pytest.mark.parametrize(("width", "height", "connect"), [(3, 3, 3), (4, 2, 2)])
def test_random_fillings_are_mixed_as_often_as_all_fillings(width: int, height: int, connect: int):
    cells = [(row, column) for row in range(height) for column in range(width)]
    lines = winning_lines(width, height, connect)
    every = [set(first) for first in itertools.combinations(cells, (len(cells) + 1) // 2)]
    mixed = [all(0 < len(first.intersection(line)) < connect for line in lines) for first in every]
    share = Fraction(sum(mixed), len(mixed))
    found = mixed_fillings(width, height, connect, fillings=1500, seed=2)
    assert stats.binomtest(found, 1500, float(share)).pvalue > 1e-4
    parts = [mixed_fillings(width, height, connect, 500, seed=2, first=first) for first in (0, 500, 1000)]
    assert sum(parts) == found


@pytest.mark.parametrize(
    ("function", "arguments", "words"),
    [
        (walk_games, {"paths": 0}, "paths must be"),
        (walk_positions, {"paths": 2.5}, "paths must be"),
        (walk_games, {"paths": 1, "seed": -3}, "seed must be"),
        (walk_games, {"paths": 1, "height": 0}, "height must be"),
        (mixed_fillings, {"fillings": 0}, "fillings must be"),
        (mixed_fillings, {"fillings": 1, "first": -1}, "first must"),
    ],
)
def test_a_wrong_number_is_one_sentence(function, arguments: dict[str, int], words: str):
    with pytest.raises(ValueError, match=words):
        function(**{"width": 7, "height": 6, "connect": 4, "seed": 0, **arguments})
