"""The loops that the benchmark of Connect 4 compares play the same games: one sum of values from one stream."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks import c_compiler, connect4_c, connect4_floor, connect4_loop, connect4_peers
from connect4 import Board
from tests.internals import random_games

needs_compiler = pytest.mark.skipif(c_compiler.compiler() is None, reason="no C compiler (cc)")


@pytest.mark.long
@pytest.mark.jit
@needs_compiler
@pytest.mark.parametrize("board", [Board(), Board.from_moves("44536"), Board(5, 4), Board(9, 6), Board(8, 7)], ids=repr)
def test_the_c_loop_gives_the_sum_and_the_stream_of_our_kernel(board):
    library = c_compiler.build(connect4_c.SOURCE)
    variants = ["twin", "constants"] if (board.width, board.height) == (7, 6) else ["twin"]
    total, rng = connect4_loop.play(board.game.playouts["uniform"], board, 20_000, seed=3)
    assert 0.0 < total < 20_000
    for variant in variants:
        found, last = connect4_c.play(library, variant, board, 20_000, seed=3)
        assert found == total
        assert (last == rng).all()


def test_our_loop_is_the_hook_called_again_and_again():
    board = Board.from_moves("4453")
    hook = board.game.playouts["uniform"]
    _, rng = connect4_loop.play(hook, board, 0, seed=1)
    values = [hook(board.game.state, rng, 0) for _ in range(20)]
    total, last = connect4_loop.play(hook, board, 20, seed=1)
    assert total == sum(values)
    assert (last == rng).all()


@pytest.mark.jit
def test_a_playout_has_the_moves_and_draws_that_its_floor_counts():
    record = random_games(7, 6, 4, games=10_000, seed=8)
    heights, draws, lengths = np.zeros((10_000, 7)), np.zeros(10_000), record.lengths
    for ply in range(42):
        going = np.flatnonzero(lengths > ply)
        draws[going] += 7.0 / (heights[going] < 6).sum(axis=1)
        heights[going, record.moves[going, ply]] += 1
    for values, told in ((lengths, connect4_floor.MOVES), (draws, connect4_floor.DRAWS)):
        assert abs(values.mean() - told) < 5.0 * values.std() / np.sqrt(10_000) + 0.005
    assert round(connect4_floor.operations_a_playout()) == 960


@pytest.mark.parametrize(("name", "package"), [("open-spiel", "pyspiel"), ("puissance4", "puissance4")])
def test_a_peers_playouts_run_where_it_is_installed(name, package):
    pytest.importorskip(package)
    assert connect4_peers.label(name).startswith(f"{name} ")
    if name == "open-spiel":
        assert connect4_peers.open_spiel()(10) in range(7)
    else:
        for biased in (False, True):
            assert {winner for winner, _ in connect4_peers.puissance4(biased)(10)} <= {"X", "O", "draw"}
