"""Exceptions from outside, as of Ctrl-C, in a search of an ordinary class; and workers that are processes."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mcts.tree
from bandits import index_rule
from connect4 import Board
from mcts import MonteCarloPlayer, Search, UCTPlayer, search
from mcts.ordinary.workers import must_be_sent
from mcts.streams import streams_of
from numerics.random import Purpose
from tests.experiments.commands import hear_interrupts
from tests.internals import plan
from tests.mcts.classes import Corridor, Crosses, DrawnPig, Nim, PigGame, Sharing
from tests.refusals import refused

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


# --- workers that are processes ------------------------------------------------------------------------------------


class Later(Nim):
    """Which loses what only later positions need."""

    def __init__(self, heaps: tuple[int, ...], mover: int = 0, step: int = 1):
        super().__init__(heaps, mover)
        object.__setattr__(self, "step", step)

    def __reduce__(self) -> Any:
        return Later, (self.heaps, self.mover, 2)

    def play(self, move: tuple[int, int]) -> Any:
        heaps = [max(size - self.step * move[1] * (k == move[0]), 0) for k, size in enumerate(self.heaps)]
        return Later(tuple(heaps), 1 - self.mover, self.step)


class Raises(Crosses):
    """Whose copy has no cells."""

    def __getstate__(self) -> Any:
        return {"mover": self.mover}


@pytest.mark.parametrize("board", [Later((5, 5)), Raises()], ids=lambda one: type(one).__name__)
def test_a_position_that_pickling_changes_is_refused(board: Any) -> None:
    refused(lambda: search(board, simulations=10, workers=2), "workers", type(board).__name__)


@pytest.mark.parametrize(
    "board",
    [Nim((3, 4)), Crosses(), Corridor(), Sharing(), PigGame(5), DrawnPig(5)],
    ids=lambda one: type(one).__name__,
)
def test_a_position_that_comes_back_equal_is_sent(board: Any) -> None:
    must_be_sent(board)


@pytest.mark.long
@pytest.mark.parametrize("guard", ["", 'if __name__ == "__main__": '])
def test_a_script_without_a_guard_is_told_so(guard: str, tmp_path: Path) -> None:
    script = tmp_path / "mine.py"
    script.write_text(
        "from mcts import search\nfrom tests.mcts.classes import Crosses\n"
        f"{guard}print(search(Crosses(), simulations=50, workers=2).simulations)\n"
    )
    done = subprocess.run(
        [sys.executable, str(script)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=300,
    )
    if guard:
        assert (done.stdout, done.stderr) == ("50\n", "")
    else:
        said = done.stderr.strip().splitlines()[-1]
        assert said.startswith("ValueError: workers ")
        assert "script" in said
        assert said.endswith("mine.py")
        assert done.stderr.count("Traceback") == 1


@pytest.mark.long
@pytest.mark.parametrize("options", [{}, {"scale": "tree"}])
def test_after_an_interrupt_the_workers_do_not_go_on(options: dict[str, Any]) -> None:
    hear_interrupts()
    search(Nim((3, 4, 5)), simulations=50, workers=2, **options)
    timer = threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        search(Nim((3, 4, 5)), simulations=10**9, workers=2, **options)
    timer.join()
    assert search(Nim((3, 4, 5)), simulations=50, workers=2, **options).simulations == 50
