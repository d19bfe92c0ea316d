"""Positions, games, random games and bounds: against naive enumerations, other programs and published numbers."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from connect4 import Board
from connect4.combinatorics import bounds, counting, published
from connect4.combinatorics.estimates import Sums, last_ply_counted, mixed_fillings, walk_games, walk_positions
from connect4.lines import winning_lines
from numerics.exits import run_guarded
from numerics.random import Purpose
from tests import data
from tests.internals import (
    Ply,
    RandomGames,
    count,
    divide_by_orders,
    join_halves,
    random_games,
    totals,
    weigh_paths,
)
from tests.naive import Xoshiro, stream
from tests.refusals import refused

pytestmark = pytest.mark.kernels

FACTS = data.read("connect4_counts")


def told(size: str, last: int | None = None) -> list[tuple[int, ...]]:
    """Ply, positions, won, full, sequences, winning sequences, as the facts have them."""
    return [tuple(row[:6]) for row in FACTS["boards"][size]["plies"][: None if last is None else last + 1]]


def counted(plies: list[Ply]) -> list[tuple[int, ...]]:
    return [(one.ply, one.positions, one.won, one.full, one.sequences, one.winning_sequences) for one in plies]


def enumerated(width: int, height: int, connect: int, plies: int | None = None) -> list[tuple]:
    """Play every sequence of moves on the board for people; count positions in a set, and chances as fractions."""
    rows = []
    layer = {Board(width, height, connect): (1, Fraction(1))}
    for ply in range(1 + (width * height if plies is None else plies)):
        if not layer:
            break
        won = {board: ways for board, ways in layer.items() if board.winner()}
        full = {board: ways for board, ways in layer.items() if board.is_finished() and not board.winner()}
        sequences = [sum(ways for ways, _ in part.values()) for part in (layer, won)]
        chances = [sum(chance for _, chance in part.values()) for part in (won, full)]
        rows.append((ply, len(layer), len(won), len(full), *sequences, *chances))
        ways, chance = Counter(), Counter()
        for board, (paths, share) in layer.items():
            for column in board.legal_moves():
                after = board.copy()
                after.play(column)
                ways[after] += paths
                chance[after] += share / len(board.legal_moves())
        layer = {board: (ways[board], chance[board]) for board in ways}
    return rows


# fmt: off
COUNTED = [
    (2, 2, 2, None), (3, 2, 2, None), (3, 3, 3, None), (4, 2, 3, None), (1, 5, 4, None), (6, 1, 2, None), (5, 4, 3, 5),
    (4, 5, 5, 5), (7, 6, 4, 3), (8, 7, 4, 3), (1, 63, 4, 12), (32, 1, 2, 2),
]
# fmt: on


@pytest.mark.parametrize(("width", "height", "connect", "plies"), COUNTED)
def test_every_number_is_that_of_a_naive_enumeration(width: int, height: int, connect: int, plies: int | None):
    found = list(count(width, height, connect, plies=plies))
    wanted = enumerated(width, height, connect, plies)
    assert counted(found) == [row[:6] for row in wanted]
    for one, row in zip(found, wanted, strict=True):
        assert (one.win_chance, one.draw_chance) == pytest.approx((float(row[6]), float(row[7])), rel=1e-14)


@pytest.mark.sampled(2)
@pytest.mark.jit
@pytest.mark.parametrize(
    ("size", "plies"), [("4x4", None), ("7x6", 9), ("4x5", None), ("5x4", None), ("4x6", None)], ids=str
)
def test_boards_have_the_numbers_that_another_program_found(size: str, plies: int | None):
    width, height = map(int, size.split("x"))
    found = list(count(width, height, plies=plies))
    assert counted(found) == told(size, plies)
    for one, row in zip(found, FACTS["boards"][size]["plies"], strict=plies is None):
        assert one.win_chance == pytest.approx(row[6], rel=1e-13)
    for name, value in FACTS["boards"][size]["totals"].items() if plies is None else ():
        assert getattr(totals(found), name) == pytest.approx(value, rel=1e-13), name
    if plies is not None:
        assert [one.positions for one in found] == list((published.positions_by_ply(width, height, 4) or ())[:10])


@pytest.mark.jit
def test_small_boards_of_every_shape_have_the_published_numbers_of_positions():
    assert all(published.positions(w, h, 4) == number for w, h, number in FACTS["positions"])
    assert sum(published.positions_by_ply(7, 6, 4) or ()) == published.positions(7, 6, 4) == 4531985219092
    assert [published.positions(7, 6, 5), published.positions(9, 6, 4), published.positions_by_ply(6, 7, 4)] == [
        None
    ] * 3
    sizes = [(w, h, number) for w, h, number in FACTS["positions"] if number <= 100_000]
    assert len(sizes) > 30
    for width, height, number in sizes:
        end = totals(list(count(width, height)))
        assert end is not None
        assert end.positions == number


def test_sums_of_sequences_are_exact_beyond_64_bits():
    numbers = np.array([2**62 + 1, 2**62 + 3, 2**61 + 5, 7] * 50, dtype=np.int64)
    low, high = int((numbers & 0xFFFFFFFF).sum()), int((numbers >> 32).sum())
    assert join_halves(low, high) == sum(int(one) for one in numbers) > 2**64


def test_a_table_grows_without_losing_an_entry(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(counting, "_SMALLEST", 16)
    assert counted(list(count(4, 4, plies=6))) == told("4x4", 6)
    assert counted(list(count(7, 6, plies=4))) == told("7x6", 4)


def test_the_walk_stops_before_a_ply_with_too_many_positions():
    found = list(count(7, 6, most=238))
    assert [one.positions for one in found] == [1, 7, 49, 238]
    assert totals(found) is None
    assert [one.ply for one in count(7, 6, most=237)] == [0, 1, 2]


def test_the_command_prints_the_numbers_or_refuses(capsys: pytest.CaptureFixture[str]):
    counting.main(["board=3x3", "connect=3"])
    end = totals(list(count(3, 3, 3)))
    assert end is not None
    said = capsys.readouterr().out
    assert f"{end.positions:,}" in said
    assert f"{end.games:,}" in said
    counting.main(["board=7x6", "most=100"])
    assert "ply 2" in capsys.readouterr().out
    assert run_guarded(lambda: counting.main(["board=9x9"])) == 2
    assert capsys.readouterr().err.startswith("height ")


# --- estimates ---


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


@pytest.mark.parametrize("size", [(3, 2, 2), (2, 3, 3), (4, 2, 2), (3, 3, 3)])
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
    lines, every = winning_lines(width, height, connect), list(fillings(width, height))
    mixed = [all(len({board[cell] for cell in line}) == 2 for line in lines) for board in every]
    found = mixed_fillings(width, height, connect, fillings=1500, seed=2)
    assert stats.binomtest(found, 1500, float(Fraction(sum(mixed), len(mixed)))).pvalue > 1e-4
    parts = [mixed_fillings(width, height, connect, 500, seed=2, first=first) for first in (0, 500, 1000)]
    assert sum(parts) == found


# --- records of random games ---


BOARDS = [(7, 6, 4), (4, 4, 4), (5, 5, 3), (2, 2, 2), (1, 5, 4), (8, 7, 4), (8, 8, 4), (12, 3, 4), (3, 40, 5)]


@pytest.mark.parametrize("size", BOARDS)
def test_every_record_is_a_game_to_its_end(size: tuple[int, int, int]):
    record = random_games(*size, games=8, seed=3)
    for moves, length, result in zip(record.moves, record.lengths, record.results, strict=True):
        board = Board(*size)
        for column in moves[:length].tolist():
            assert not board.is_finished()
            board.play(column)
        assert board.is_finished()
        assert board.winner() == result
        assert (moves[length:] == -1).all()


@pytest.mark.parametrize("wide", [False, True])
def test_moves_are_those_of_a_naive_player(wide: bool):
    record = random_games(5, 4, 4, games=12, seed=2, wide=wide)
    for number in range(12):
        rng, board = Xoshiro(stream(2, (Purpose.RANDOM_GAME,), number)), Board(5, 4)
        while not board.is_finished():
            column = ((rng.word() >> 32) * 5) >> 32
            if column in board.legal_moves():
                board.play(column)
        assert board.moves == tuple(record.moves[number, : record.lengths[number]].tolist())


def test_a_game_is_the_same_whichever_others_are_played():
    whole, part = random_games(7, 6, 4, games=30, seed=1), random_games(7, 6, 4, games=7, seed=1, first=11)
    assert (whole.moves[11:18] == part.moves).all()
    assert not (whole.moves == random_games(7, 6, 4, games=30, seed=2).moves).all()


# --- bounds ---


def fillings(width: int, height: int):
    """Every way to colour a full board with half of the cells, rounded up, for the first player."""
    cells = [(row, column) for row in range(height) for column in range(width)]
    for first in itertools.combinations(cells, (len(cells) + 1) // 2):
        yield {cell: cell in first for cell in cells}


def test_numbers_that_everybody_knows():
    assert bounds.games_by_width(7, 6) == 7**42
    assert bounds.games_by_fillings(7, 6) == math.factorial(42) // math.factorial(6) ** 7
    assert bounds.positions_by_cells(7, 6) == 3**42
    assert bounds.positions_by_gravity(7, 6) == 127**7
    assert sum(bounds.positions_by_ply(7, 6)) == 70_728_639_995_483  # Allis, "A knowledge-based approach" (1988)


def test_orders_of_columns_are_those_of_an_enumeration():
    for width, height in ((2, 2), (3, 2), (2, 4), (1, 3)):
        found = bounds.sequences_by_ply(width, height)
        for ply in range(width * height + 1):
            every = itertools.product(range(width), repeat=ply)
            assert found[ply] == sum(max(map(moves.count, moves), default=0) <= height for moves in every)
        assert found[-1] == bounds.games_by_fillings(width, height)


def test_coloured_heaps_are_those_of_an_enumeration():
    for width, height in ((2, 2), (3, 2), (2, 3)):
        columns = [word for size in range(height + 1) for word in itertools.product((1, -1), repeat=size)]
        assert len(columns) ** width == bounds.positions_by_gravity(width, height)
        found = [0] * (width * height + 1)
        for heap in itertools.product(columns, repeat=width):
            stones = sum(map(len, heap))
            found[stones] += sum(map(sum, heap)) == stones % 2
        assert bounds.positions_by_ply(width, height) == found


@pytest.mark.parametrize("size", ["4x4", "5x5", "7x6"])
def test_no_exact_number_exceeds_its_bound(size: str):
    width, height = map(int, size.split("x"))
    sequences, positions = bounds.sequences_by_ply(width, height), bounds.positions_by_ply(width, height)
    for ply, found, _, _, ways, *_ in FACTS["boards"][size]["plies"]:
        assert found <= positions[ply]
        assert ways <= sequences[ply]
        assert ways == sequences[ply] or ply >= 7  # nobody has won before: all orders are games
    games = FACTS["boards"][size].get("totals", {"games": 0})["games"]
    assert games <= bounds.games_by_fillings(width, height) < bounds.games_by_width(width, height)
    assert (published.positions(width, height, 4) or 0) <= sum(positions) < bounds.positions_by_gravity(width, height)


@pytest.mark.parametrize(("width", "height", "connect"), [(3, 2, 2), (2, 2, 2), (4, 3, 3), (3, 3, 3)])
def test_a_line_has_one_colour_as_often_as_in_all_fillings(width: int, height: int, connect: int):
    line = winning_lines(width, height, connect)[0]
    same = [len({board[cell] for cell in line}) == 1 for board in fillings(width, height)]
    assert bounds.line_in_one_colour(width * height, connect) == Fraction(sum(same), len(same))


def test_a_line_longer_than_a_colour_or_the_board_never_has_one_colour():
    assert bounds.line_in_one_colour(4, 3) == 0
    assert bounds.line_in_one_colour(4, 5) == 0
    assert bounds.draw_with_independent_lines(2, 2, 4) == 1.0 == bounds.draw_with_disjoint_lines(2, 2, 4)


@pytest.mark.parametrize(("width", "height", "connect"), [(3, 2, 2), (4, 3, 3), (3, 3, 3), (5, 2, 2), (3, 4, 3)])
def test_the_disjoint_lines_bound_the_draws_of_all_fillings(width: int, height: int, connect: int):
    lines = winning_lines(width, height, connect)
    chosen = bounds.disjoint_lines(width, height, connect)
    assert set(chosen) <= set(lines)
    assert len({cell for line in chosen for cell in line}) == connect * len(chosen)
    mixed = [[len({board[cell] for cell in line}) == 2 for line in lines] for board in fillings(width, height)]
    draws = np.array(mixed)
    own = draws[:, [lines.index(line) for line in chosen]].all(axis=1).mean()
    assert bounds.draw_with_disjoint_lines(width, height, connect) == pytest.approx(own, abs=1e-12)
    assert draws.all(axis=1).mean() <= own


@pytest.mark.parametrize(
    ("call", "key", "value"),
    [
        (lambda: list(count(connect=1)), "connect", "1"),
        (lambda: list(count(plies=43)), "plies", "0 to 42; got 43"),
        (lambda: list(count(most=0)), "most", "0"),
        (lambda: list(count(width=8, height=8)), "height", "8 x 8"),
        (lambda: walk_games(7, 6, 4, 0, seed=0), "paths", "0"),
        (lambda: walk_positions(7, 6, 4, 2.5, seed=0), "paths", "2.5"),
        (lambda: mixed_fillings(7, 6, 4, fillings=1, seed=0, first=-1), "first", "-1"),
        (lambda: random_games(7, 6, 4, games=10**9, seed=0), "games", "1000000000"),
        (lambda: random_games(7, 6, 4, games=1, seed=-1), "seed", "-1"),
        (lambda: bounds.sequences_by_ply(0, 6), "width", "0"),
    ],
)
def test_a_wrong_number_is_refused(call, key: str, value: str):
    refused(call, f"{key} ", value)
