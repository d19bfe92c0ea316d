"""What the players of this package share, and the Monte-Carlo ones: names, strength, tactics, a rule of one's own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bandits import Policy
from connect4 import Board
from experiments.players import PLAYERS, make_player
from mcts import MonteCarloPlayer
from numerics.players import Player
from tests.bandits.policies import NEEDED, example
from tests.connect4.matches import points_of
from tests.mcts.games import TicTacToe


def make(kind: str, **parameters: Any) -> Player:
    """A player of this package by its name."""
    return make_player(kind, **parameters)


def random_board(seed: int, plies: int, **size: int) -> Board:
    """A position after some random moves, before the game's end."""
    generator = np.random.default_rng(seed)
    while True:
        board = Board(**size)
        while board.plies < plies and not board.is_finished():
            board.play(int(generator.choice(board.legal_moves())))
        if not board.is_finished():
            return board


@pytest.mark.parametrize("name", sorted(Policy.members))
def test_every_policy_of_the_bandits_package_makes_a_player(name: str):
    policy = {"name": name, **NEEDED.get(name, {})}
    if Policy.members[name].limits is not None:
        with pytest.raises(ValueError, match=rf"^policy must support any number of moves, .*; got {name}, "):
            make("monte_carlo", policy=policy)
        return
    if example(name).needs_features:
        with pytest.raises(ValueError, match=rf"^policy must not need features, .*; got {name}; use ucb, for example$"):
            make("monte_carlo", policy=policy)
        return
    one = make("monte_carlo", simulations=60, policy=policy, seed=1)
    board = random_board(3, 12)
    assert one.play(board) in board.legal_moves()
    assert str(one).startswith("monte_carlo simulations=60" + ("" if name == "random" else " policy="))
    assert str(PLAYERS.of(str(one))) == str(one)


@pytest.mark.parametrize(
    ("kind", "parameters"),
    [
        ("monte_carlo", {}),
        ("monte_carlo", {"policy": {"name": "thompson", "alpha": 2.0}}),
        ("uct", {"policy": "kl_ucb", "final": "value"}),
        ("uct", {"transpositions": True, "solve": True}),
    ],
)
def test_players_play_any_game_of_two_sides(kind: str, parameters: dict[str, Any]):
    assert make(kind, simulations=300, **parameters).play(TicTacToe("XX.OO....")) == 2


@pytest.mark.parametrize("size", [{}, {"width": 8, "height": 8}], ids=str)
def test_an_immediate_win_is_always_played(size: dict[str, int]):
    players = [
        make("monte_carlo", simulations=120, seed=1),
        make("monte_carlo", simulations=60, policy="ucb", seed=2),
        make("biased_monte_carlo", playouts_per_move=5, seed=3),
    ]
    tried = 0
    for seed in range(60):
        board = random_board(seed, 10 + seed % 12, **size)
        wins = board.winning_moves()
        if wins and tried < 8:
            tried += 1
            for one in players:
                assert one.play(board) in wins, (one.name, board)
    assert tried == 8


def test_an_immediate_loss_is_prevented_where_one_move_prevents_it():
    board = Board.from_moves("112233")
    board.play(6)
    for one in (
        make("monte_carlo", simulations=300, playouts="biased", seed=1),
        make("monte_carlo", simulations=300, policy="ucb", playouts="biased", seed=2),
        make("biased_monte_carlo", playouts_per_move=30, seed=3),
    ):
        assert one.play(board) == 3, one.name


@pytest.mark.jit
def test_more_simulations_win_more():
    strong, weak = MonteCarloPlayer(simulations=2_000, seed=1), MonteCarloPlayer(simulations=20, seed=2)
    assert points_of(strong, weak, 60) >= 45.0  # equal players: 30 with a standard deviation of 3.9
