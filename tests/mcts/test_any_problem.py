"""`mcts.search`, players and workers on what is no game of wins, draws and losses."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from connect4 import Board
from mcts import UCTPlayer, search
from mcts.parallel import AnyOptions
from mcts.result import SearchResult
from tests.internals import PlanOptions, PlanResult, Sailing, add_plans, plan
from tests.mcts.classes import Coins, Corridor, Nim, PigGame, RareChance, RareRewards, Sharing
from tests.mcts.games import TicTacToe
from tests.refusals import refused

pytestmark = pytest.mark.kernels


def test_each_kind_is_searched_as_it_must_be():
    for position in (PigGame(9), Corridor(4), Sharing(6)):
        found = search(position, simulations=200, seed=2)
        assert isinstance(found, PlanResult)
        assert found.visits.tolist() == plan(position, simulations=200, seed=2).visits.tolist()
    lake = Sailing(3, wind=1)
    assert search(lake, simulations=200).visits.tolist() == plan(lake, simulations=200).visits.tolist()
    assert isinstance(search(Nim((2, 3)), simulations=50), SearchResult)
    assert isinstance(search(Nim((2, 3)), simulations=50, scale=(0.0, 1.0)), PlanResult)


@pytest.mark.jit
def test_workers_add_up():
    for problem in (Sailing(3, wind=1), PigGame(9)):
        one, other = (search(problem, simulations=301, workers=2, seed=5) for _ in range(2))
        assert one.simulations == 301
        assert one.visits.sum() == 301
        assert one.visits.tolist() == other.visits.tolist()
        assert np.array_equal(one.values, other.values)


@pytest.mark.jit
def test_best_play_of_workers_begins_with_their_best_move():
    differs = 0
    for problem in (Sailing(4), PigGame(9), Sharing(6), Corridor(4)):
        for seed in range(6):
            parts = [plan(problem, simulations=30, seed=3 * seed + number) for number in range(3)]
            found = add_plans(parts)
            line = found.principal_variation
            assert line[0] == found.best_move
            assert len(line) <= found.depth
            assert line in [[found.best_move], *(part.principal_variation for part in parts)]
            assert found.visits.sum() == found.simulations == 90
            assert found.steps == sum(part.steps for part in parts)
            differs += parts[0].principal_variation[0] != found.best_move
    assert differs >= 2, "the first search prefers another move for some seeds"


OPTIONS: dict[str, Any] = {
    "root_policy": "ucb_v",
    "playouts": "biased",
    "playouts_per_leaf": 2,
    "solve": True,
    "transpositions": True,
    "tactics": True,
    "exact": True,
    "prior": np.array([0.5, 0.5]),
    "scale": "spread",
    "loop": "open",
    "steps": 5,
    "discount": 0.5,
    "widen_moves": (1.0, 0.5),
    "widen_outcomes": (1.0, 0.5),
}
PROBLEMS = [Board(), TicTacToe(), Nim((2, 3)), PigGame(9), Sailing(3, wind=1)]


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda problem: type(problem).__name__)
def test_an_option_is_taken_or_refused_by_its_name_whatever_is_searched(problem: Any):
    assert sorted(OPTIONS) == sorted(AnyOptions.__annotations__)
    plain = search(problem, simulations=20)
    for name, value in OPTIONS.items():
        try:
            found = search(problem, simulations=20, **{name: value})
        except ValueError:
            refused(lambda name=name, value=value: search(problem, simulations=20, **{name: value}), "", name)  # type: ignore[misc]
        else:
            assert found.simulations <= 20
            takes = name in PlanOptions.__annotations__ if isinstance(plain, PlanResult) else True
            assert takes, f"{name} does not apply to a {type(plain).__name__}"
    for workers in (1, 2):
        for name in ("gamma", "slove", "keep", "rng"):
            ask = {name: OPTIONS.get(name, 1), "workers": workers, "simulations": 20}
            refused(lambda ask=ask: search(problem, **ask), "option ", name)  # type: ignore[misc]


def test_players_choose_moves():
    player = UCTPlayer(simulations=300, seed=1)
    for position in (PigGame(9, turn=8), Sharing(6)):
        player.check_board(position)
        player.reset(0)
        first = player.play(position)
        assert first in position.moves()
        assert player.value is None
        player.reset(0)
        assert player.play(position) == first
    assert UCTPlayer(simulations=300, final="value").play(Sharing(6)) in (1, 2, 3)
    assert UCTPlayer(simulations=200).play(Board()) in range(7)


@pytest.mark.parametrize(
    "start", [Coins(), RareRewards(), RareChance(), Sharing(6)], ids=lambda one: type(one).__name__
)
def test_every_position_of_a_game_is_searched_whatever_its_random_games_were(start: Any):
    rng, player = random.Random(3), UCTPlayer(simulations=40)
    for game in range(5):
        position = start
        player.reset(game)
        while position.result() is None:
            if position.player() == "chance":
                position = rng.choice(position.chance())[1]
                continue
            found = search(position, simulations=40, seed=game)
            assert found.visits.sum() == 40
            assert player.play(position) in position.moves()
            after = position.play(rng.choice(position.moves()))
            position = after[0] if isinstance(after, tuple) else after


def test_a_game_of_points_has_their_values_where_the_class_says_its_kind():
    class Points(Coins):
        kind = "points"

    for row, points in (((1,), (3, 3)), ((2,), (3, 3)), ((1, 1, 2), (5, 3))):
        found = search(Points(row, points, 0), simulations=100)
        assert isinstance(found, PlanResult)
        assert round(found.value) == points[0] - points[1] + best(row)


def best(row: tuple[int, ...]) -> int:
    """By how much the player to move gains on the other with best play."""
    return 0 if not row else max(row[0] - best(row[1:]), row[-1] - best(row[:-1]))
