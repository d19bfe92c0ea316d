"""The searches that the benchmark compares play the same game under the same conditions; nothing here is timed."""

from __future__ import annotations

import numpy as np
import pytest

from bandits import UCB, make
from benchmarks import c_compiler, c_uct, search_peers, strength
from benchmarks.rows import RULE
from connect4 import Board
from mcts import search
from tests.internals import graded_positions

PEERS = [
    ("pyspiel", search_peers.open_spiel),
    ("pyspiel", search_peers.open_spiel_python),
    ("puissance4", search_peers.puissance4),
]


@pytest.mark.sampled(2)
@pytest.mark.skipif(c_compiler.compiler() is None, reason="no C compiler (cc)")
@pytest.mark.parametrize(
    ("moves", "simulations", "c"),
    [
        ("", 1, 1.0),
        pytest.param("", 30_000, 0.2, marks=pytest.mark.jit),
        pytest.param("4453", 30_000, 1.0, marks=pytest.mark.jit),
        ("1111112222227777776666663333335555", 1_000, 0.2),
    ],
)
def test_the_visits_and_values_of_the_search_in_c_are_ours_to_the_last_bit(moves, simulations, c):
    board = Board.from_moves(moves)
    found = search(board, UCB(c=c), simulations, seed=3)
    visits, values = c_uct.play(c_compiler.build(c_uct.SOURCE, c_uct.EXACT), board, simulations, c, seed=3)
    assert np.array_equal(visits[found.moves], found.visits)
    assert visits.sum() == found.visits.sum()
    assert np.array_equal(values[found.moves][found.visits > 0], found.values[found.visits > 0])


@pytest.mark.parametrize(("package", "load"), PEERS, ids=lambda value: getattr(value, "__name__", value))
def test_a_peers_search_plays_and_openspiels_wins_or_blocks_at_once(package, load):
    pytest.importorskip(package)
    play = load()
    if package == "pyspiel":  # puissance4 plays the move of the highest index, after which all are about as high
        for text in ("112233", "1122337", "414142"):
            assert play(Board.from_moves(text).moves, 1_000) == 3
    assert play((), 50) in range(7)


def test_puissance4_plays_one_whole_playout_a_simulation(monkeypatch):
    pytest.importorskip("puissance4")
    from puissance4.agent import ai

    played, whole = [], ai.AI.simulate_end_game

    def counting(self, grid):
        found = whole(self, grid)
        played.append(grid.check_victory() or not grid.look_for_allowed_steps())
        return found

    monkeypatch.setattr(ai.AI, "simulate_end_game", counting)
    search_peers.puissance4()((), 60)
    assert len(played) == 60
    assert all(played)


def test_the_users_rule_makes_the_visits_of_the_built_in_one():
    custom = make("custom", rule=RULE, c=search_peers.C)
    found = [
        search(Board(), policy=policy, simulations=200, seed=1).visits for policy in (custom, UCB(c=search_peers.C))
    ]
    assert np.array_equal(*found)


@pytest.mark.jit
def test_the_comparison_of_strength_counts_moves_that_keep_the_value():
    positions = graded_positions(60)
    played = strength.play(strength.ours(500), positions)
    assert played.kept.shape == (60,)
    assert 0.5 < played.kept.mean() < 1.0
    assert played.seconds > 0.0
    right = strength.play(lambda graded, number: graded.scores.index(graded.top), positions)
    assert right.kept.all()
    cells = strength.compared("theirs", "ours", played, right, -0.02)
    assert cells[4].startswith("-")
    assert cells[-1] == "NO"
    assert strength.compared("theirs", "ours", right, played, 0.0)[-1] == "yes"
    assert strength.compared("theirs", "ours", right, right, -0.02)[-1] == "yes, not surely"
