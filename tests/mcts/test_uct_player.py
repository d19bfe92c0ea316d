"""The player `uct`: names, seeds, budgets, a tree kept between moves, strength."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from bandits import UCB, Policy
from bandits.hooks import IndexRule
from connect4 import Board
from experiments.players import PLAYERS, make_player
from mcts import MonteCarloPlayer, Search, UCTPlayer
from numerics.players import Player
from tests.bandits.policies import NEEDED, example
from tests.connect4.matches import points_of
from tests.mcts.games import TicTacToe
from tests.refusals import refused


def make(**parameters: Any) -> Player:
    return make_player("uct", **{"simulations": 40, **parameters})


def test_ucb_has_one_constant_wherever_it_searches():
    board = Board.from_moves("4453")
    for policy in ("ucb", "ucb c=1", {"name": "ucb"}, UCB(c=1.0)):
        assert UCTPlayer(policy=policy).selector == make_player("monte_carlo", policy=policy).chooser == UCB(c=1.0)
        assert Search(board, policy).policy == UCB(c=1.0)
    assert PLAYERS.of("uct policy=ucb c=0.5").selector == UCTPlayer(policy="ucb c=0.5").selector == UCB(c=0.5)


@pytest.mark.parametrize("parameters", [{}, {"transpositions": True, "solve": True}, {"policy": {"name": "ucb_v"}}])
def test_a_search_in_the_arrays_of_the_last_one_is_as_one_in_new_arrays(parameters: dict[str, Any]):
    one, other = make(seed=5, **parameters), make(seed=5, **parameters)
    for game in range(2):
        board = Board(5, 4)
        one.reset(game)
        other.reset(game)
        while not board.is_finished():
            other._search = None
            trees = [player.think(board).result().tree for player in (one, other)]
            assert all(np.array_equal(a, b) for a, b in zip(*trees, strict=True))
            board.play(int(trees[0].move[1]))


def test_a_search_is_not_sent_to_another_process_where_its_addresses_mean_nothing():
    with pytest.raises(TypeError, match="a search cannot be pickled"):
        pickle.dumps(Search(Board()))
    one = make(keep=True, seed=1)
    one.play(Board())
    assert pickle.loads(pickle.dumps(one))._search is None


@pytest.mark.parametrize("name", sorted(Policy.members))
def test_every_index_policy_makes_a_player_and_no_other(name: str):
    policy = {"name": name, **NEEDED.get(name, {})}
    if Policy.members[name].limits is not None:
        for given in (policy, example(name)):
            with pytest.raises(ValueError, match=rf"^policy must support any number of moves, .*; got {name}"):
                make(policy=given)
    elif example(name).needs_features:
        with pytest.raises(ValueError, match=rf"^policy must not need features, .*; got {name}; use ucb, for example$"):
            make(policy=policy)
    elif Policy.members[name].forgets:
        with pytest.raises(ValueError, match=rf"^policy must not forget rewards, .* sums of results; got {name}; use"):
            make(policy=policy)
    elif example(name).spec().plan is not None:
        with pytest.raises(ValueError, match=rf"^policy must not plan for the whole budget, .*; got {name}$"):
            make(policy=policy)
    elif isinstance(example(name).spec().rule, IndexRule):
        assert make(policy=policy).play(Board()) in range(7)
    else:
        with pytest.raises(ValueError, match=rf"^policy must be an index policy, .*; got {name}, which has no score"):
            make(policy=policy)


@pytest.mark.parametrize("name", sorted(Policy.members))
def test_a_rule_that_needs_the_horizon_gets_the_simulations_and_is_refused_by_the_clock(name: str):
    rule = example(name).spec().rule
    if not isinstance(rule, IndexRule) or example(name).spec().plan is not None:
        return
    policy = {"name": name, **NEEDED.get(name, {})}
    if "horizon" in rule.needs:
        with pytest.raises(
            ValueError, match=rf"^policy must not need the horizon in a search with a time limit; got {name}; give"
        ):
            make(policy=policy, simulations=None, seconds=0.01)
        assert make(policy=policy, simulations=30, seconds=1.0).play(Board()) in range(7)
    else:
        assert make(policy=policy, simulations=None, seconds=0.001).play(Board()) in range(7)


def test_the_move_played_is_the_one_the_search_chooses():
    board = Board.from_moves("44455554221")
    for final in ("visits", "value", "index"):
        one, twin = make(final=final, simulations=200, seed=6), make(final=final, simulations=200, seed=6)
        assert isinstance(twin, UCTPlayer)
        search = twin.think(board)
        assert one.play(board) == search.choose(final)
        assert search.result().simulations == 200


@pytest.mark.jit
@pytest.mark.parametrize(("root", "by"), [(None, "visits"), ("kl_lucb", "value")])
def test_a_player_plays_what_the_policy_of_the_root_recommends(root, by):
    for seed in range(5):  # the two differ on this board for two of the seeds under kl_lucb
        one, twin = (make(root_policy=root, simulations=100, seed=seed) for _ in range(2))
        assert isinstance(twin, UCTPlayer)
        assert one.play(Board()) == twin.think(Board()).choose(by)


# --- the tree kept between moves -------------------------------------------------------------------------------------


@pytest.mark.sampled(1)
@pytest.mark.parametrize("policy", ["ucb", "ucb_v"])
@pytest.mark.parametrize("solve", [False, True])
def test_a_tree_after_advance_is_the_subtree_before(policy: str, solve: bool):
    board = Board.from_moves("44")
    running = Search(board, example(policy), simulations=900, seed=1, solve=solve)
    running.run(900)
    before = running.result()
    moves = before.principal_variation[:2]
    top = 0
    for move in moves:
        children = np.arange(before.tree.child[top], before.tree.child[top] + before.tree.children[top])
        top = int(children[before.tree.move[children] == move][0])
        board.play(move)
    assert running.advance(board, moves)
    after = running.result()
    pairs, nodes = [(top, 0)], 0
    while pairs:
        old, new = pairs.pop()
        nodes += 1
        for name in ("visits", "values", "widths", "move", "outcome", "children"):
            assert getattr(before.tree, name)[old] == getattr(after.tree, name)[new]
        if policy == "ucb_v":
            assert before.tree.variances[old] == after.tree.variances[new]
        for j in range(max(int(before.tree.children[old]), 0)):
            pairs.append((int(before.tree.child[old]) + j, int(after.tree.child[new]) + j))
    assert nodes == after.tree.visits.size
    assert (after.simulations, after.depth) == (0, 0)
    running.run(100)
    later = running.result()
    assert later.simulations == 100 or running.proven is not None
    assert later.tree.visits[0] == before.tree.visits[top] + later.simulations
    assert (running.result().parents[1:] >= 0).all()


def test_a_position_that_the_tree_does_not_know_begins_afresh():
    running = Search(Board(), simulations=50, seed=1)
    running.run(8)
    later = Board.from_moves("1234567")
    assert not running.advance(later, later.moves)
    running.run(30)
    found = running.result()
    assert found.simulations == found.visits.sum() == 30
    assert found.moves.tolist() == later.legal_moves()


def test_a_proven_position_stays_proven():
    board = TicTacToe("XO.......")
    running = Search(board, simulations=5_000, seed=1, solve=True)
    running.run(5_000)
    assert running.proven == 1.0
    move = running.choose()
    reply = next(cell for cell in range(9) if board.after(move).cells[cell] == ".")
    known = running.advance(board.after(move).after(reply), [move, reply])
    assert running.proven == 1.0 or not known
    running.run(2_000)
    assert running.proven == 1.0


def test_a_player_that_keeps_its_tree_takes_back_moves_too():
    one, board = make(keep=True, simulations=100, seed=3), Board()
    assert isinstance(one, UCTPlayer)
    board.play(one.play(board))
    board.play(3)
    assert one.think(board).result().tree.visits[0] > 100, "what was known of the position counts"
    board.undo()
    board.play(0 if board.moves[0] != 0 else 1)
    assert one.think(board).result().tree.visits[0] == 100


# --- strength --------------------------------------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.jit
def test_winning_chances_go_up_with_the_budget():
    """Sixty games each; of equal players 45 points or more have a probability below 0.0001."""
    strong, weak = make(simulations=1_000, seed=1), make(simulations=100, seed=2)
    flat, random = MonteCarloPlayer(simulations=100, seed=3), make_player("random", seed=4)
    assert points_of(strong, weak, 60) >= 45.0
    assert points_of(weak, flat, 60) >= 36.0  # at equal simulations; p < 0.001 in 400 games of the experiment
    assert points_of(flat, random, 60) >= 55.0


# --- bad input -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"seconds": -1.0}, "seconds must be a finite number above 0; got -1.0"),
        ({"c": -0.5}, "c must be a finite number of at least 0; got -0.5"),
        ({"c": 1.0, "policy": "kl_ucb"}, "c must be left out unless policy is ucb; got 1.0"),
        ({"policy": {"name": "custom", "rule": "tests.mcts.test_uct_player.make"}}, "policy.rule "),
        ({"final": "luck"}, "final must be one of visits, value, index; got 'luck'"),
    ],
)
def test_a_player_with_a_bad_parameter_is_refused(parameters: dict[str, Any], sentence: str):
    refused(lambda: make(**parameters), sentence)


def test_what_is_not_copied_of_a_search_goes_on_with_it():
    search = Search(Board(5, 4), seed=1)
    search.run(20)
    kept, shown = search.result(), search.result(copied=False)
    search.run(20)
    assert (kept.tree.visits[0], shown.tree.visits[0]) == (20, 40)
