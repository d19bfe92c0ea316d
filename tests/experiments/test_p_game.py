"""P-games: alpha-beta against a naive twin, searches against their own longer selves, tables, figures, mistakes."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from bandits import make
from experiments.kinds.p_game import searches
from mcts import Search
from tests.experiments.commands import split_words
from tests.internals import PGame, deepen

pytestmark = pytest.mark.kernels


def sum_after(board, moves):
    """The sum after some moves, for the first player."""
    state = board.game.state.copy()
    for move in moves:
        board.game.play(state, move)
    return int(state[3])


def minimax(board, moves, levels, side):
    """The sum under best play of some more levels, without any pruning."""
    if levels == 0:
        return sum_after(board, moves)
    values = [minimax(board, (*moves, move), levels - 1, -side) for move in range(board.branching)]
    return max(values) if side == 1 else min(values)


@pytest.mark.parametrize(("branching", "depth"), [(3, 4), (1, 3)])
def test_alpha_beta_finds_the_move_of_a_search_without_pruning_at_every_level(branching, depth):
    for tree in range(4):
        board = PGame(branching, depth, 0, tree)
        moves, spent = np.zeros(depth, np.int64), np.zeros(depth, np.int64)
        assert deepen(board.game.state, 10_000, moves, spent) == depth
        for level in range(depth):
            values = [minimax(board, (move,), level, -1) for move in range(branching)]
            assert values[moves[level]] == max(values)
        leaves = np.cumsum([branching**level for level in range(1, depth + 1)])
        assert (np.diff(spent, prepend=0) > 0).all()
        assert (spent <= leaves).all()


def test_alpha_beta_stops_at_its_budget_and_keeps_the_last_level_it_finished():
    board = PGame(2, 6, 0, 1)
    moves, spent = np.zeros(6, np.int64), np.zeros(6, np.int64)
    deepen(board.game.state, 10_000, moves, spent)
    for budget in range(1, int(spent[-1]) + 1):
        done = deepen(board.game.state, budget, np.zeros(6, np.int64), np.zeros(6, np.int64))
        assert done == np.searchsorted(spent, budget, side="right")


def test_a_move_is_wrong_if_its_exact_value_is_below_the_best_and_alpha_beta_makes_none_in_the_end():
    for tree in range(6):
        board = PGame(3, 4, 0, tree)
        wrong = searches.wrong_moves(board)
        values = [np.sign(minimax(board, (move,), 3, -1)) for move in range(3)]
        assert wrong.tolist() == [float(value < max(values)) for value in values]
        moves, spent = np.zeros(4, np.int64), np.zeros(4, np.int64)
        deepen(board.game.state, 10_000, moves, spent)
        failures = searches.deepening_failures(board, wrong, [spent[0] - 1, *spent])
        assert failures.tolist() == [wrong.mean(), *wrong[moves]]  # undecided before its first level
        assert failures[-1] == 0.0


def test_checkpoints_are_the_shorter_searches_themselves():
    terms = searches.Searches(2, 6, searches.Method("UCT", make("ucb")), (1, 4, 16), 1, 0)
    board = PGame(2, 6, 0, 3)
    wrong = np.array([10.0, 20.0])  # tells the moves apart
    found = searches._failures(terms, board, wrong, 5)
    for place, count in enumerate(terms.checkpoints):
        alone = Search(board, make("ucb"), simulations=count, seed=5)
        alone.run(count)
        assert found[place] == wrong[alone.choose("visits")]


@pytest.mark.jit
def test_rates_are_those_of_the_searches_that_failed(command):
    said = command(
        *split_words("experiment=p_game sizes=[2x4,3x3] trees=6 runs=2 iterations=32 policies=[ucb,thompson]")
    )
    table, failures = pd.read_csv(said.folder / "summary.csv"), pd.read_parquet(said.folder / "failures.parquet")
    assert sorted(set(table["iterations"])) == [1, 2, 4, 8, 16, 32]
    assert list(dict.fromkeys(table["method"])) == ["UCT, ucb", "UCT, thompson", "flat Monte Carlo", "alpha-beta"]
    assert len(table) == 2 * 4 * 6
    assert ((table["rate_low"] <= table["rate"]) & (table["rate"] <= table["rate_high"])).all()
    own = failures[(failures.branching == 3) & (failures.method == "UCT, ucb") & (failures.iterations == 8)]
    row = table[(table.branching == 3) & (table.method == "UCT, ucb") & (table.iterations == 8)].iloc[0]
    assert (len(own), own["tree"].nunique()) == (row["searches"], row["trees"]) == (12, 6)
    assert row["rate"] == pytest.approx(own["failure"].mean())


@pytest.mark.long
@pytest.mark.jit
def test_uct_is_wrong_ever_less_often_and_less_often_than_flat_monte_carlo(command):
    said = command("experiment=p_game", "sizes=[2x12]", "trees=120", "runs=1", "iterations=4096")
    table = pd.read_csv(said.folder / "summary.csv").set_index(["method", "iterations"])["rate"]
    uct, flat = table["UCT, ucb c=sqrt(2)"], table["flat Monte Carlo"]
    assert uct[4096] < 0.5 * uct[64]
    assert uct[4096] < 0.5 * flat[4096]
    assert table["alpha-beta", 4096] == 0.0
