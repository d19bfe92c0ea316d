"""Our players as agents in PettingZoo's real environments other than Connect Four."""

from __future__ import annotations

from typing import Any

import pytest

from experiments.players import make_player
from tests.internals import Agent

pytest.importorskip("pygame", reason="pygame is not installed")
tictactoe: Any = pytest.importorskip("pettingzoo.classic.tictactoe.tictactoe", reason="pettingzoo is not installed")


@pytest.mark.jit
@pytest.mark.parametrize("seat", [0, 1])
def test_a_search_does_not_lose_there(seat: int):
    env, ours = tictactoe.env(), make_player("uct", simulations=200)
    for game in range(2):
        env.reset(seed=game)
        players = [make_player("random", seed=game)]
        players.insert(seat, ours)
        agents = {name: Agent(player, env) for name, player in zip(env.possible_agents, players, strict=True)}
        rewards = dict.fromkeys(env.possible_agents, 0.0)
        for name in env.agent_iter():
            observation, reward, termination, truncation, info = env.last()
            rewards[name] = reward
            env.step(agents[name].choose(observation, reward, termination, truncation, info))
        assert rewards[env.possible_agents[seat]] >= 0.0


def test_a_win_is_played_and_an_end_is_not():
    env = tictactoe.env()
    env.reset()
    for action in (0, 3, 1, 4):
        env.step(action)
    agent = Agent(make_player("uct", simulations=200, solve=True), env)
    assert agent.choose(*env.last()) == 2
    env.step(2)
    assert agent.choose(*env.last()) is None


def test_connect_four_is_a_board_there_too():
    module: Any = pytest.importorskip("pettingzoo.classic.connect_four.connect_four")
    env = module.env()
    env.reset()
    for action in (3, 0, 3, 0, 3):
        env.step(action)
    assert Agent(make_player("level_3"), env).choose(*env.last()) == 3


def test_an_environment_that_cannot_be_searched_is_one_sentence():
    env = tictactoe.env()
    env.reset()
    env.unwrapped.metadata = {"name": "hanabi_v5"}
    with pytest.raises(ValueError, match=r"^env must have perfect information; hanabi_v5 hides information$"):
        Agent(make_player("random"), env).choose(*env.last())
