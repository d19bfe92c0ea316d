"""Budgets of a search in simulations, seconds and memory: where it ends, and what it holds."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
import tracemalloc
import types
from collections.abc import Callable
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
from tests.mcts.trees import grown, same

pytestmark = pytest.mark.kernels


@pytest.fixture
def clock(monkeypatch) -> list[float]:
    """The time that a search reads, which only its simulations move."""
    now = [5.0]
    stopped = types.SimpleNamespace(perf_counter=lambda: now[0], thread_time=lambda: now[0])
    for module in (Search.__module__, Clocks.__module__):
        monkeypatch.setattr(sys.modules[module], "time", stopped)
    return now


def spend(clock: list[float], cost: Callable[[], float], running: Search, seconds: float, monkeypatch) -> list[int]:
    """Run a search whose simulations cost as much, and return how many it asked for at each call of the kernel."""
    asked: list[int] = []

    def grow(_self: Search, simulations: int) -> int:
        asked.append(simulations)
        clock[0] += simulations * cost()
        return simulations

    monkeypatch.setattr(Search, "_grow", grow)
    running._begun = 0.0
    running.run_for(seconds)
    return asked


@pytest.mark.parametrize(("cost", "seconds"), [(2e-7, 0.05), (1e-6, 3.0), (2e-5, 0.5), (4e-4, 0.1), (4e-4, 3.0)])
def test_a_budget_in_seconds_is_kept_whatever_a_simulation_costs(cost: float, seconds: float, clock, monkeypatch):
    """Each call of the kernel takes half to one and a half times the cost it has."""
    draw = np.random.default_rng(3)
    spend(clock, lambda: cost * draw.uniform(0.5, 1.5), Search(Board(), simulations=10), seconds, monkeypatch)
    assert 0.95 * seconds <= clock[0] - 5.0 <= 1.05 * seconds


@pytest.mark.parametrize("board", [Board(), Nim((3, 4, 5))], ids=["hooks", "class"])
@pytest.mark.parametrize("cost", [0.003, 0.06, 5.0])
def test_a_search_in_time_looks_at_the_clock_after_one_simulation(cost: float, board: Any, clock, monkeypatch):
    """A budget is overrun by less than two of them, however long they are."""
    asked = spend(clock, lambda: cost, Search(board, simulations=10), 0.1, monkeypatch)
    assert asked[0] == 1
    assert 0.1 <= clock[0] - 5.0 < 0.1 + 2.0 * cost


@pytest.mark.parametrize(
    ("begins", "budget"),
    [("new", {"seconds": 0.5}), ("again", {"cpu_seconds": 0.5}), ("later", {"seconds": 0.5})],
)
def test_a_budget_in_time_begins_once_all_is_loaded(begins: str, budget: dict[str, float], clock, monkeypatch):
    """By a clock that only simulations, 1 ms each, and loading move, which takes an hour."""
    running = Search(Board(), seed=1)

    def hour(load: Any) -> Any:
        def loaded(*given: Any, **named: Any) -> Any:
            clock[0] += 3_600.0
            return load(*given, **named)

        return loaded

    def grow(self: Search, simulations: int) -> int:
        clock[0] += 0.001 * simulations
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


def test_the_first_of_three_budgets_ends_a_search():
    for longer in ("seconds", "cpu_seconds"):
        assert search(Board(), simulations=50, **{longer: 60.0}).simulations == 50
    assert search(Board(), simulations=10**9, seconds=60.0, cpu_seconds=0.01).simulations < 10**8
    start = time.perf_counter()
    found = search(Board(), simulations=10**9, seconds=0.05)
    assert found.simulations < 10**8
    assert 0.0475 <= found.seconds <= time.perf_counter() - start


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


@pytest.mark.parametrize("policy", ["ucb", "ucb_v"])
def test_longer_arrays_change_no_result(policy: str, monkeypatch: pytest.MonkeyPatch):
    whole = grown(Board(), 400, seed=9, policy=make(policy)).result()
    monkeypatch.setattr(mcts.tree, "FIRST_NODES", 8)
    monkeypatch.setattr(mcts.tree, "MOST_FIRST_NODES", 8)
    assert whole.tree.visits.size > 4 * 8
    short = grown(Board(), 400, seed=9, policy=make(policy))
    assert same(short.result(), whole)
    assert short._tree.nodes.visits.size < 4 * whole.tree.visits.size, "arrays are doubled when they are full"
