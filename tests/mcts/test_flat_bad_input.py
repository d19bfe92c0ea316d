"""What is no search of depth one is refused in one sentence that begins with the argument."""

from __future__ import annotations

from typing import Any

import pytest

from connect4 import Board
from experiments.players import make_player
from mcts import monte_carlo_values, playout_values
from tests.mcts.games import TicTacToe

WON = Board.from_moves("1122334")


@pytest.mark.parametrize(
    ("kind", "parameters", "sentence"),
    [
        ("monte_carlo", {"simulations": 0}, "simulations must be a whole number of at least 1; got 0"),
        ("monte_carlo", {"simulations": 10.5}, "simulations must be a whole number of at least 1; got 10.5"),
        ("monte_carlo", {"simulations": 10**10}, "simulations must be a whole number of at most 1000000000"),
        (
            "monte_carlo",
            {"policy": "ucb2"},
            "policy 'ucb2' is unknown (did you mean ucb?); it must be one of anytime_halving, asymptotic_ucb, ",
        ),
        ("monte_carlo", {"policy": 3}, "policy must be a policy, such as 'ucb c=0.5', {name: ucb"),
        ("monte_carlo", {"policy": {"c": 1.0}}, "policy must be a policy, such as 'ucb c=0.5'"),
        ("monte_carlo", {"policy": {"name": "ucb", "c": -1}}, "policy.c must be a finite number of at least 0; got -1"),
        ("monte_carlo", {"policy": {"name": "ucb", "d": 1}}, "policy.d is no parameter of ucb; it takes c"),
        ("monte_carlo", {"policy": "custom"}, "policy.rule must be the dotted path of your rule"),
        ("monte_carlo", {"seed": -1}, "seed must be a whole number of at least 0; got -1"),
        ("monte_carlo", {"depth": 3}, "depth is no parameter of monte_carlo; it takes "),
        ("biased_monte_carlo", {"playouts_per_move": 0}, "playouts_per_move must be a whole number of at least 1; g"),
        ("biased_monte_carlo", {"playouts_per_move": "9"}, "playouts_per_move must be a whole number of at least 1; g"),
    ],
)
def test_a_player_with_a_bad_parameter_is_refused(kind: str, parameters: dict[str, Any], sentence: str):
    with pytest.raises(ValueError) as caught:  # noqa: PT011 (the whole sentence is compared below)
        make_player(kind, **parameters)
    assert str(caught.value).startswith(sentence)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"board": WON}, "board must be a position that is not"),
        ({"board": Board.from_moves("11122233", 3, 3), "simulations": 0}, "simulations must be a whole number"),
        ({"board": "4453"}, "board must be a position with a game, such as connect4.Board(); got '4453'"),
        ({"board": Board(), "playouts": "clever"}, "playouts must be one of uniform, biased, careful; got 'clever'"),
        ({"board": TicTacToe(), "playouts": "biased"}, "playouts must be one of uniform; got 'biased'"),
        ({"board": Board(), "seed": 0.5}, "seed must be a whole number of at least 0; got 0.5"),
        ({"board": Board(), "policy": None}, "policy must be a policy, such as 'ucb c=0.5'"),
    ],
)
def test_a_look_at_a_position_with_a_bad_argument_is_refused(arguments: dict[str, Any], sentence: str):
    with pytest.raises(ValueError) as caught:  # noqa: PT011 (the whole sentence is compared below)
        monte_carlo_values(**arguments)
    assert str(caught.value).startswith(sentence)


def test_playouts_per_move_are_checked_too():
    with pytest.raises(ValueError, match=r"^playouts_per_move must be a whole number of at least 1; got 0$"):
        playout_values(Board(), 0)
    with pytest.raises(ValueError, match=r"^board must be a position that is not"):
        playout_values(WON)
    full = Board(2, 1)
    full.play(0)
    full.play(1)
    with pytest.raises(ValueError, match=r"^board must be a position that is not"):
        monte_carlo_values(full)
