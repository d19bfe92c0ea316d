"""P-games: what a tree is, its exact values against plain minimax, and that the search finds them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mcts import search
from numerics.games import DRAWN, LOST, UNDECIDED, WON, Game
from numerics.random import streams
from tests.internals import PGame
from tests.refusals import refused

pytestmark = pytest.mark.kernels


def after(game: Game, state: np.ndarray, move: int) -> np.ndarray:
    state = state.copy()
    game.play(state, move)
    return state


def best(game: Game, state: np.ndarray) -> float:
    """The value for the side to move by plain minimax."""
    known = game.outcome(state)
    if known != UNDECIDED:
        return 0.5 - 0.5 * known
    moves = np.empty(game.most_moves, dtype=np.int64)
    return max(1.0 - best(game, after(game, state, int(move))) for move in moves[: game.legal(state, moves)])


@pytest.mark.parametrize(("branching", "depth"), [(2, 1), (2, 6), (3, 4), (5, 3), (1, 4)])
def test_values_are_those_of_plain_minimax(branching: int, depth: int):
    for tree in range(10):
        one = PGame(branching, depth, seed=4, tree=tree)
        game = one.game
        wanted = [1.0 - best(game, after(game, game.state, move)) for move in range(branching)]
        assert one.values().tolist() == wanted


def test_moves_are_worth_0_to_127_for_the_side_that_makes_them():
    game, worth = PGame(branching=40, depth=3).game, []
    first = [after(game, game.state, move) for move in range(40)]
    worth += [int(state[3]) for state in first]
    second = [after(game, first[0], move) for move in range(40)]
    worth += [int(first[0][3] - state[3]) for state in second]
    assert 0 <= min(worth) < 20
    assert 107 < max(worth) <= 127
    assert len(set(worth)) > 30


def test_a_game_ends_after_its_depth_and_its_outcome_is_that_of_the_last_mover():
    game = PGame(branching=3, depth=2).game
    seen = set()
    for first in range(3):
        for second in range(3):
            state = after(game, game.state, first)
            assert game.outcome(state) == UNDECIDED
            state = after(game, state, second)
            assert game.outcome(state) == (WON if state[3] < 0 else LOST if state[3] > 0 else DRAWN)
            seen.add(int(game.outcome(state)))
    assert seen <= {WON, LOST, DRAWN}
    assert len(seen) >= 2


def test_playouts_are_uniform_and_for_the_side_to_move():
    game, rng = PGame(branching=2, depth=3, seed=5).game, streams(1, (9,), 0, 1)
    ends = []
    for path in np.ndindex(2, 2, 2):
        state = game.state
        for move in path:
            state = after(game, state, move)
        ends.append(0.5 + 0.5 * game.outcome(state))  # the first player moves last
    with np.errstate(over="ignore"):
        results = [game.playouts["uniform"](game.state.copy(), rng, 0) for _ in range(2_000)]
    assert np.mean(results) == pytest.approx(np.mean(ends), abs=5 * 0.5 / np.sqrt(2_000))


def test_trees_differ_by_seed_and_number_and_a_path_is_always_the_same():
    words = {int(PGame(seed=seed, tree=tree).game.state[0]) for seed in range(5) for tree in range(5)}
    assert len(words) == 25
    np.testing.assert_array_equal(PGame(seed=1).game.state, PGame(seed=1).game.state)


@pytest.mark.sampled(1)
@pytest.mark.jit
@pytest.mark.parametrize(("branching", "depth", "simulations"), [(2, 10, 5_000), (4, 6, 20_000), (8, 4, 40_000)])
def test_a_search_finds_a_move_of_the_best_value(branching: int, depth: int, simulations: int):
    wrong = 0
    for tree in range(40):
        one = PGame(branching, depth, seed=7, tree=tree)
        values = one.values()
        wrong += values[search(one, simulations=simulations, seed=tree).best_move] < values.max()
    assert wrong <= 4  # the error falls to zero with the budget; see the experiment p_game


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"branching": 0}, "branching must be a whole number from 1 to 1000; got 0"),
        ({"depth": 2.5}, "depth must be a whole number from 1 to 1000; got 2.5"),
        ({"seed": -1}, "seed must be a whole number of at least 0; got -1"),
        ({"tree": "a"}, "tree must be a whole number of at least 0; got 'a'"),
    ],
)
def test_what_is_no_tree_is_refused(arguments: dict[str, Any], sentence: str):
    assert refused(lambda: PGame(**arguments)) == sentence
