"""The exact search beside the simulations: the solver, and a plain negamax of tic-tac-toe, say what it must find."""

from __future__ import annotations

import dataclasses
import functools
import random
from typing import Any

import numba
import numpy as np
import pytest

from connect4 import Board, Solver
from mcts import Search, UCTPlayer, search
from mcts.exact import POSITIONS, ExactSearch
from numerics.games import DRAWN, LOST, UNDECIDED, WON, Exact, Game
from tests.connect4.positions import undecided
from tests.mcts.games import LINES, TicTacToe
from tests.mcts.trees import check_exact_search, same
from tests.refusals import refused

pytestmark = pytest.mark.kernels

SIZES = [(4, 4, 3), (5, 4, 4), (4, 5, 4), (5, 3, 3)]


@functools.cache
def solver(*size: int) -> Solver:
    return Solver(*size, book=None, table_bits=16)


def in_plies(score: int, left: int) -> int:
    """A score of the solver as one of the hook: the stones that still have room after the last one, and one."""
    if score == 0:
        return 0
    lengths = range(1 if score > 0 else 2, left + 1, 2)  # of a game that the side to move wins, or loses
    # the solver's score of a game that ends so: the pairs of stones, with that of the winner, that are left
    length = next(n for n in lengths if (left - n + 2) // 2 == abs(score))
    return (left - length + 1) * (1 if score > 0 else -1)


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_the_hook_answers_every_question_as_the_solver_does_in_parts_of_any_length(size: tuple[int, int, int]):
    draw = random.Random(2)
    for board in undecided(15, [size], fewest=6):
        score, left = solver(*size).solve(board).score, size[0] * size[1] - board.plies
        check_exact_search(board.game.exact_search(), board.game.state, left, in_plies(score, left), draw)


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_a_solved_root_has_the_exact_score_and_plays_a_move_that_has_it(size: tuple[int, int, int]):
    for number, board in enumerate(undecided(8, [size], fewest=6)):
        running = Search(board, "ucb", seed=number, solve=True, exact=True)
        running.run(30)
        for _ in range(2_000):
            if running._exact.solved:  # type: ignore[union-attr]
                break
            running.run(10)
        result, left, scores = running.result(), size[0] * size[1] - board.plies, solver(*size).scores(board)
        exact = running._exact
        assert exact is not None
        best = max(score for score in scores if score is not None)
        assert int(exact.low.max()) == int(exact.high.max()) == in_plies(best, left)
        assert scores[result.best_move] == best
        assert result.value == running.proven == 0.5 + 0.5 * np.sign(best)
        if best != 0:
            assert result.distance == left + 1 - abs(in_plies(best, left))
        for move, outcome in zip(result.moves, result.outcomes, strict=True):
            score: Any = scores[move]
            assert outcome in ("", {1: "won", 0: "drawn", -1: "lost"}[int(np.sign(score))])


@pytest.mark.jit
@pytest.mark.parametrize("options", [{}, {"tactics": True, "transpositions": True, "policy": "puct"}], ids=str)
def test_simulations_run_in_parts_are_those_run_at_once(options: dict[str, Any]):
    for board in undecided(4, [(7, 6, 4)], fewest=10):
        at_once, in_parts = (Search(board, seed=3, solve=True, exact=True, **options) for _ in range(2))
        at_once.run(2_000)
        for part in (1, 62, 5, 700, 1, 1_000, 231):
            in_parts.run(part)
        assert same(at_once.result(), in_parts.result())
        first, second = at_once._exact, in_parts._exact
        assert first is not None
        assert second is not None
        assert first.positions == second.positions <= POSITIONS * 2_000
        np.testing.assert_array_equal(first.low, second.low)
        np.testing.assert_array_equal(first.high, second.high)


@pytest.mark.jit
def test_what_is_proven_is_true_also_where_the_budget_ends_early():
    for size in SIZES:
        for number, board in enumerate(undecided(15, [size], seed=5, fewest=2)):
            scores = solver(*size).scores(board)
            result = search(board, simulations=70 + number, seed=number, solve=True, exact=True)
            for move, outcome, plies in zip(result.moves, result.outcomes, result.distances, strict=True):
                score: Any = scores[move]
                assert outcome in ("", {1: "won", 0: "drawn", -1: "lost"}[int(np.sign(score))])
                if plies >= 0:  # at most so many
                    left = size[0] * size[1] - board.plies
                    assert plies >= left + 1 - abs(in_plies(score, left))


@pytest.mark.jit
def test_a_proof_leaves_sixteen_positions_for_each_simulation_that_was_wanted_also_after_a_move():
    board = Board.from_moves("44444432")
    running = Search(board, seed=1, solve=True, exact=True)
    running.run(3_000)
    for simulations in (3_000, 4_500):
        exact = running._exact
        assert exact is not None
        assert running.proven is not None
        assert not exact.solved
        assert exact.positions == POSITIONS * simulations
        running.run(1_500)
    assert running.advance(board, [])
    running.run(100)
    assert running._exact is not None
    assert running._exact.positions == POSITIONS * 100


def test_workers_and_a_kept_tree_have_an_exact_search_each():
    (board,) = undecided(1, [(5, 4, 4)], fewest=8)
    best = solver(5, 4, 4).solve(board).value
    assert search(board, simulations=4_000, workers=2, solve=True, exact=True).value == best
    player = UCTPlayer(simulations=2_000, solve=True, exact=True, keep=True)
    player.reset(0)
    while not board.is_finished():
        kept = max(score for score in solver(5, 4, 4).scores(board) if score is not None)
        move = player.play(board)
        assert solver(5, 4, 4).scores(board)[move] == kept
        board.play(move)


@numba.njit
def _worth(state: Any, left: int) -> int:
    """The score of a position of tic-tac-toe for the side to move, by plain negamax."""
    best = -9
    for cell in range(9):
        if state[cell] == 0:
            after = state.copy()
            after[cell] = after[9]
            after[9] = -after[9]
            score = 0
            for a, b, c in LINES:
                if after[a] == state[9] and after[b] == state[9] and after[c] == state[9]:
                    score = left
            if score == 0 and left > 1:
                score = -_worth(after, left - 1)
            best = max(best, score)
    return best


def all_at_once(state: Any, bounds: Any, least: int, positions: int, memory: Any) -> int:
    left = 0
    for cell in range(9):
        left += state[cell] == 0
    score = _worth(state, left)
    if score >= least:
        bounds[0] = max(bounds[0], score)
    else:
        bounds[1] = min(bounds[1], score)
    memory[0] += 1
    return 1


def never(state: Any, bounds: Any, least: int, positions: int, memory: Any) -> int:
    return 0


def wider(state: Any, bounds: Any, least: int, positions: int, memory: Any) -> int:
    bounds[1] += 1
    return 1


class WithExact(TicTacToe):
    """Tic-tac-toe with a hook of a user's."""

    narrow: Any = staticmethod(all_at_once)

    @property
    def game(self) -> Game:
        return dataclasses.replace(
            super().game, exact=Exact(self.narrow, lambda _state, _positions: np.zeros(1, np.int64))
        )


def test_a_game_of_a_users_may_have_an_exact_search():
    assert search(WithExact(), simulations=200, solve=True, exact=True).value == 0.5
    result = search(WithExact("XO..X...O"), simulations=100, solve=True, exact=True)  # a corner makes two threats
    assert result.value == 1.0
    assert result.distance == 3


@pytest.mark.parametrize("narrow", [never, wider])
def test_a_wrong_answer_of_the_hook_is_refused(narrow: Any):
    board = WithExact()
    board.narrow = narrow  # type: ignore[method-assign]
    refused(lambda: search(board, simulations=100, solve=True, exact=True), "exact hook ", narrow.__name__)


def test_bounds_learn_what_simulations_have_proven():
    exact = ExactSearch(Board(4, 4, 3).game)
    exact._begin(np.arange(4))
    exact._learn(np.array([WON, LOST, DRAWN, UNDECIDED], dtype=np.int8))
    assert exact.low.tolist() == [1, -16, 0, -16]
    assert exact.high.tolist() == [16, -1, 0, 16]
    assert exact.outcome == WON
