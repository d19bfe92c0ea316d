"""Forced wins, only moves and proven values, with alpha-beta and plain minimax as judges that know nothing of trees."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest

from bandits import UCB, make
from connect4 import Board
from mcts import Search, search
from numerics.games import DRAWN, LOST, UNDECIDED, WON
from tests.internals import COMPILED, WIN, PGame, column_values
from tests.mcts.games import TicTacToe
from tests.mcts.naive_solver import solved
from tests.mcts.test_distances import exact
from tests.mcts.trees import result_of

pytestmark = pytest.mark.kernels

_NO_WEIGHTS = np.zeros((7, 6), dtype=np.int64)
_DECIDED = WIN // 2
BUDGETS = {1: 1_000, 3: 3_000, 5: 30_000}  # simulations within which a win in so many plies is found
ONLY_MOVES = 100_000  # and an only move
SOLVING = 10_000  # all of them, with the solver


def judged(board: Board, depth: int) -> dict[int, int]:
    """The value of every legal column: WIN - p for a win in p plies, p - WIN for a loss, 0 for neither."""
    values = column_values(board, board.to_move, _NO_WEIGHTS, depth)
    return {column: int(values[column]) for column in board.legal_moves()}


@functools.cache
def positions() -> list[Board]:
    """Positions after 6 to 29 random moves."""
    generator, found = np.random.default_rng(1), []
    while len(found) < 1_500:
        board, plies = Board(), int(generator.integers(6, 30))
        while board.plies < plies and not board.is_finished():
            board.play(int(generator.choice(board.legal_moves())))
        if not board.is_finished():
            found.append(board)
    return found


@functools.cache
def wins_in(plies: int) -> list[Board]:
    """Those of the positions whose shortest forced win takes so many plies."""
    return [board for board in positions() if max(judged(board, plies).values()) == WIN - plies]


@functools.cache
def only_moves() -> list[tuple[Board, int]]:
    """Those where a single column does not lose within 4 plies, and none wins within 5, with that column."""
    found = []
    for board in positions():
        values = judged(board, 5)
        holding = [column for column, value in values.items() if value > -_DECIDED]
        if len(holding) == 1 < len(values) and values[holding[0]] < _DECIDED:
            found.append((board, holding[0]))
    return found


@pytest.mark.sampled(1)
@pytest.mark.jit
@pytest.mark.parametrize(
    ("plies", "solve"),
    [
        pytest.param(plies, solve, marks=pytest.mark.long if plies == 5 and not solve else [])
        for plies in BUDGETS
        for solve in (False, True)
    ],
)
def test_every_forced_win_is_found(plies: int, solve: bool):
    boards = wins_in(plies)
    assert len(boards) >= 30
    simulations = SOLVING if solve else BUDGETS[plies]
    for seed, board in enumerate(boards):
        found = search(board, UCB(c=1.0), simulations=simulations, seed=seed, solve=solve)
        # Any forced win will do: a search may prefer one in 7 plies to the shortest.
        won = found.best_move in board.winning_moves() or judged(board, 14)[found.best_move] > _DECIDED
        assert won, (board.notation, found.visits)


@pytest.mark.long
@pytest.mark.jit
@pytest.mark.parametrize("solve", [pytest.param(False, marks=pytest.mark.long), True])
def test_every_only_move_is_found(solve: bool):
    assert len(only_moves()) >= 200
    for seed, (board, only) in enumerate(only_moves()[:: 1 if solve else 2]):
        simulations = SOLVING if solve else ONLY_MOVES
        found = search(board, UCB(c=1.0), simulations=simulations, seed=seed, solve=solve)
        assert found.best_move == only, (board.notation, found.visits)


# --- proven values ---------------------------------------------------------------------------------------------------


def assert_proven(board: Any, value: float, after: dict[int, float], policy: str = "ucb", most: int = 200_000) -> None:
    """Search until the root is proven, and compare with the exact value of the position and of each of its moves."""
    running = Search(board, make(policy), simulations=most, seed=1, solve=True)
    running.run(most)
    found = running.result()
    assert running.proven == found.value == value
    assert found.simulations < most, "a proven root ends the search"
    assert after[found.best_move] == after[found.choose("value")] == max(after.values())
    names = {1.0: "won", 0.5: "drawn", 0.0: "lost"}
    for move, outcome in zip(found.moves.tolist(), found.outcomes, strict=True):
        assert outcome in ("", names[after[move]])
    running.run(100)
    assert running.result().simulations == found.simulations, "there is nothing more to find out"


@pytest.mark.parametrize("seed", range(12))
def test_p_games_are_proven(seed: int):
    tree = PGame(branching=2 + seed % 3, depth=4, seed=seed)
    after = dict(enumerate(tree.values().tolist()))
    assert_proven(tree, max(after.values()), after)


@pytest.mark.jit
@pytest.mark.parametrize("policy", ["ucb", "kl_ucb", "thompson"])
def test_positions_on_a_board_of_4_x_4_are_proven(policy: str):
    generator, tried = np.random.default_rng(3), 0
    while tried < 40:
        board = Board(4, 4, connect=3 if tried % 2 else 4)
        for _ in range(int(generator.integers(7, 12))):
            if not board.is_finished():
                board.play(int(generator.choice(board.legal_moves())))
        # A draw is proven by trying everything else: a policy that soon stops exploring does not get there.
        if not board.is_finished() and (policy == "ucb" or exact(board.copy())[0] != 0.5):
            tried += 1
            after = {}
            for column in board.legal_moves():
                board.play(column)
                after[column] = 1.0 - exact(board.copy())[0]
                board.undo()
            assert_proven(board, exact(board.copy())[0], after, policy)


@pytest.mark.parametrize("policy", ["ucb", "kl_ucb", "thompson", "ucb_v"])
@pytest.mark.parametrize(
    "board",
    [TicTacToe("XX..O...."), TicTacToe("X...O...."), PGame(3, 4), Board(4, 4, connect=3), Board.from_moves("4443333")],
    ids=lambda one: repr(one)[:24],
)
def test_the_solver_makes_the_visits_of_its_twin_with_node_objects(board: Any, policy: str):
    inner = 0  # nodes with children of which something was proven
    for seed in range(3 if COMPILED else 2):
        found = search(board, make(policy), simulations=500, seed=seed, solve=True)
        root = solved(board.game, make(policy), 500, seed)
        assert found.simulations == root.visits
        if root.proven in (WON, LOST):
            lengths = {child.move: child.plies + 1 for child in root.children if child.proven == -root.proven}
            assert [lengths.get(move, -1) for move in found.moves] == found.distances.tolist()
        nodes = [(root, 0)]
        while nodes:
            node, place = nodes.pop()
            tree = found.tree
            assert (node.visits, node.proven) == (tree.visits[place], tree.outcome[place]) or node.visits == 0
            if node.visits:
                assert node.value == pytest.approx(tree.values[place], abs=1e-12)
            inner += node.proven != UNDECIDED and bool(node.children)
            nodes += [(child, int(tree.child[place]) + j) for j, child in enumerate(node.children)]
    assert inner > 0, "nothing was backed up"


def test_a_proven_draw_is_played_before_a_move_that_looks_worse_though_it_was_visited_more():
    """X to move: 0 draws; what is not yet proven had more visits."""
    found = result_of([60.0, 10.0, 50.0], [0.5, 0.5, 0.4], [UNDECIDED, DRAWN, UNDECIDED])
    assert found.best_move == found.choose("value") == 0
    found.tree.values[2] = 0.6
    assert found.best_move == found.choose("value") == 1


def test_a_lost_move_is_never_chosen_again_whatever_the_rule_looks_at():
    """The side to move loses by every cell but one: once that is proven, all simulations go there."""
    board = TicTacToe("XX..O....")
    for policy in ("ucb", "kl_ucb", "thompson", "ucb_v", "moss"):
        running = Search(board, make(policy), simulations=20_000, seed=2, solve=True)
        lost_visits: dict[int, int] = {}
        for _ in range(60):
            running.run(20)
            found = running.result()
            for move, outcome, visits in zip(found.moves, found.outcomes, found.visits, strict=True):
                if outcome == "lost":
                    assert visits == lost_visits.setdefault(int(move), int(visits)), policy
        assert running.choose() == 2
        assert lost_visits
