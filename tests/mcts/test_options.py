"""Transpositions, priors and workers: each against what it should be, by other means."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import numpy as np
import pytest

import mcts.tree
from bandits import PUCT, UCB, make
from bandits.rules import index_rule
from connect4 import Board, lines_through_cells
from mcts import search
from mcts.parallel import ParallelSearch, add_results, begin
from mcts.result import SearchResult
from tests.connect4.positions import undecided
from tests.internals import PGame, key_of
from tests.internals import game_of as connect4_game
from tests.mcts.games import TicTacToe
from tests.mcts.trees import grown, result_of, same

pytestmark = pytest.mark.kernels

OPENING = Board.from_moves("44")


def blocks_of(found: SearchResult, board: Any) -> list[set[int]]:
    """The first children of each expanded position, one where all ways to it share them; a node is reached one way."""
    game, reached = board.game, {0: board.game.state}
    for node in range(found.tree.move.size):
        if node in reached:
            for child in found.children(node):
                if child not in reached:
                    state = reached[node].copy()
                    game.play(state, int(found.tree.move[child]))
                    reached[int(child)] = state
    blocks: dict[bytes, set[int]] = {}
    for node, state in reached.items():
        if found.tree.children[node] > 0:
            blocks.setdefault(state.tobytes(), set()).add(int(found.tree.child[node]))
    return [*blocks.values()]


# --- transpositions --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("board", [OPENING, Board(8, 8), TicTacToe()], ids=["7x6", "8x8", "tic-tac-toe"])
@pytest.mark.parametrize("solve", [False, True])
def test_equal_positions_have_the_same_children_and_others_do_not(board: Any, solve: bool):
    found = search(board, UCB(c=0.3), simulations=900, seed=1, transpositions=True, solve=solve)
    blocks = blocks_of(found, board)
    assert all(len(children) == 1 for children in blocks)
    assert len({min(children) for children in blocks}) == len(blocks)
    inner = np.flatnonzero(found.tree.children > 0)
    assert len(blocks) < inner.size, "some position was reached on two ways"
    assert found.simulations == found.visits.sum() == 900
    # A child has the visits of all ways to it: more than those through the node that made it.
    for node in inner:
        same = inner[found.tree.child[inner] == found.tree.child[node]]
        assert same.size == 1 or found.tree.visits[found.children(int(node))].sum() <= found.tree.visits[same].sum()


def test_a_game_without_transpositions_has_the_tree_it_has_without_the_option():
    tree = PGame(branching=3, depth=6, seed=4)
    assert same(*(search(tree, simulations=500, seed=1, transpositions=on) for on in (False, True)))


def test_keys_of_many_positions_differ():
    generator, keys, seen = np.random.default_rng(0), set(), set()
    for _ in range(60):
        board = Board()
        while not board.is_finished():
            board.play(int(generator.choice(board.legal_moves())))
            state = board.game.state
            seen.add(state.tobytes())
            with np.errstate(over="ignore"):
                keys.add(int(key_of(state)))
    assert len(keys) == len(seen) > 500


def test_shared_children_survive_longer_arrays_and_a_move(monkeypatch: pytest.MonkeyPatch):
    whole = search(OPENING, simulations=900, seed=1, transpositions=True, policy=UCB(c=0.3))
    monkeypatch.setattr(mcts.tree, "FIRST_NODES", 16)
    monkeypatch.setattr(mcts.tree, "MOST_FIRST_NODES", 16)
    running = grown(OPENING, 900, policy=UCB(c=0.3), seed=1, transpositions=True)
    assert same(running.result(), whole)
    board, move = OPENING.copy(), whole.best_move
    board.play(move)
    assert running.advance(board, [move])
    running.run(900)
    assert all(len(children) == 1 for children in blocks_of(running.result(), board))
    assert running.result().to_frame().depth.max() >= 3


@pytest.mark.jit
def test_transpositions_prove_what_is_true_with_fewer_simulations():
    plain, shared = (
        search(TicTacToe("X........"), UCB(c=2.0), simulations=10**6, seed=1, solve=True, transpositions=on)
        for on in (False, True)
    )
    assert plain.value == shared.value == 0.5
    assert shared.simulations < plain.simulations < 10**6
    assert shared.tree.visits.size < plain.tree.visits.size


# --- priors ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [(7, 6, 4), (4, 5, 3), (9, 4, 5), (3, 3, 4), (8, 8, 4), (1, 6, 4)])
def test_the_prior_lines_is_each_columns_share_of_the_winning_lines(size: tuple[int, int, int]):
    counts = np.array(lines_through_cells(*size))[::-1]  # its first row is the top one
    for plies in (0, 3, 5):
        (board,) = undecided(1, [size], seed=2, fewest=plies, most=plies)
        through = [float(counts[board.heights[column], column]) for column in board.legal_moves()]
        wanted = np.array(through) / sum(through) if sum(through) else np.full(len(through), 1.0 / len(through))
        for wide in (False, True):
            if not wide and (size[1] + 1) * size[0] > 64:
                continue
            game, out = connect4_game(board, wide=wide), np.empty(len(through))
            game.priors["lines"](game.state, np.array(board.legal_moves()), out)
            np.testing.assert_allclose(out, wanted, rtol=1e-12)


@index_rule(every_arm_first=False)
def likeliest(prior):
    """The prior itself."""
    return prior


LIKELIEST = make("custom", rule="tests.mcts.test_options.likeliest")


def test_every_node_has_the_prior_of_its_position():
    found = search(OPENING, LIKELIEST, simulations=40, prior="lines", seed=1)
    tree = found.tree
    for node in np.flatnonzero(tree.children > 0):
        children = found.children(int(node))
        assert tree.priors[children].sum() == pytest.approx(1.0)
        assert tree.priors[children[tree.visits[children].argmax()]] == tree.priors[children].max()
    assert found.best_move == 3


def test_a_prior_of_ones_own_decides_at_the_root_alone():
    wanted = [0.0, 0.1, 0.0, 0.0, 0.2, 0.7, 0.0]
    found = search(OPENING, LIKELIEST, simulations=30, prior=wanted, seed=1)
    order = np.argsort(found.tree.move[found.children(0)])
    assert found.tree.priors[found.children(0)[order]].tolist() == wanted
    assert found.visits.tolist() == [0, 0, 0, 0, 0, 30, 0]
    node = int(found.children(0)[found.tree.move[found.children(0)] == 5][0])
    assert found.tree.priors[found.children(node)].tolist() == [1.0 / 7.0] * 7


def test_equal_priors_of_ones_own_change_nothing():
    assert same(*(search(OPENING, PUCT(), simulations=300, prior=prior, seed=1) for prior in ([1 / 7] * 7, None)))


# --- workers ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("workers", [2, 3])
def test_workers_add_what_independent_searches_found(workers: int):
    running = begin(OPENING, workers=workers, simulations=200, seed=5)
    assert isinstance(running, ParallelSearch)
    running.spend(200, None)
    parts = [one.result() for one in running.searches]
    found = running.result()
    assert [one.simulations for one in parts] == sorted((200 + k) // workers for k in range(workers))
    assert found.simulations == found.visits.sum() == 200
    assert found.visits.tolist() == np.sum([one.visits for one in parts], axis=0).tolist()
    sums = np.sum([one.visits * one.values for one in parts], axis=0)
    np.testing.assert_allclose(found.values, sums / found.visits)
    assert found.value == pytest.approx(sum(one.value * one.simulations for one in parts) / 200)
    assert len({tuple(one.visits) for one in parts}) == workers, "no two searches draw the same numbers"
    assert found.best_move == found.moves[found.visits.argmax()]
    assert found.choose("index") in found.moves


def test_workers_give_the_same_result_for_the_same_seed_and_number():
    assert same(*(search(OPENING, make("ucb_v"), simulations=150, seed=2, workers=3) for _ in range(2)))
    one, two = (search(OPENING, simulations=150, seed=2, workers=workers).visits.tolist() for workers in (1, 2))
    assert search(OPENING, simulations=150, seed=2).visits.tolist() == one != two


def test_every_field_of_a_result_of_workers_is_of_their_sums():
    for seed in range(12):
        parts = [search(Board.from_moves("44", 5, 4), simulations=60, seed=3 * seed + k, solve=True) for k in range(3)]
        whole = add_results([deepcopy(part) for part in parts])
        assert whole.visits.sum() == whole.tree.visits[0] == whole.simulations == 180
        assert whole.principal_variation[0] == whole.best_move
        assert whole.depth == max(part.depth for part in parts)
        for place, outcome in enumerate(whole.outcomes):
            assert outcome == max((part.outcomes[place] for part in parts), key=len)


def test_moves_that_different_workers_prove_decide_the_position():
    one, other = (
        result_of([3.0, 2.0, 1.0], [0.5, 0.0, 0.4], [2, -1, 2]),
        result_of([3.0, 1.0, 2.0], [0.5, 0.4, 0.0], [2, 2, -1]),
    )
    whole = add_results([one, other])
    assert whole.outcomes == ["lost", "lost"]
    assert whole.value == 0.0
    assert whole.distance is None


def test_what_one_worker_proves_is_proven():
    running = begin(TicTacToe("XX.OO...."), workers=2, simulations=8_000, seed=1, solve=True)
    assert isinstance(running, ParallelSearch)
    running.searches[0].spend(4_000, None)
    assert running.proven == running.result().value == 1.0
    assert running.choose("value") == 2
