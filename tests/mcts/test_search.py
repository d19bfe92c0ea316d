"""What holds of every tree, arrays that are used again, and what a result says."""

from __future__ import annotations

import dataclasses
import math
import types
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import mcts.parallel
from bandits import UCB
from connect4 import Board
from mcts import Search, search
from mcts.result import SearchResult
from mcts.scratch import bonuses_of
from numerics.games import DRAWN, LOST, UNDECIDED, WON
from tests.mcts.games import TicTacToe
from tests.mcts.trees import grown, same

pytestmark = pytest.mark.kernels

MIDGAME = "44455554221"
FORCED = Board.from_moves("112233")  # whoever moves wins on column 3


# --- what holds of every tree ----------------------------------------------------------------------------------------


def test_the_value_of_a_node_is_the_mean_of_what_was_seen_below_it():
    leaf = 3
    found = search(Board(), UCB(c=0.5), simulations=400, seed=2, playouts_per_leaf=leaf)
    tree = found.tree
    assert found.value == pytest.approx((found.visits * found.values).sum() / found.visits.sum(), abs=1e-12)
    for node in np.flatnonzero(tree.children > 0)[1:]:
        children = slice(tree.child[node], tree.child[node] + tree.children[node])
        below = (tree.visits[children] * (1.0 - tree.values[children])).sum()
        first = tree.values[node] * tree.visits[node] - below  # the playouts of the node's own first visit
        assert min(abs(first * leaf * 2 - step) for step in range(2 * leaf + 1)) < 1e-9


# --- seeds -----------------------------------------------------------------------------------------------------------


def test_searches_that_take_turns_in_the_same_arrays_find_what_a_new_one_finds():
    def no_playout(state, rng, r):
        return 0.75

    other_game = types.SimpleNamespace(game=dataclasses.replace(TicTacToe().game, playouts={"uniform": no_playout}))
    boards = [Board(), Board.from_moves(MIDGAME), TicTacToe(), other_game, TicTacToe("X........"), Board(5, 4), Board()]
    for seed, board in enumerate(boards):
        for options in ({}, {"policy": "puct", "prior": [1.0 / 7.0] * 7} if board == Board() else {"solve": True}):
            found = search(board, simulations=120, seed=seed, **options)
            assert same(found, grown(board, 120, seed=seed, **options).result())
            kept = [column.copy() for column in found.tree]
            search(board, simulations=120, seed=seed + 1, **options)
            assert all(np.array_equal(a, b) for a, b in zip(kept, found.tree, strict=True))


def test_a_search_takes_over_the_arrays_of_its_like_and_of_no_other(monkeypatch: pytest.MonkeyPatch):
    options = {"simulations": 130, "policy": "ucb c=0.61"}
    apart = search(Board(), workers=2, seed=1, **options)
    search(Board(), seed=5, **options)  # of one worker, whose arrays are kept
    assert np.array_equal(search(Board(), workers=2, seed=1, **options).visits, apart.visits)
    monkeypatch.setattr(mcts.parallel, "begin", None)  # nothing new
    assert search(Board(), seed=2, **options).visits.sum() == 130
    with pytest.raises(TypeError):
        search(Board(), seed=2, simulations=131, policy="ucb c=0.61")


def test_what_is_kept_of_a_rule_changes_no_later_search():
    def results(constants: tuple[float, ...]) -> dict[float, SearchResult]:
        bonuses_of.cache_clear()
        return {c: grown(Board(), 150, policy=UCB(c=c), seed=1).result() for c in constants}

    one, other = results((0.3, 1.0, 0.3)), results((1.0, 0.3))
    assert all(same(one[c], other[c]) for c in one)
    assert not same(one[0.3], one[1.0])


@pytest.mark.jit
def test_threads_that_search_at_the_same_time_do_not_disturb_each_other():
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda seed: search(Board(), simulations=300, seed=seed), range(16)))
    assert all(same(result, grown(Board(), 300, seed=seed).result()) for seed, result in enumerate(found))


# --- what a result says ----------------------------------------------------------------------------------------------


def test_the_fields_of_a_result():
    found = search(Board.from_moves("11111122"), simulations=600, seed=1)
    assert found.moves.tolist() == [1, 2, 3, 4, 5, 6]  # the first column is full
    assert found.visits.dtype == np.int64
    assert found.best_move == found.moves[found.visits.argmax()] == found.choose("visits")
    assert found.choose("value") == found.moves[np.nanargmax(found.values)]
    scores = found.values + 1.0 * np.sqrt(math.log(found.visits.sum() + 1.0) / found.visits)
    assert found.scores == pytest.approx(scores)
    assert found.choose("index") == found.moves[scores.argmax()]
    assert 0.0 <= found.value <= 1.0
    assert found.outcomes == [""] * 6
    assert found.depth >= len(found.principal_variation) >= 2
    assert (found.full, found.horizon, found.policy) == (False, 600.0, UCB(c=1.0))
    assert found.seconds > 0.0


def test_a_result_says_its_best_move_on_one_line():
    found = search(FORCED, simulations=1_000, seed=0)
    visits = found.visits.max()
    assert repr(found) == f"SearchResult(best 3, value {found.value:.2f}, {visits} of 1,000 visits)"
    assert repr(Search(Board()).result()) == "SearchResult(no visits)"


def test_a_move_without_a_visit_has_no_value_and_is_not_chosen():
    found = search(Board(), simulations=3, seed=1)
    assert np.isnan(found.values).sum() == 4
    for by in ("visits", "value", "index"):
        assert found.visits[found.choose(by)] == 1
    unvisited = Search(Board())
    assert unvisited.result().moves.size == 0
    assert unvisited.result().principal_variation == []


def test_the_table_of_a_tree_has_a_row_a_node():
    found = search(FORCED, simulations=120, seed=1)
    frame = found.to_frame()
    assert list(frame.columns) == ["parent", "depth", "move", "visits", "value", "outcome"]
    assert (frame.parent.to_numpy() == found.parents).all()
    assert frame.parent[0] == -1
    assert frame.depth.max() >= found.depth
    for _, row in frame[1:].iterrows():
        assert row.depth == frame.depth[row.parent] + 1
    top = frame[frame.depth == 1].sort_values("move")
    assert top.visits.tolist() == found.visits.tolist()
    assert top.value.tolist() == pytest.approx(found.values.tolist(), nan_ok=True)
    assert set(frame.outcome) <= {WON, DRAWN, LOST, UNDECIDED}
