"""Numbers of positions and of move sequences: against a naive enumeration, counts of others, and published numbers."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from connect4 import Board
from connect4.combinatorics import counting, published
from numerics.exits import run_guarded
from tests import data
from tests.internals import Ply, count, join_halves, totals

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


@pytest.mark.parametrize(
    ("width", "height", "connect", "plies"),
    [
        (2, 2, 2, None),
        (3, 2, 2, None),
        (3, 3, 3, None),
        (4, 2, 3, None),
        (1, 5, 4, None),
        (6, 1, 2, None),
        (5, 4, 3, 6),
        (4, 5, 5, 6),
        (7, 6, 4, 4),
        (8, 7, 4, 3),
        (16, 3, 3, 2),
        (1, 63, 4, 12),
        (32, 1, 2, 2),
    ],
)
def test_every_number_is_that_of_a_naive_enumeration(width: int, height: int, connect: int, plies: int | None):
    found = list(count(width, height, connect, plies=plies))
    wanted = enumerated(width, height, connect, plies)
    assert counted(found) == [row[:6] for row in wanted]
    for one, row in zip(found, wanted, strict=True):
        assert one.win_chance == pytest.approx(float(row[6]), rel=1e-14)
        assert one.draw_chance == pytest.approx(float(row[7]), rel=1e-14)


def test_the_walk_in_plain_python_meets_the_facts():
    assert counted(list(count(4, 4, plies=7))) == told("4x4", 7)
    assert counted(list(count(7, 6, plies=5))) == told("7x6", 5)


@pytest.mark.sampled(1)
@pytest.mark.jit
@pytest.mark.parametrize(
    "size", ["4x4", "4x5", "5x4", *(pytest.param(one, marks=pytest.mark.long) for one in ("4x6", "5x5"))]
)
def test_whole_boards_have_the_numbers_that_another_program_found(size: str):
    width, height = map(int, size.split("x"))
    found = list(count(width, height))
    assert counted(found) == told(size)
    for one, row in zip(found, FACTS["boards"][size]["plies"], strict=True):
        assert one.win_chance == pytest.approx(row[6], rel=1e-13)
    end = totals(found)
    assert end is not None
    for name, value in FACTS["boards"][size]["totals"].items():
        assert getattr(end, name) == pytest.approx(value, rel=1e-13), name


@pytest.mark.jit
def test_the_usual_board_has_its_numbers_to_ply_9():
    found = list(count(7, 6, plies=9))
    assert counted(found) == told("7x6", 9)
    for one, row in zip(found, FACTS["boards"]["7x6"]["plies"], strict=False):
        assert one.win_chance == pytest.approx(row[6], rel=1e-13)
    assert [one.positions for one in found] == list((published.positions_by_ply(7, 6, 4) or ())[:10])


@pytest.mark.jit
def test_small_boards_of_every_shape_have_the_published_numbers_of_positions():
    sizes = [(w, h, number) for w, h, number in FACTS["positions"] if number <= 400_000]
    assert len(sizes) > 40
    for width, height, number in sizes:
        end = totals(list(count(width, height)))
        assert end is not None
        assert end.positions == number == published.positions(width, height, 4)


def test_the_published_numbers_are_those_of_the_facts():
    assert all(published.positions(w, h, 4) == number for w, h, number in FACTS["positions"])
    assert sum(published.positions_by_ply(7, 6, 4) or ()) == published.positions(7, 6, 4) == 4531985219092
    assert published.positions(7, 6, 5) is None
    assert published.positions(9, 6, 4) is None
    assert published.positions_by_ply(6, 7, 4) is None


def test_sums_of_sequences_are_exact_beyond_64_bits():
    numbers = np.array([2**62 + 1, 2**62 + 3, 2**61 + 5, 7] * 50, dtype=np.int64)
    low, high = int((numbers & 0xFFFFFFFF).sum()), int((numbers >> 32).sum())
    assert join_halves(low, high) == sum(int(one) for one in numbers) > 2**64


def test_a_table_grows_without_losing_an_entry(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(counting, "_SMALLEST", 16)
    assert counted(list(count(4, 4, plies=6))) == told("4x4", 6)


def test_the_walk_stops_before_a_ply_with_too_many_positions():
    found = list(count(7, 6, most=238))
    assert [one.positions for one in found] == [1, 7, 49, 238]
    assert totals(found) is None
    assert [one.ply for one in count(7, 6, most=237)] == [0, 1, 2]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"width": 0}, "width must be a whole number from 1 to 64; got 0"),
        ({"connect": 1}, "connect must be"),
        ({"plies": 43}, "plies must be a whole number from 0 to 42; got 43"),
        ({"plies": -1}, "plies must be"),
        ({"most": 0}, "most must be a whole number of at least 1; got 0"),
        ({"width": 8, "height": 8}, r"height must leave \(height \+ 1\) \* width at most 64.* 8 x 8"),
    ],
)
def test_a_wrong_number_is_one_sentence(arguments: dict[str, int], words: str):
    with pytest.raises(ValueError, match=words):
        list(count(**arguments))


def test_the_command_prints_the_numbers(capsys: pytest.CaptureFixture[str]):
    counting.main(["board=3x3", "connect=3"])
    said = capsys.readouterr().out
    end = totals(list(count(3, 3, 3)))
    assert end is not None
    assert f"{end.positions:,} positions; {end.games:,} games" in said
    counting.main(["board=7x6", "most=100"])
    assert "stopped after ply 2: the next one has more than 100 positions" in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [["board=7"], ["board=9x9"], ["plies=99"]])
def test_a_mistake_at_the_command_line_is_status_2(arguments: list[str], capsys: pytest.CaptureFixture[str]):
    assert run_guarded(lambda: counting.main(arguments)) == 2
    said = capsys.readouterr()
    assert said.err.startswith(("board must be", "height must leave", "plies must be"))
    assert len(said.err.strip().splitlines()) == 1
