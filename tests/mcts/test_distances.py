"""How soon what is proven ends, with plain minimax over whole games as the judge."""

from __future__ import annotations

import functools
import itertools
from typing import Any

import numpy as np
import pytest

from connect4 import Board
from mcts import search
from mcts.parallel import begin
from mcts.result import SearchResult
from numerics.games import DRAWN, LOST, UNDECIDED, WON
from tests.mcts.trees import result_of

pytestmark = pytest.mark.kernels

OPTIONS = ("tactics", "transpositions")
CHOSEN = [dict(zip(OPTIONS, values, strict=True)) for values in itertools.product([False, True], repeat=2)]
BOARDS = [(4, 4, 3), (4, 4, 4), (5, 3, 3)]


@functools.cache
def exact(board: Board) -> tuple[float, int]:
    """The value for the side to move and the plies to the end, a win as soon and a loss as late as possible."""
    if board.is_finished():
        return 0.5 + 0.5 * board.winner() * board.to_move, 0
    replies = []
    for column in board.legal_moves():
        after = board.copy()
        after.play(column)
        value, plies = exact(after)
        replies.append((1.0 - value, plies + 1))
    best = max(value for value, _ in replies)
    lengths = [plies for value, plies in replies if value == best]
    return best, min(lengths) if best == 1.0 else max(lengths)


def positions(size: tuple[int, int, int], count: int, seed: int) -> list[Board]:
    """Unfinished positions of random games, the last half of the board left to play."""
    rng, found = np.random.default_rng(seed), []
    while len(found) < count:
        board = Board(*size)
        for _ in range(int(rng.integers(size[0] * size[1] // 2 - 2, size[0] * size[1] - 3))):
            if not board.is_finished():
                board.play(int(rng.choice(board.legal_moves())))
        if not board.is_finished():
            found.append(board)
    return found


def assert_bounds(found: SearchResult, board: Board) -> bool:
    """Hold the distance of the position and of each move against the exact ones; return whether there is one."""
    value = exact(board)[0]
    for move, proof, plies in zip(found.moves, found.outcomes, found.distances.tolist(), strict=True):
        after = board.copy()
        after.play(int(move))
        assert (plies >= 0) == (found.distance is not None and proof == {1.0: "won", 0.0: "lost"}[value])
        assert plies < 0 or plies >= 1 + exact(after)[1], (str(board), move)
    if found.distance is None:
        return False
    assert value != 0.5
    known = found.distances[found.distances >= 0]
    assert found.distance == found.distances[found.moves == found.best_move][0] == (min if value else max)(known)
    return True


@pytest.mark.parametrize("size", BOARDS, ids=str)
@pytest.mark.parametrize("chosen", CHOSEN, ids=str)
def test_no_distance_is_below_the_exact_one(size: tuple[int, int, int], chosen: dict[str, Any]):
    proven = [
        assert_bounds(search(board, simulations=300, seed=seed, solve=True, **chosen), board)
        for seed, board in enumerate(positions(size, 20, 1))
    ]
    assert sum(proven) >= 3


@pytest.mark.sampled(1)
@pytest.mark.parametrize("size", BOARDS, ids=str)
def test_what_threats_decide_ends_no_later_than_they_say(size: tuple[int, int, int]):
    seen = set()
    for board in positions(size, 60, 2):
        game = board.game.tactical()
        known = game.outcome(game.state)
        if known not in (UNDECIDED, DRAWN):
            value, plies = exact(board)
            assert value == 0.5 - 0.5 * known
            bound = board.game.tactics.plies(game.state)  # type: ignore[union-attr, misc]
            assert bound == plies if bound <= 3 else bound >= plies
            seen.add(bound)
    assert {1, 3} <= seen


def test_a_distance_stays_a_bound_while_a_tree_is_kept_and_when_workers_add_theirs():
    for workers in (1, 2):
        for seed, board in enumerate(positions((4, 4, 3), 8, 3)):
            running = begin(board, workers=workers, simulations=100, seed=seed, solve=True, transpositions=True)
            while not board.is_finished():
                running.spend(100, None)
                assert_bounds(running.result(), board)
                board.play(running.choose())
                if not board.is_finished():
                    running.advance(board, [board.moves[-1]])


def test_a_search_that_proves_nothing_knows_no_distance():
    found = search(Board.from_moves("112233"), simulations=500, seed=1)
    assert found.distance is None
    assert set(found.distances.tolist()) == {-1}
    won = search(Board.from_moves("112233"), simulations=500, seed=1, solve=True)
    assert won.distance == 1
    assert "won in 1" in won.proofs


@pytest.mark.parametrize(("known", "plies", "best"), [(WON, [6, 2, 4], 1), (LOST, [3, 5, 1], 1), (LOST, [3, 1, 3], 2)])
def test_a_win_is_played_soon_and_a_loss_late_and_equal_ones_by_visits(known: int, plies: list[int], best: int):
    outcomes, bounds = [-known, known, known, known], np.array(plies, dtype=np.int64)
    found = result_of([60.0, 10.0, 15.0, 35.0], [0.5, 0.5, 0.4, 0.5], outcomes, plies=bounds)
    assert found.best_move == found.choose("value") == best
    assert found.distance == 1 + plies[best]
