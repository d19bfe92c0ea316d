"""What every registered player promises; a new one is tested by being registered."""

from __future__ import annotations

import functools
import io
import itertools
import pickle
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from connect4 import Board
from connect4.players import Human
from experiments import players
from experiments.players import make_player
from numerics.players import Player
from tests.internals import Chooser
from tests.refusals import refused

PLAYERS = {
    kind: cls for kind, cls in players.PLAYERS.members.items() if cls.__module__.startswith(("connect4.", "mcts."))
}
NEEDED: dict[str, dict[str, Any]] = {
    "kaggle": {"file": str(Path(__file__).with_name("my_submission.py"))},
    "pettingzoo": {"agent": "tests.connect4.my_agents.Wanderer"},
    "custom": {"path": "tests.connect4.my_players.Wanderer"},
    "program": {"command": f"{sys.executable} -m tests.connect4.my_engine"},
}
VARIATIONS: dict[str, list[dict[str, Any]]] = {
    "level_4": [{"order": "centre-runs"}],
    "minimax": [
        {"depth": 1, "ties": "left"},
        {"depth": 2, "ties": "centre", "heuristic": "tests.connect4.test_players.stones_in_the_first_column"},
    ],
    "lookahead": [{"ply": 0}, {"ply": 3, "tiebreak": "LEFT"}, {"ply": 1, "tiebreak": "RIGHT"}],
    "custom": [{"path": "tests.connect4.my_players.leftmost", "seconds": 5.0}],
    "pettingzoo": [{"agent": "tests.connect4.my_agents.leftmost", "limit": 5.0}],
    "open_spiel": [{"simulations": 20, "uct_c": 1.5, "solve": False}, {"bot": "tests.connect4.my_bots.Leftmost"}],
    "monte_carlo": [
        {"simulations": 40, "policy": "ucb", "playouts": "biased"},
        {"simulations": 40, "policy": {"name": "thompson", "alpha": 2.0}},
    ],
    "biased_monte_carlo": [{"playouts_per_move": 4}],
    "uct": [
        {"simulations": 40, "policy": "kl_ucb", "final": "value"},
        {"simulations": 40, "c": 0.5, "solve": True, "keep": True, "final": "index"},
        {"simulations": 40, "policy": {"name": "thompson"}, "playouts": "biased", "playouts_per_leaf": 2},
        {"simulations": 40, "transpositions": True, "solve": True, "keep": True},
        {"simulations": 40, "policy": "puct", "prior": "lines", "solve": True, "keep": True},
    ],
}
SIZES = [(4, 4, 4), (7, 6, 4), (9, 9, 5), (2, 2, 2), (1, 1, 2)]
ALL = [(kind, parameters) for kind in PLAYERS for parameters in ({}, *VARIATIONS.get(kind, []))]
MACHINES = [(kind, parameters) for kind, parameters in ALL if kind != "human"]
every_machine = pytest.mark.parametrize(("kind", "parameters"), MACHINES, ids=str)


class Everything(io.StringIO):
    """Answers with every column in turn, for ever."""

    def __init__(self) -> None:
        super().__init__()
        self.answers = itertools.cycle(range(9))

    def readline(self, *_: Any) -> str:
        return f"{next(self.answers)}\n"


def made(kind: str, parameters: dict[str, Any], seed: int = 0) -> Player:
    """Return a player that needs nobody at the terminal."""
    player = make_player(kind, seed=seed, **NEEDED.get(kind, {}) | parameters)
    if isinstance(player, Human):
        player.source, player.sink = Everything(), io.StringIO()
    return player


def moves(player: Player, board: Board | None = None, plies: int = 14) -> list[int]:
    """What a player plays against itself; an illegal move is noted and another column played."""
    board, played = board or Board(), []
    while not board.is_finished() and len(played) < plies:
        column = player.play(board.copy())
        played.append(column)
        board.play(column if column in board.legal_moves() else board.legal_moves()[0])
    return played


@pytest.mark.sampled(12)
@pytest.mark.parametrize(("place", "kind", "parameters"), [(place, *one) for place, one in enumerate(ALL)], ids=str)
def test_columns_are_legal_and_the_board_stays_as_it_was(place: int, kind: str, parameters: dict[str, Any]):
    """Each player on two of the sizes, in turn."""
    for size in (SIZES[place % len(SIZES)], SIZES[(place + 2) % len(SIZES)]):
        player, board = made(kind, parameters, seed=3), Board(*size)
        if kind == "pettingzoo" and size != (7, 6, 4):
            refused(functools.partial(player.check_board, board), "board ", "7x6")
            continue
        while not board.is_finished():
            before = (board.copy(), board.moves, board.heights, str(board))
            column = player.play(board)
            assert (board, board.moves, board.heights, str(board)) == before
            assert type(column) is int
            assert column in board.legal_moves() or (kind == "level_0" and 0 <= column < board.width)
            board.play(column if column in board.legal_moves() else board.legal_moves()[0])


@pytest.mark.sampled(4)
@every_machine
def test_the_same_seed_plays_the_same_and_each_game_has_its_own_chance(kind: str, parameters: dict[str, Any]):
    player, games = made(kind, parameters, seed=1), []
    assert player.number == 0, "a new player begins with the first game"
    first = player.rng.copy()
    for game in range(4):
        player.reset(game)
        games.append(moves(player))
    for game in (2, 0):
        fresh = made(kind, parameters, seed=1)
        fresh.reset(game)
        assert moves(fresh) == games[game], "nothing of the games before is known"
    player.reset(0)
    np.testing.assert_array_equal(player.rng, first)
    player.reset()
    assert moves(player) == games[1], "without a number, the next game begins"
    others = [moves(made(kind, parameters, seed=seed)) for seed in range(2, 6)]
    if chance(kind, parameters):
        assert len({tuple(game) for game in games}) > 1
        assert any(other != games[0] for other in others)
    else:
        assert all(game == games[0] for game in [*games, *others])


def chance(kind: str, parameters: dict[str, Any]) -> bool:
    """Whether anything is left to chance."""
    fixed = parameters.get("ties", "random") != "random" or parameters.get("tiebreak", "RANDOM") != "RANDOM"
    named = " ".join(map(str, parameters.values()))
    return not fixed and kind not in ("program", "kaggle") and "leftmost" not in named.lower()


@pytest.mark.sampled(12)
@every_machine
def test_a_player_pickled_in_a_game_goes_on_as_it_would_have(kind: str, parameters: dict[str, Any]):
    player = made(kind, parameters, seed=4)
    player.reset(2)
    if kind not in ("custom", "pettingzoo"):  # whose object is made anew
        moves(player, plies=3)
    twin = pickle.loads(pickle.dumps(player))
    assert str(twin) == str(player)
    assert moves(twin) == moves(player)
    assert pickle.loads(pickle.dumps(make_player("human"))).name == "human"


@pytest.mark.parametrize("kind", [kind for kind, cls in PLAYERS.items() if issubclass(cls, Chooser)])
def test_after_the_end_of_a_game_there_is_nothing_to_play(kind: str):
    refused(lambda: made(kind, {}).play(Board.from_moves("1212121")), "board ", "finished")


def test_random_plays_every_column_equally_often():
    player = make_player("random", seed=6)
    counts = Counter(player.play(Board()) for _ in range(700))
    assert sum((counts[column] - 100) ** 2 / 100 for column in range(7)) < 38.3  # of chi-squared(6) 1 in 10^6 is above
