"""What is for Connect 4 alone refuses a position of another game in a sentence, and so does a search without a game."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest
from hydra import compose, initialize_config_module
from omegaconf import OmegaConf

from connect4 import Board
from experiments.engine import configuration
from experiments.engine.experiment import build
from experiments.players import PLAYERS, make_player
from mcts import UCTPlayer, search
from tests.experiments.test_players import NEEDED
from tests.internals import Experiment, PGame


@pytest.mark.parametrize("kind", sorted(PLAYERS.members))
def test_a_player_plays_another_game_or_says_that_it_cannot(kind: str):
    """The two that search any game play it."""
    player, board = make_player(kind, **NEEDED.get(kind, {})), PGame(branching=2, depth=3)
    if kind in ("uct", "monte_carlo"):
        assert player.play(board) in (0, 1)
        return
    for refuses in (player.play, player.check_board):
        with pytest.raises(ValueError, match=r"^(board|playouts|tactics) must"):
            refuses(board)


def test_a_tree_is_kept_only_where_the_board_knows_its_moves():
    with pytest.raises(ValueError, match=r"^keep requires board\.moves"):
        UCTPlayer(simulations=10, keep=True).play(PGame(branching=2, depth=3))
    assert UCTPlayer(simulations=10, keep=True).play(Board()) in range(7)


def test_what_has_no_game_is_told_where_games_are_described():
    kind = type("State", (), {"__repr__": lambda self: "x |\no |"})
    with pytest.raises(ValueError, match=r"^board must .*docs/guides/own_game\.md"):
        search(kind())


GAMES = (
    "hex game.size=3",
    "dots_and_boxes game.rows=2 game.columns=2",
    "breakthrough game.rows=4",
    "custom game.cls=tests.experiments.own_games.Scored",
)
OF_GAMES = [kind for kind, cls in Experiment.members.items() if any(field.name == "game" for field in fields(cls))]


SOME = [(kind, GAMES[(at + shift) % len(GAMES)]) for at, kind in enumerate(OF_GAMES) for shift in (0, 1)]


@pytest.mark.parametrize(("kind", "game"), SOME)
def test_the_defaults_of_an_experiment_are_those_of_its_game(kind: str, game: str):
    words = [f"experiment={kind}", *f"game={game}".split()]
    words += ["signal=games"] if kind == "tune" else []
    configuration.register()
    with initialize_config_module("configs", version_base=None):
        values: Any = OmegaConf.to_container(compose("config", words), resolve=True)
    build(values)
