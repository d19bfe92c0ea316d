"""Other people's bots and agents as players in other people's games: what they see, and what they are refused for."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import pytest

from connect4 import Board
from experiments.players import make_player
from mcts.adapters import position_of
from mcts.adapters.open_spiel import position_of as position_in
from tests.experiments.own_games import Nim
from tests.internals import Agent, play_position
from tests.refusals import refused

BOTS, AGENTS = "tests.connect4.my_bots.", "tests.connect4.my_agents."


def last(position: Any) -> Any:
    return position.moves()[-1]


def after(name: str, *actions: int) -> Any:
    """Return a position of OpenSpiel."""
    pyspiel: Any = pytest.importorskip("pyspiel", reason="open_spiel is not installed")
    state = pyspiel.load_game(name).new_initial_state()
    for action in actions:
        state.apply_action(action)
    return position_in(state)


def environment(*actions: int, name: str = "tictactoe.tictactoe") -> Any:
    """Return PettingZoo's tic-tac-toe, or another game, after some moves."""
    pytest.importorskip("pygame", reason="pygame is not installed")
    module: Any = pytest.importorskip(f"pettingzoo.classic.{name}", reason="pettingzoo is not installed")
    env = module.env()
    env.reset()
    for action in actions:
        env.step(action)
    return env


# --- OpenSpiel --------------------------------------------------------------------------------------------------------


def test_its_search_wins_and_blocks_in_its_other_games():
    player = make_player("open_spiel", simulations=2_000)
    for actions, value in (((0, 3, 1, 4), 1.0), ((0, 4, 1), 0.5)):
        position = after("tic_tac_toe", *actions)
        player.check_board(position)
        before = str(position)
        assert player.play(position) == 2
        assert str(position) == before
        assert player.value == pytest.approx(value, abs=0.1)


def test_its_search_plays_what_openspiels_step_does_with_chance_too():
    pyspiel, position = importlib.import_module("pyspiel"), after("pig(winscore=20)", 0, 4)
    player, twin = (make_player("open_spiel", simulations=300, solve=False) for _ in range(2))
    seed, game = twin.pick(2**31 - 1), position.state.get_game()
    evaluator = pyspiel.RandomRolloutEvaluator(1, seed)
    bot = pyspiel.MCTSBot(game, evaluator, 2.0, 300, 100, False, seed, False)
    assert player.play(position) == bot.step(position.state)
    assert 0.0 < player.value < 1.0


def test_a_value_is_a_share_of_what_a_game_pays():
    player = make_player("open_spiel", simulations=200)
    position = after("oware")
    assert (position.state.get_game().min_utility(), position.state.get_game().max_utility()) != (0.0, 1.0)
    player.play(position)
    assert 0.0 <= player.value <= 1.0


def test_a_bot_of_the_user_is_made_for_the_game_and_told_moves_and_chance():
    bot = make_player("open_spiel", bot=f"{BOTS}Teller")
    position = after("pig(winscore=20)", 0, 3, 1)  # player 0 rolls a 4 and holds
    bot.check_board(position)
    played = play_position(bot, last, position)
    assert played.ending.startswith("RuntimeError: (1, 0.0, True) [(0, 0, 0), (1, -1, 3), (2, 0, 1)]")
    assert make_player("open_spiel", bot=f"{BOTS}Leftmost").play(after("tic_tac_toe", 0, 4)) == 1


def test_a_bot_that_cannot_be_made_for_a_game_is_refused_before_it():
    failing = make_player("open_spiel", bot=f"{BOTS}fails")
    refused(lambda: failing.check_board(after("tic_tac_toe")), f"bot '{BOTS}fails'", "OSError: no network")


def test_a_game_with_rewards_is_for_other_bots():
    position = after("cliff_walking")
    refused(lambda: make_player("open_spiel").check_board(position), "bot ", "cliff_walking", "'mcts'")
    make_player("open_spiel", bot=f"{BOTS}Leftmost").check_board(position)


# --- PettingZoo -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("agent", ["leftmost", "of_a_mapping"])
def test_an_agent_plays_the_positions_of_its_environment(agent: str):
    player, env = make_player("pettingzoo", agent=AGENTS + agent), environment(4)
    position = position_of(env)
    player.check_board(position)
    assert player.play(position) == 0
    assert player.play(position.play(0).play(1)) == 2
    record = play_position(player, last, position_of(environment()))
    assert record.moves == (0, 8, 1, 7, 2)
    assert record.result == 1


def test_an_agent_sees_what_the_environment_shows():
    seen: list[Any] = []
    player, env = make_player("pettingzoo", agent=f"{AGENTS}leftmost"), environment(4, 0)
    vars(player)["_choose"] = seen.append
    player.play(position_of(env))
    shown = env.last()[0]
    assert shown.keys() == seen[0].keys()
    assert all(np.array_equal(shown[name], seen[0][name]) for name in shown)


# --- Our players in its environments ----------------------------------------------------------------------------------


@pytest.mark.jit
@pytest.mark.parametrize("seat", [0, 1])
def test_a_search_does_not_lose_there(seat: int):
    env, ours = environment(), make_player("uct", simulations=200)
    players = [make_player("random", seed=seat)]
    players.insert(seat, ours)
    agents = {name: Agent(player, env) for name, player in zip(env.possible_agents, players, strict=True)}
    rewards = dict.fromkeys(env.possible_agents, 0.0)
    for name in env.agent_iter():
        observation, reward, termination, truncation, info = env.last()
        rewards[name] = reward
        env.step(agents[name].choose(observation, reward, termination, truncation, info))
    assert rewards[env.possible_agents[seat]] >= 0.0


def test_a_win_is_played_and_an_end_is_not():
    env = environment(0, 3, 1, 4)
    agent = Agent(make_player("uct", simulations=200, solve=True), env)
    assert agent.choose(*env.last()) == 2
    env.step(2)
    assert agent.choose(*env.last()) is None


def test_connect_four_is_a_board_there_too():
    env = environment(3, 0, 3, 0, 3, name="connect_four.connect_four")
    assert Agent(make_player("level_3"), env).choose(*env.last()) == 3


def test_an_environment_that_cannot_be_searched_is_one_sentence():
    env = environment()
    env.unwrapped.metadata = {"name": "hanabi_v5"}
    refused(lambda: Agent(make_player("random"), env).choose(*env.last()), "env", "hanabi_v5")


# --- What is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("open_spiel", {}),
        ("pettingzoo", {"agent": f"{AGENTS}leftmost"}),
        ("kaggle", {"file": "tests/connect4/my_submission.py"}),
    ],
)
def test_a_game_that_a_guest_does_not_play_is_one_sentence(name: str, parameters: dict[str, Any]):
    if name == "open_spiel":
        pytest.importorskip("pyspiel", reason="open_spiel is not installed")
    player = make_player(name, **parameters)
    for refuses in (player.check_board, player.play):
        refused(lambda refuses=refuses: refuses(Nim()), "board ", "connect4.Board", name, "Nim")
    player.check_board(Board())
