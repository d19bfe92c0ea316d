"""Budgets of a search in simulations, seconds and memory: where it ends, and what it holds."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
import tracemalloc
import types
from typing import Any

import numpy as np
import pytest

import mcts.tree
from bandits import UCB, make
from connect4 import Board
from mcts import Search, search
from mcts.clocks import Clocks
from mcts.parallel import begin
from mcts.streams import streams_of
from numerics.random import Purpose
from tests.internals import DONE, PGame, compile_now
from tests.mcts.classes import Nim
from tests.mcts.games import TicTacToe
from tests.mcts.trees import grown, same
from tests.refusals import refused

pytestmark = pytest.mark.kernels

# --- budgets ---------------------------------------------------------------------------------------------------------


@pytest.mark.long
def test_without_a_budget_ten_thousand_simulations_are_run():
    assert search(TicTacToe("XX.OO...."), seed=0).simulations == 10_000


def test_simulations_run_in_parts_are_those_run_at_once():
    at_once, parts = grown(Board(), 300, seed=4), Search(Board(), simulations=300, seed=4)
    for part in (1, 9, 90, 200):
        parts.run(part)
    assert same(at_once.result(), parts.result())


@pytest.mark.jit
@pytest.mark.parametrize("seconds", [0.05, 0.2])
def test_a_budget_in_seconds_is_kept(seconds: float, monkeypatch):
    """Waiting for a core is left out, but only from the last call of the kernel on: a search must notice any before."""
    search(Board(), simulations=10)  # loads the kernels
    grow, waited_before = Search._grow, [0.0]

    def waited() -> float:
        return time.perf_counter() - time.thread_time()

    def watched(self: Search, simulations: int) -> int:
        waited_before[0] = waited()
        return grow(self, simulations)

    monkeypatch.setattr(Search, "_grow", watched)
    for seed in range(60):  # one of them must end in time: other work slows a core down too
        start = time.perf_counter()
        found = search(Board(), UCB(c=1.0), seconds=seconds, seed=seed)
        taken = time.perf_counter() - start
        assert taken >= 0.95 * seconds
        assert found.simulations > 100
        if taken - (waited() - waited_before[0]) <= 1.05 * seconds:
            return
    pytest.fail(f"no search of 60 ended within 5 % of {seconds} s; the last one took {taken} s")


@pytest.mark.parametrize("seconds", [0.05, 0.1, 0.5, 3.0])
@pytest.mark.parametrize("cost", [2e-7, 1e-6, 2e-5, 4e-4])
def test_a_budget_in_seconds_is_kept_whatever_a_simulation_costs(cost: float, seconds: float, monkeypatch):
    """By a clock that only simulations move, each call of the kernel half to one and a half times the cost it has."""
    now, generator = [5.0], np.random.default_rng(3)
    clock = types.SimpleNamespace(perf_counter=lambda: now[0])
    running = Search(Board(), simulations=10)
    for module in (Search.__module__, Clocks.__module__):
        monkeypatch.setattr(sys.modules[module], "time", clock)

    def grow(_self: Search, simulations: int) -> int:
        now[0] += simulations * cost * generator.uniform(0.5, 1.5)
        return simulations

    monkeypatch.setattr(Search, "_grow", grow)
    running._begun = 0.0
    running.run_for(seconds)
    assert 0.95 * seconds <= now[0] - 5.0 <= 1.05 * seconds


@pytest.mark.parametrize("board", [Board(), Nim((3, 4, 5))], ids=["hooks", "class"])
@pytest.mark.parametrize("cost", [0.003, 0.02, 0.06, 5.0])
def test_a_search_in_time_looks_at_the_clock_after_one_simulation(cost: float, board: Any, monkeypatch):
    """By a clock that only simulations move: a budget is overrun by less than two of them, however long they are."""
    now, asked = [5.0], list[int]()
    clock = types.SimpleNamespace(perf_counter=lambda: now[0])
    running = Search(board, simulations=10)
    for module in (Search.__module__, Clocks.__module__):
        monkeypatch.setattr(sys.modules[module], "time", clock)

    def grow(_self: Search, simulations: int) -> int:
        asked.append(simulations)
        now[0] += simulations * cost
        return simulations

    monkeypatch.setattr(Search, "_grow", grow)
    running._begun = 0.0
    running.run_for(0.1)
    assert asked[0] == 1
    assert 0.1 <= now[0] - 5.0 < 0.1 + 2.0 * cost


@pytest.mark.parametrize("budget", [{"seconds": 0.5}, {"cpu_seconds": 0.5}])
@pytest.mark.parametrize("begins", ["new", "again", "later"])
def test_a_budget_in_time_begins_once_all_is_loaded(begins: str, budget: dict[str, float], monkeypatch):
    """By a clock that only simulations, 1 ms each, and loading move, which takes an hour."""
    now, running = [5.0], Search(Board(), seed=1)
    clock = types.SimpleNamespace(perf_counter=lambda: now[0], thread_time=lambda: now[0])
    for module in (Search.__module__, Clocks.__module__):
        monkeypatch.setattr(sys.modules[module], "time", clock)

    def hour(load: Any) -> Any:
        def loaded(*given: Any, **named: Any) -> Any:
            now[0] += 3_600.0
            return load(*given, **named)

        return loaded

    def grow(self: Search, simulations: int) -> int:
        now[0] += 0.001 * simulations
        self._tree.counters[DONE] += simulations
        return simulations

    for name in ("_load", "_game_of", "_addresses"):
        monkeypatch.setattr(Search, name, hour(getattr(Search, name)))
    monkeypatch.setattr(sys.modules[Search.__module__], "compile_now", hour(compile_now))
    monkeypatch.setattr(Search, "_grow", grow)
    if begins == "new":
        running = Search(Board(), seed=1)
    elif begins == "again":
        assert running.begin_again(Board(), streams_of(1, Purpose.TREE_SEARCH))
    else:
        running.advance(Board.from_moves("4"), [3])
    running.run_for(**budget)
    assert 450 <= running._tree.counters[DONE] <= 550


_LOADED_LATE = """
from connect4 import Board
from experiments.players.specs import program
from numerics.kernels.jit import Kernel
compiled, late = Kernel._compiled, []
def noted(kernel, **how):
    late.append(kernel.__qualname__)
    return compiled(kernel, **how)
for words in ("solve=true transpositions=true", "policy=thompson", "root_policy=anytime_halving", "solve=true"):
    player = program("player", f"uct seconds=0.01 {words}")
    Kernel._compiled = compiled
    search = player.begin(Board())
    Kernel._compiled = noted
    search.run_for(0.01)
assert not late, late
"""


@pytest.mark.long
@pytest.mark.jit
def test_nothing_is_loaded_while_a_search_in_time_runs():
    done = subprocess.run([sys.executable, "-c", _LOADED_LATE], capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.long
@pytest.mark.jit
@pytest.mark.parametrize("workers", [1, 2])
def test_a_budget_in_processor_time_is_that_of_each_worker_however_busy_the_machine(workers: int):
    search(Board(), simulations=10)  # loads the kernels, which would count
    running = begin(Board(), workers=workers, seed=1)
    spent = []
    for part in getattr(running, "searches", [running]):

        def timed(*budgets: Any, spend: Any = part.spend) -> None:
            before = time.thread_time()
            spend(*budgets)
            spent.append(time.thread_time() - before)

        part.spend = timed
    busy = [threading.Thread(target=lambda: search(Board(), cpu_seconds=0.2)) for _ in range(3)]
    for thread in busy:
        thread.start()
    running.spend(None, None, 0.1)
    for thread in busy:
        thread.join()
    assert len(spent) == workers
    assert all(0.09 <= seconds <= 0.115 for seconds in spent)


def test_the_first_of_three_budgets_ends_a_search_and_a_wrong_one_is_refused():
    for longer in ("seconds", "cpu_seconds"):
        assert search(Board(), simulations=50, **{longer: 60.0}).simulations == 50
    assert search(Board(), simulations=10**9, seconds=60.0, cpu_seconds=0.01).simulations < 10**8
    start = time.perf_counter()
    found = search(Board(), simulations=10**9, seconds=0.05)
    assert found.simulations < 10**8
    assert 0.0475 <= found.seconds <= time.perf_counter() - start
    refused(lambda: search(Board(), cpu_seconds=0), "cpu_seconds must be a finite number above 0; got 0")
    refused(Search(Board()).run_for, "seconds or cpu_seconds must be given")


# --- memory ----------------------------------------------------------------------------------------------------------


@pytest.mark.jit
def test_a_full_tree_goes_on_without_new_nodes():
    board = PGame(branching=900, depth=20)
    free, bound = grown(board, 1_200, seed=1), grown(board, 1_200, seed=1, memory=1_000_000)
    free.run(3_000)
    bound.run(3_000)
    assert (free.result().full, bound.result().full) == (False, True)
    found = bound.result()
    assert found.simulations == found.visits.sum() == 4_200
    assert sum(part.nbytes for part in found.tree) <= 1_000_000
    assert sum(part.nbytes for part in free.result().tree) > 1_000_000
    assert found.best_move in found.moves


@pytest.mark.jit
@pytest.mark.parametrize("transpositions", [False, True])
def test_the_bound_of_memory_holds_while_room_is_made_too(transpositions: bool):
    bound = 3_000_000
    Search(Board(), UCB(c=1.0), transpositions=transpositions).run(5_000)  # so that nothing is compiled meanwhile
    running = Search(Board(), UCB(c=1.0), memory=bound, transpositions=transpositions)
    tracemalloc.start()
    running.run(60_000)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert running.result().full
    assert peak <= bound + 100_000  # and what is no array of the tree


def test_a_game_of_more_moves_than_a_tree_can_number_is_refused():
    game = PGame(branching=2, depth=3).game
    wide = types.SimpleNamespace(game=type(game)(**{**vars(game), "most_moves": 40_000}))
    with pytest.raises(ValueError, match=r"^board must have at most 32,767 moves; got 40,000$"):
        Search(wide)


def test_memory_that_is_too_small_for_the_root_is_refused():
    sentence = r"^memory must be at least \d+ bytes for the root and its moves; got 1000"
    game = PGame(branching=2, depth=3).game
    wide = type("Wide", (), {"game": type(game)(**{**vars(game), "most_moves": 32_000})})()
    with pytest.raises(ValueError, match=sentence):
        Search(wide, memory=1_000_000)


@pytest.mark.parametrize("policy", ["ucb", "ucb_v"])
def test_longer_arrays_change_no_result(policy: str, monkeypatch: pytest.MonkeyPatch):
    whole = grown(Board(), 400, seed=9, policy=make(policy)).result()
    monkeypatch.setattr(mcts.tree, "FIRST_NODES", 8)
    monkeypatch.setattr(mcts.tree, "MOST_FIRST_NODES", 8)
    assert whole.tree.visits.size > 4 * 8
    short = grown(Board(), 400, seed=9, policy=make(policy))
    assert same(short.result(), whole)
    nodes, size = whole.tree.visits.size, 8
    while size < nodes:
        size *= 2
    assert size // 2 < nodes
    assert short._tree.nodes.visits.size in (size, 2 * size), "arrays are doubled when they are full"
