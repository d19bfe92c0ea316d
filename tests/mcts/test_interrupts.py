"""An exception from outside, as of Ctrl-C or a time limit, in a search of an ordinary class."""

from __future__ import annotations

import random
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mcts.tree
from bandits import index_rule
from connect4 import Board
from mcts import MonteCarloPlayer, Search, UCTPlayer, search
from mcts.streams import streams_of
from numerics.random import Purpose
from tests.internals import plan
from tests.mcts.classes import Crosses, DrawnPig, Nim, PigGame

pytestmark = [pytest.mark.kernels, pytest.mark.jit]

ROOT = Path(__file__).resolve().parents[2]
ASKED = (
    "numerics/kernels/addresses.py",
    "mcts/ordinary/turns.py",
    "mcts/processes/positions.py",
    "tests/mcts/classes.py",
    "tests.mcts.classes.py",
)
KEPT = ("mcts/tree.py", "mcts/tree_search.py")


class Limit(Exception):
    """What a handler raises."""


class Played(Crosses):
    """Whoever plays it out says how it ends."""

    def playout(self, rng: random.Random, _steps: int) -> tuple[float, float]:
        share = rng.random()
        return share, 1.0 - share


@index_rule
def careful(mean, width, t):
    return mean + width * np.sqrt(np.log(t))


class Tracer:
    """Raise at an event of Python in some files: before the first line of a function, or at a line."""

    def __init__(self, files: tuple[str, ...], at: int = -1):
        self.files, self.at, self.seen = tuple(str(ROOT / file) for file in files), at, []
        self.error = Limit("outside")

    def __call__(self, frame: Any, event: str, _argument: object) -> Any:
        if frame.f_code.co_filename not in self.files:
            return None
        if event in ("call", "line"):
            if len(self.seen) == self.at:
                sys.settrace(None)
                raise self.error
            self.seen.append((frame.f_code, frame.f_lineno, event))
        return self

    def run(self, task: Any) -> None:
        before = sys.gettrace()
        sys.settrace(self)
        try:
            task()
        finally:
            sys.settrace(before)


def events(files: tuple[str, ...], task: Any) -> list[int]:
    """Return when each different event comes up first and last."""
    tracer = Tracer(files)
    tracer.run(task)
    first = {event: number for number, event in reversed([*enumerate(tracer.seen)])}
    last = {event: number for number, event in enumerate(tracer.seen)}
    return sorted({*first.values(), *last.values()})


TASKS = {
    "turns": lambda: search(Nim((1, 2)), simulations=5),
    "plans": lambda: search(Nim((2, 3)), simulations=15, scale="tree"),
    "a proof by an own rule": lambda: search(Crosses(), careful, simulations=15, solve=True),
    "an open loop": lambda: search(DrawnPig(3), simulations=15),
    "playouts": lambda: search(Played(), simulations=15, playouts_per_leaf=2),
    "playouts of plans": lambda: search(Played(), simulations=15, scale="spread"),
    "a player": lambda: UCTPlayer(simulations=15).play(Crosses()),
    "a flat player": lambda: MonteCarloPlayer(simulations=15).play(Crosses()),
    "widening": lambda: plan(PigGame(3), simulations=15, widen_moves=(1.0, 0.5), widen_outcomes=(1.0, 0.5)),
}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("task", TASKS)
def test_an_exception_at_any_line_of_a_class_or_before_it_arrives_once_as_it_is(task, monkeypatch, capfd):
    lost: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", lost.append)
    TASKS[task]()
    places = events(ASKED, TASKS[task])
    assert len(places) > 40
    for at in places:
        tracer = Tracer(ASKED, at)
        with pytest.raises(Limit) as raised:
            tracer.run(TASKS[task])
        assert raised.value is tracer.error
    TASKS[task]()
    assert not lost
    assert capfd.readouterr() == ("", "")


@dataclass(frozen=True)
class Compared(Crosses):
    """Equal positions are one."""

    cells: tuple[int | None, ...] = (None,) * 9
    mover: int = 0


def state_of(kept: Search) -> Any:
    """Return what a search says of itself."""
    result = kept.result()
    assert all(row.size == len(result.moves) for row in (result.visits, result.values))
    board = vars(result.board) if isinstance(result.board, Crosses) else result.board
    return repr(board), result.simulations, [*result.moves], result.visits.tolist(), repr(result.values)


LATER = Board.from_moves("4")
CHANGES = {
    "another position": (Board, KEPT, lambda kept: kept.begin_again(LATER, streams_of(5, Purpose.TREE_SEARCH))),
    "simulations of equal positions": (Compared, ASKED, lambda kept: kept.run(30)),
    "longer arrays and table": (Compared, KEPT, lambda kept: kept.run(60)),
    "a later position": (Board, KEPT, lambda kept: kept.advance(LATER, [3])),
}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("change", CHANGES)
def test_a_search_that_an_exception_ends_is_as_it_was_before_a_simulation_or_after_all_of_it(change, monkeypatch):
    kind, files, make = CHANGES[change]
    for name in ("FIRST_NODES", "MOST_FIRST_NODES"):
        monkeypatch.setattr(mcts.tree, name, 64)  # so that arrays soon grow

    def begun(simulations: int = 40) -> Search:
        kept = Search(kind(), seed=3)
        kept.run(simulations)
        return kept

    before, kept = state_of(begun()), begun()
    places = events(files, lambda: make(kept))
    after = state_of(kept)
    assert len(places) > 20
    for at in places:
        kept = begun()
        with pytest.raises(Limit):
            Tracer(files, at).run(lambda: make(kept))  # noqa: B023 (called here)
        found = state_of(kept)
        if found not in (before, after):
            assert found[0] == before[0]
            assert before[1] < found[1]
            assert found == state_of(begun(found[1]))
        kept.run(100)
        assert state_of(kept)[1] == found[1] + 100


MANY = """
import os, random, signal, threading
from mcts import search
from tests.mcts.classes import Crosses, DrawnPig, Nim, PigGame
from tests.mcts.test_interrupts import Played

SEARCHES = [
    lambda: search(Nim((3, 4, 5)), simulations=2_000),
    lambda: search(Crosses(), simulations=200, solve=True),
    lambda: search(Played(), simulations=200),
    lambda: search(Nim((3, 4, 5)), simulations=200, scale="tree"),
    lambda: search(DrawnPig(9), simulations=200),
]
draws, caught = random.Random(0), 0
for number in range(50):
    searched = SEARCHES[number % len(SEARCHES)]
    searched()
    timer = threading.Timer(draws.uniform(0.0, 0.06), os.kill, (os.getpid(), signal.SIGINT))
    try:
        timer.start()
        while True:  # until the signal comes, once
            searched()
    except KeyboardInterrupt:
        caught += 1
    timer.join()
    searched()
print(caught)
"""


@pytest.mark.long
def test_fifty_interrupts_at_random_times_are_fifty_keyboard_interrupts():
    done = subprocess.run([sys.executable, "-c", MANY], cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert (done.returncode, done.stdout, done.stderr) == (0, "50\n", "")
