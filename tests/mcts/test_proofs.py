"""Forced wins, only moves, proven values and how soon they end; alpha-beta, plain minimax and a twin are the judges."""

from __future__ import annotations

import functools
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from bandits import UCB, Policy, make
from connect4 import Board
from mcts import Search, search
from mcts.parallel import begin
from mcts.reference import Node, select, shuffle_moves
from mcts.result import SearchResult
from mcts.streams import PLAYOUT, streams_of
from numerics.games import DRAWN, LOST, UNDECIDED, WON, Game
from numerics.random import Purpose
from tests.connect4.positions import undecided
from tests.internals import WIN, PGame, column_values
from tests.mcts.games import TicTacToe
from tests.mcts.trees import result_of

pytestmark = pytest.mark.kernels

_NO_WEIGHTS = np.zeros((7, 6), dtype=np.int64)
_DECIDED = WIN // 2
BUDGETS = {1: 1_000, 3: 3_000}  # simulations within which a win in so many plies is found
SOLVING = 10_000  # and any, and an only move, with the solver


def judged(board: Board, depth: int) -> dict[int, int]:
    """The value of every legal column: WIN - p for a win in p plies, p - WIN for a loss, 0 for neither."""
    values = column_values(board, board.to_move, _NO_WEIGHTS, depth)
    return {column: int(values[column]) for column in board.legal_moves()}


@functools.cache
def wins_in(plies: int) -> list[Board]:
    """Positions after 6 to 29 random moves whose shortest forced win takes so many plies."""
    boards = undecided(800, [(7, 6, 4)], fewest=6, most=29)
    return [board for board in boards if max(judged(board, plies).values()) == WIN - plies]


@pytest.mark.jit
@pytest.mark.parametrize(
    ("plies", "solve"), [(1, False), pytest.param(3, False, marks=pytest.mark.long), (3, True), (5, True)]
)
def test_every_forced_win_is_found(plies: int, solve: bool):
    boards = wins_in(plies)
    assert len(boards) >= 10
    for seed, board in enumerate(boards[:30]):
        found = search(board, UCB(c=1.0), simulations=SOLVING if solve else BUDGETS[plies], seed=seed, solve=solve)
        # Any forced win will do: a search may prefer one in 7 plies to the shortest.
        won = found.best_move in board.winning_moves() or judged(board, 14)[found.best_move] > _DECIDED
        assert won, (board.notation, found.visits)


# --- proven values ---------------------------------------------------------------------------------------------------


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


@pytest.mark.parametrize("seed", range(3))
def test_p_games_are_proven(seed: int):
    tree = PGame(branching=2 + seed % 3, depth=4, seed=seed)
    after = dict(enumerate(tree.values().tolist()))
    assert_proven(tree, max(after.values()), after)


@pytest.mark.jit
@pytest.mark.parametrize("policy", ["ucb", "kl_ucb", "thompson"])
def test_positions_on_a_board_of_4_x_4_are_proven(policy: str):
    for board in undecided(20, [(4, 4, 4), (4, 4, 3)], seed=3, fewest=7, most=11):
        # A draw is proven by trying everything else: a policy that soon stops exploring does not get there.
        if policy == "ucb" or exact(board.copy())[0] != 0.5:
            after = {}
            for column in board.legal_moves():
                board.play(column)
                after[column] = 1.0 - exact(board.copy())[0]
                board.undo()
            assert_proven(board, exact(board.copy())[0], after, policy)


@dataclass
class Known(Node):
    """A node of which something may be proven, for the side that moved into it."""

    proven: int = UNDECIDED
    plies: int = -1
    children: list[Any] = field(default_factory=list)


def solved(game: Game, policy: Policy, simulations: int, seed: int) -> Known:
    """Run simulations until the root is proven, and return it."""
    rng, hooks, root = streams_of(seed, Purpose.TREE_SEARCH), policy.spec(), Known(value=0.5)
    for _ in range(simulations):
        if root.proven != UNDECIDED:
            break
        state, path = game.state.copy(), [root]
        while path[-1].proven == UNDECIDED and (path[-1].visits > 0 or path[-1] is root):
            node = path[-1]
            if not node.children:
                node.children = [Known(move, value=hooks.estimates.initial) for move in shuffle_moves(game, state, rng)]
            path.append(chosen(node, node is root, hooks, simulations, rng))
            game.play(state, path[-1].move)
            if path[-1].visits == 0:
                path[-1].proven = game.outcome(state)
                path[-1].plies = -1 if path[-1].proven == UNDECIDED else 0
        result = 0.0
        if path[-1].proven == UNDECIDED:
            result = 1.0 - game.playouts["uniform"](state, rng, PLAYOUT)
        for child, node in list(zip(path[1:], path, strict=False))[::-1]:
            if child.proven == UNDECIDED:
                break
            known = [one.proven for one in node.children]
            if WON in known:
                node.proven = LOST
            elif UNDECIDED not in known:
                node.proven = -max(known)
            if node.proven != UNDECIDED:
                lengths = [one.plies + 1 for one in node.children if one.proven == -node.proven]
                node.plies = min(lengths) if node.proven == LOST else max(lengths)
                node.value = 0.5 + 0.5 * node.proven
                node.variance = 0.0
        for node in reversed(path):
            if node.proven != UNDECIDED:
                result = 0.5 + 0.5 * node.proven
            node.visits += 1
            before = node.value
            node.value += (result - before) * (1.0 / node.visits)  # as the kernel rounds it
            node.variance += ((result - before) * (result - node.value) - node.variance) / node.visits
            result = 1.0 - result
    return root


def chosen(node: Known, at_root: bool, hooks: Any, simulations: int, rng: Any) -> Known:
    """Return a child in turn at first, then one that the rule prefers; at the root only among the unproven ones."""
    tried = sum(child.visits for child in node.children)
    if tried < hooks.estimates.explore * len(node.children) or not at_root:
        picked: Any = select(node, hooks, simulations, rng)
        return picked
    rivals = [child for child in node.children if child.proven == UNDECIDED]
    return select(Node(children=list(rivals)), hooks, simulations, rng)  # type: ignore[return-value]


TWINS: list[tuple[Any, str]] = [
    (TicTacToe("XX..O...."), "ucb"),
    (TicTacToe("XX..O...."), "thompson"),
    (TicTacToe("X...O...."), "kl_ucb"),
    (PGame(3, 4), "ucb_v"),
    (Board(4, 4, connect=3), "thompson"),
    (Board(4, 4, connect=3), "ucb"),
    (Board.from_moves("4443333"), "kl_ucb"),
]


@pytest.mark.parametrize(("board", "policy"), TWINS, ids=lambda one: repr(one)[:24])
def test_the_solver_makes_the_visits_of_its_twin_with_node_objects(board: Any, policy: str):
    inner = 0  # nodes with children of which something was proven
    for seed in range(2):
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


# --- distances -------------------------------------------------------------------------------------------------------

BOARDS = [(4, 4, 3), (4, 4, 4), (5, 3, 3)]


def endings(size: tuple[int, int, int], count: int, seed: int) -> list[Board]:
    """Unfinished positions of random games, the last half of the board left to play."""
    cells = size[0] * size[1]
    return undecided(count, [size], seed, fewest=cells // 2 - 2, most=cells - 4)


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


@pytest.mark.parametrize(
    ("size", "tactics", "transpositions"),
    [((4, 4, 3), False, True), ((4, 4, 4), True, False), ((4, 4, 4), False, False), ((5, 3, 3), True, True)],
    ids=str,
)
def test_no_distance_is_below_the_exact_one(size: tuple[int, int, int], tactics: bool, transpositions: bool):
    options: Any = {"solve": True, "tactics": tactics, "transpositions": transpositions}
    proven = [
        assert_bounds(search(board, simulations=300, seed=seed, **options), board)
        for seed, board in enumerate(endings(size, 30, 1))
    ]
    assert sum(proven) >= 3


def test_what_threats_decide_ends_no_later_than_they_say():
    seen = set()
    for board in [board for size in BOARDS for board in endings(size, 25, 2)]:
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
        for seed, board in enumerate(endings((4, 4, 3), 4, 3)):
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
