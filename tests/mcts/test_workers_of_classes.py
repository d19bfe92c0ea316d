"""Workers that are processes: what is sent to them, and what is left of them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from mcts import search
from mcts.ordinary.workers import must_be_sent
from tests.experiments.commands import hear_interrupts
from tests.mcts.classes import Corridor, Crosses, DrawnPig, Nim, PigGame, Sharing
from tests.refusals import refused

ROOT = Path(__file__).resolve().parents[2]


class Forgets(Crosses):
    """Which pickling brings back to the first position."""

    def __reduce__(self) -> Any:
        return Forgets, ()


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


@pytest.mark.parametrize(
    "board", [Forgets((0, *[None] * 8), 1), Later((5, 5)), Raises()], ids=lambda one: type(one).__name__
)
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
        assert said.startswith("ValueError: workers must be 1 in a script")
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
