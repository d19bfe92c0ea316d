"""The solvers that the benchmark compares find the same scores of the same positions; nothing here is timed."""

from __future__ import annotations

import sys

import pytest

from benchmarks import solver_peers, solver_rows
from connect4 import Board, Solver
from tests.data import read

TINY = solver_rows.Size(step=200, random=17, rounds=1, lookups=5)


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
