"""Agents for PettingZoo's connect_four_v3 as players: the forms they have, what they see, and what they do wrong."""

from __future__ import annotations

import numpy as np
import pytest

from connect4 import Board
from connect4.pettingzoo import environment, observation_of
from connect4.referee import play_game
from experiments.players import make_player
from tests.refusals import refused

MINE = "tests.connect4.my_agents."


def rightmost(board: Board) -> int:
    return board.legal_moves()[-1]


def test_an_agent_sees_what_the_environment_shows():
    pytest.importorskip("pygame", reason="PettingZoo's Connect Four needs it")
    env, board = environment(), Board()
    env.reset()
    for column in (3, 3, 4, 2, 3, 3, 3, 3, 0):
        seen, own = env.last()[0], observation_of(board)
        for name in ("observation", "action_mask"):
            assert own[name].dtype == seen[name].dtype
            assert np.array_equal(own[name], seen[name])
        env.step(column)
        board.play(column)


@pytest.mark.parametrize(
    ("agent", "columns"),
    [("leftmost", [0, 0, 1]), ("of_a_mapping", [0, 0, 1]), ("model", [6, 6, 6]), ("Model", [6, 6, 6])],
)
def test_agents_of_every_form_play(agent: str, columns: list[int]):
    player = make_player("pettingzoo", agent=MINE + agent)
    assert [player.play(Board.from_moves(moves)) for moves in ("", "4", "111111")] == columns
    assert all(type(player.play(Board())) is int for _ in range(2))


@pytest.mark.parametrize(
    ("agent", "ending"),
    [
        ("outside", "illegal move: returned 9"),
        ("asleep", "no move after 0.2 s"),
        ("several", "ValueError: can only convert an array of size 1 to a Python scalar"),
    ],
)
def test_what_an_agent_does_wrong_loses_its_game(agent: str, ending: str):
    player = make_player("pettingzoo", agent=MINE + agent, limit=0.2 if agent == "asleep" else 10.0)
    played = play_game(player, rightmost, Board())
    assert (played.result, played.ending) == (-1, ending)


@pytest.mark.parametrize(
    ("agent", "sentence"),
    [
        ("", "agent must be a dotted path such as my_agents.Agent; got ''"),
        (
            f"{MINE}no_agent",
            f"agent '{MINE}no_agent' must name a function of observation and action_mask, or a class or object with "
            "act or predict; it names a str",
        ),
        ("my_nothing.A", "agent 'my_nothing.A': no module 'my_nothing' can be imported from here (it was not found)"),
    ],
)
def test_what_is_no_agent_is_refused(agent: str, sentence: str):
    assert refused(lambda: make_player("pettingzoo", agent=agent)) == sentence


def test_the_environment_has_one_board():
    player = make_player("pettingzoo", agent=f"{MINE}leftmost")
    for size in ((7, 6, 5), (8, 6, 4)):
        with pytest.raises(ValueError, match=r"^board must be 7x6 with connect=4, the only size of PettingZoo's"):
            player.check_board(Board(*size))
