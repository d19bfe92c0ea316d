"""The solvers that the benchmark compares find the same scores of the same positions; nothing here is timed."""

from __future__ import annotations

import sys

import pytest

from benchmarks import solver_peers, solver_rows
from benchmarks.__main__ import PARTS, Bench
from connect4 import Board, Solver
from tests.data import read

TINY = solver_rows.Size(step=200, random=17, rounds=1, lookups=5)


def test_the_sets_are_of_the_stones_that_they_say():
    found = solver_rows.sets(TINY)
    assert [len(boards) for boards in found.values()] == [5, 5, 5, 17]
    assert sorted(board.plies for board in found["random, 12 to 28 stones"]) == list(range(12, 29))
    assert not any(board.winning_moves() for board in found["random, 12 to 28 stones"])


def test_every_way_of_bitbully_finds_published_scores():
    pytest.importorskip("bitbully")
    rows = read("pons_sets")["L3_R1"][::100]
    peers = solver_peers.bitbully([Board.from_moves(moves) for moves, _ in rows])
    assert len(peers) == 3
    for peer in peers:
        peer.forget()
        assert peer.solve() == [score for _, score in rows]


def test_a_solver_that_differs_is_not_timed():
    own = Solver(book=None, table_bits=14)
    board = Board.from_moves(read("pons_sets")["L3_R1"][0][0])
    wrong = solver_peers.Peer("guessing", lambda: [7], lambda: None)
    with pytest.raises(AssertionError, match="differ on 1 of 1"):
        solver_rows.beside("other", lambda: own.solve_many([board]), own.clear, [wrong], 1)


def test_the_fastest_way_of_another_solver_is_the_one_compared(monkeypatch):
    clock = iter(range(1_000))
    monkeypatch.setattr(solver_rows, "processor_seconds", lambda: float(next(clock)))

    def slow() -> list[int]:
        next(clock)
        return [1, 2]

    peers = [solver_peers.Peer(how, call, lambda: None) for how, call in (("slow", slow), ("fast", lambda: [1, 2]))]
    row = solver_rows.beside("other", lambda: [1, 2], lambda: None, peers, 3)
    assert row.what == "other, fast"
    assert (row.ratio, row.met) == (1.0, True)


@pytest.mark.jit
def test_the_rows_are_measured_or_say_what_is_missing(monkeypatch):
    rows = list(solver_rows.peer_rows(TINY))
    assert len(rows) == 7
    assert all(row.skipped or row.met is not None for row in rows)
    nodes = [row for row in rows if "published" in row.what]
    assert len(nodes) == 3
    assert all(float(row.ours.replace(",", "")) > 1.0 for row in nodes)
    monkeypatch.setitem(sys.modules, "bitbully", None)
    monkeypatch.setitem(sys.modules, "bitbully.bitbully_core", None)
    assert "bitbully" in next(iter(solver_rows.peer_rows(TINY))).what
    assert next(iter(solver_rows.peer_rows(TINY))).skipped


def test_the_rows_of_the_book_are_within_their_limits():
    found = list(solver_rows.book_rows(TINY))
    assert [row.met for row in found] == [True, True, True]


@pytest.mark.jit
def test_the_row_of_an_empty_board_has_its_score():
    row = solver_rows.empty_board_row(Board(5, 4), table_bits=16)
    assert row.what.startswith("empty 5x4 board, no book")
    assert row.what.endswith("score +0")
    assert row.met


def test_the_part_is_one_of_the_command(monkeypatch):
    assert "solver" in PARTS
    part = PARTS["solver"](Bench.read(["solver", "quick=true"]))
    assert part.title.startswith("Exact scores of 7x6")
