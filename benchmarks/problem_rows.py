"""The rows of the table of any problem: a class in plain Python beside other libraries, and a process beside C.

Speeds are of the processor time of one core. A class is tic-tac-toe: simulations a second from the empty board, by each
library's own UCT with games played at random. A process is sailing on 20 x 20 points: simulated steps a second.
"""

from __future__ import annotations

import functools
import statistics
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks import c_compiler, c_sailing
from benchmarks.environments import answer_of, installed
from benchmarks.processes import ROOT
from benchmarks.row import Row
from benchmarks.timing import Loop, compare
from mcts.processes.planning import plan
from mcts.processes.sailing import Sailing

SCRIPTS = ROOT / "benchmarks" / "tictactoe"
OURS = SCRIPTS / "search_ours.py"
PEERS = {  # each library with its version, and the script that searches by it
    ("mcts", "1.0.4"): SCRIPTS / "search_mcts.py",
    ("imparaai-montecarlo", "1.3.1"): SCRIPTS / "search_imparaai.py",
    ("mcts-simple", "1.1.0"): SCRIPTS / "search_mcts_simple.py",
    ("gymcts", "1.5.1"): SCRIPTS / "search_gymcts.py",
}
LAKE = Sailing(20)
STEPS, TWIN = 1e6, 0.5  # simulated steps a second, and the part of C's, that are wanted


@dataclass(frozen=True)
class Size:
    """How much is measured: rounds, and simulations of a search of the class and of the process."""

    rounds: int
    simulations: int
    sailed: int


FULL, QUICK = Size(7, 10_000, 2_000), Size(3, 2_000, 500)


def rows(size: Size) -> Iterator[Row]:
    """Yield a row for each library, and those of the process."""
    for library, version in PEERS:
        yield class_row(library, version, size)
    yield from process_rows(size)


def class_row(library: str, version: str, size: Size) -> Row:
    """Return the line of the class beside a library; both are searched in turn, in processes of their own."""
    what = f"own class, tic-tac-toe: {library} {version}"
    try:
        python, script = installed(library, version), PEERS[library, version]
        pairs = [
            (speed(sys.executable, OURS, size.simulations), speed(python, script, size.simulations))
            for _ in range(size.rounds)
        ]
    except (ImportError, OSError) as error:
        return Row(what, skipped=str(error))
    ours, other = (statistics.median(speeds) for speeds in zip(*pairs, strict=True))
    ratio = statistics.median(mine / theirs for mine, theirs in pairs)
    return Row(what, f"{ours:,.0f} /s", f"{other:,.0f} /s", ratio, 1.0, ratio > 1.0)


def speed(python: str | Path, script: Path, simulations: int) -> float:
    """Return the simulations a second of a script, each with one game played to its end."""
    more = {"PYTHONPATH": str(ROOT)} if script == OURS else {}
    answer = answer_of(python, script, str(simulations), **more)
    return float(answer["playouts"] / answer["seconds"])


def process_rows(size: Size) -> Iterator[Row]:
    """Yield the lines of the process: against a limit, and beside C, whose visits are the same to the last bit."""
    search = functools.partial(plan, LAKE.process, simulations=size.sailed)
    ours = Loop(search().steps, search)
    what = f"process, sailing 20 x 20, {size.sailed:,} simulations"
    alone = compare(ours, ours, 1).ours
    yield Row(what, f"{alone / 1e6:.1f} M steps/s", f"limit {STEPS / 1e6:g} M", alone / STEPS, 1.0, alone >= STEPS)
    what = f"{what}: C, the same search and hook, -O3 -march=native"
    if c_compiler.compiler() is None:
        yield Row(what, skipped="no C compiler (cc)")
        return
    library = c_compiler.build(c_sailing.SOURCE, c_sailing.EXACT)
    twin = Loop(ours.steps, functools.partial(c_sailing.search, library, LAKE, size.sailed, 1.0, 0))
    found = compare(ours, twin, size.rounds)
    mine, theirs = (f"{value / 1e6:.1f} M steps/s" for value in (found.ours, found.other))
    yield Row(what, mine, theirs, found.ratio, TWIN, found.ratio >= TWIN)
