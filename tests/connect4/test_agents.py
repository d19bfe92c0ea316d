"""Players in PettingZoo's real Connect Four: what they see, what they answer, and how games end there."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from connect4 import Board
from connect4.pettingzoo import board_of, environment, play_environment
from connect4.referee import play_game
from experiments.players import make_player
from numerics.players import Forfeit
from tests.internals import Agent
from tests.refusals import refused

KINDS = ["random", "level_0", "level_1", "level_2", "level_3", "level_4"]


@pytest.fixture
def env():
    return environment()


def scripted(columns):
    """Return a player that plays these columns one after the other."""
    rest = iter(columns)
    return lambda board: next(rest)


def two_scripts(moves):
    return scripted(moves[::2]), scripted(moves[1::2])


def planes_of(board):
    """The observation of the side to move, in plain lines."""
    grid = board.grid
    mask = np.array([grid[0, column] == 0 for column in range(board.width)], dtype=np.int8)
    return {"observation": np.stack([grid == board.to_move, grid == -board.to_move], axis=2), "action_mask": mask}


# --- What an agent sees -----------------------------------------------------------------------------------------------


def test_at_every_move_of_real_games_the_observation_is_the_board_that_was_played(env):
    draw = np.random.default_rng(5)
    for _ in range(5):
        env.reset()
        board = Board()
        for _name in env.agent_iter():
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.step(None)
                continue
            assert board_of(observation) == board
            column = int(draw.choice(np.flatnonzero(observation["action_mask"])))
            board.play(column)
            env.step(column)
        assert board.is_finished()


def bad(**changes):
    return {**planes_of(Board.from_moves("4453")), **changes}


FLOATING = np.zeros((6, 7, 2), dtype=np.int8)
FLOATING[0, 0, 1] = 1
BOTH = np.zeros((6, 7, 2), dtype=np.int8)
BOTH[5, 0] = 1
WAITING = planes_of(Board.from_moves("4"))["observation"][..., ::-1]


@pytest.mark.parametrize(
    ("observation", "said"),
    [
        (np.zeros((6, 7, 2)), "got ndarray"),
        ({"observation": np.zeros((6, 7, 2))}, "with the keys observation and action_mask"),
        (bad(observation=np.zeros((6, 7))), "shape (rows, columns, 2); got (6, 7)"),
        (bad(observation=np.full((6, 7, 2), 2)), "planes of 0 and 1"),
        (bad(observation=BOTH), "at most one stone in each cell"),
        (
            bad(observation=WAITING),
            "the agent to move, with as many stones as the other agent or one fewer; got 1 and 0",
        ),
        (bad(observation=FLOATING), "grid must have no floating stones"),
        (
            bad(action_mask=np.zeros(7)),
            "action_mask of the open columns [0, 1, 2, 3, 4, 5, 6]",
        ),
    ],
)
def test_an_observation_that_is_no_position_is_one_sentence(observation, said):
    refused(lambda: board_of(observation), "observation must", said)


# --- What an agent answers --------------------------------------------------------------------------------------------


def test_an_agent_whose_game_is_over_answers_nothing():
    over = planes_of(Board.from_moves("1212121"))
    assert Agent(len).choose(over, -1, True, False, {}) is None
    assert Agent(len).choose(over, -1, False, True, {}) is None


# --- Whole games ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("first", KINDS)
@pytest.mark.parametrize("second", KINDS)
def test_from_the_same_streams_a_game_is_the_native_one_move_for_move(env, first, second):
    for game in range(2):
        pair = make_player(first, seed=1), make_player(second, seed=2)
        for player in pair:
            player.reset(game)
        there = play_environment(*pair, seed=game, env=env)
        for player in pair:
            player.reset(game)
        here = play_game(*pair, Board())
        assert (there.result, there.moves, there.ending) == (here.result, here.moves, here.ending)


@pytest.mark.parametrize(
    ("moves", "result", "ending"),
    [
        ([0, 1, 0, 1, 0, 1, 0], 1, "row"),
        ([6, 0, 1, 0, 1, 0, 1, 0], -1, "row"),
        ([0, 1] * 3 + [1, 0] * 3 + [2, 3] * 3 + [3, 2] * 3 + [4, 5] * 3 + [5, 4] * 3 + [6] * 6, 0, "full"),
        ([0] * 7, -1, "illegal move: column 1 is full"),
        ([1] + [0] * 7, 1, "illegal move: column 1 is full"),
        ([3, 9], 1, "illegal move: returned 9"),
        ([3, 2, -1], -1, "illegal move: returned -1"),
        ([3, "a"], 1, "illegal move: returned 'a'"),
        ([3, None], 1, "illegal move: returned None"),
        ([3, True], 1, "illegal move: returned True"),
    ],
)
def test_games_end_there_as_here(env, moves, result, ending):
    played = play_environment(*two_scripts(moves), env=env)
    assert (played.result, played.ending) == (result, ending)
    here = play_game(*two_scripts(moves), Board())
    assert (here.result, here.ending, here.moves) == (played.result, played.ending, played.moves)


def test_an_agent_that_fails_loses_and_the_ending_says_by_what(env):
    def give_up(board):
        raise Forfeit("no time left")

    played = play_environment(make_player("random"), give_up, env=env)
    assert (played.result, played.ending, len(played.moves)) == (1, "no time left", 1)
    played = play_environment(lambda board: board.nothing, make_player("random"), env=env)
    assert (played.result, played.moves) == (-1, ())
    assert played.ending.startswith("AttributeError")


def test_the_environment_punishes_an_illegal_move_as_the_module_says(env, capsys):
    env.reset()
    for _ in range(7):
        env.step(0)
    ends = {}
    for name in env.agent_iter():
        _, reward, terminated, truncated, _ = env.last()
        ends[name] = (reward, terminated, truncated)
        env.step(None)
    assert ends == {"player_0": (-1, True, True), "player_1": (0, True, True)}
    capsys.readouterr()
    assert play_environment(*two_scripts([0] * 7), env=env).result == -1
    assert capsys.readouterr().out == ""  # the environment's own two lines for each illegal move are kept back


def test_it_is_the_environment_that_pettingzoo_calls_connect_four_v3(env):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # since 1.27 the module warns of itself
        from pettingzoo.classic import connect_four_v3
    assert str(env) == str(connect_four_v3.env()) == "connect_four_v3"
    assert type(env.unwrapped) is connect_four_v3.raw_env


@pytest.mark.parametrize("player", ["uct", None, 3], ids=repr)
def test_what_is_no_player_is_refused_before_any_game(player):
    for act in (lambda: Agent(player), lambda: Board().run(player, make_player("random"))):
        with pytest.raises(ValueError, match=rf"^player must have play\(board\), .*; got {player!r}") as caught:
            act()
        assert ("make_player" in str(caught.value)) == isinstance(player, str)
