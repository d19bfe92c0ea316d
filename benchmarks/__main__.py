"""`python -m benchmarks [PART ...]`: time the kernels beside other loops, and print tables of ratios."""

import os

for _threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):  # one core for NumPy too
    os.environ.setdefault(_threads, "1")

import contextlib  # noqa: E402
import platform  # noqa: E402
from collections.abc import Callable, Iterator, Sequence  # noqa: E402
from dataclasses import dataclass  # noqa: E402
from pathlib import Path  # noqa: E402

import numba  # noqa: E402
import numpy as np  # noqa: E402
from rich.console import Console  # noqa: E402
from rich.table import Table  # noqa: E402

from benchmarks import c_compiler, policy_rows, rows  # noqa: E402
from benchmarks.row import Row  # noqa: E402
from numerics.commands import Command, word  # noqa: E402
from numerics.exits import leave, run_guarded  # noqa: E402
from numerics.parameters import must_be_one_of, parameter  # noqa: E402


@dataclass(frozen=True)
class Part:
    """One table: its title, its rows, each measured when it is asked for, and the line below, measured last."""

    title: str
    rows: Iterator[Row]
    below: Callable[[], str]


class Bench(Command, module="benchmarks"):
    """What is timed."""

    parts: list[str] = word(
        [],
        help="of bandits, connect4, search, games, problems, solver, cluster, waiting, live, house; all when left out",
    )
    quick: bool = parameter(False, help="a short pass, of some minutes for all parts")
    long: bool = parameter(False, help="also what takes minutes: the empty board without book")


def main(words: Sequence[str] | None = None) -> None:
    """Measure, and print the tables."""
    given = Bench.read(words)
    for name in given.parts:
        if name not in PARTS:
            raise ValueError(must_be_one_of("parts", name, PARTS))
    console = Console(width=max(Console().width, 140) if not Console().is_terminal else None)
    console.print(machine(), highlight=False)
    for name in given.parts or PARTS:
        part = PARTS[name](given)
        table = Table(title=part.title)
        for column in ("compared with", "ours", "other", "ratio", "target", "met"):
            table.add_column(column, justify="left" if column in ("compared with", "met") else "right")
        with console.status("measuring") as status:
            for row in part.rows:
                status.update(f"measured: {row.what}")
                table.add_row(*cells(row))
            below = part.below()
        console.print(table)
        console.print(below, highlight=False)


def bandits(given: Bench) -> Part:
    """Every policy beside NumPy, many arms, and other libraries."""
    size = rows.QUICK if given.quick else rows.FULL

    def measured() -> Iterator[Row]:
        yield from rows.numpy_rows(size)
        yield from rows.c_rows(size)
        yield from policy_rows.twin_rows(size)
        yield from policy_rows.feature_rows(size)
        yield from policy_rows.arm_rows(size)
        yield from rows.peer_rows(size)
        yield from rows.own_rule_rows(size)
        yield from rows.core_rows(size)
        if not given.quick:
            yield from rows.memory_rows()

    title = f"Pulls per second, millions; K = {rows.MEANS.size} unless said, T = {size.horizon:,}, medians of ratios"
    return Part(title, measured(), lambda: rows.floor_line(size))


def connect4(given: Bench) -> Part:
    """Random playouts of Connect 4, and whole games."""
    from benchmarks import connect4_rows

    size = connect4_rows.QUICK if given.quick else connect4_rows.FULL

    def measured() -> Iterator[Row]:
        yield from connect4_rows.c_rows(size)
        yield from connect4_rows.peer_rows(size)
        yield from connect4_rows.own_rows(size)

    title = "Playouts per second, millions; empty 7x6 board, medians of ratios"
    return Part(title, measured(), lambda: connect4_rows.floor_line(size))


def searches(given: Bench) -> Part:
    """Tree search on Connect 4."""
    from benchmarks import search_rows

    size = search_rows.QUICK if given.quick else search_rows.FULL

    def measured() -> Iterator[Row]:
        yield from search_rows.c_rows(size)
        yield from search_rows.peer_rows(size)
        yield from search_rows.own_rows(size)

    title = (
        f"Simulations per second, millions; empty 7x6 board, {search_rows.SIMULATIONS:,} a search, medians of ratios"
    )
    return Part(title, measured(), lambda: search_rows.floor_line(size))


def games(given: Bench) -> Part:
    """Tree search on other people's games."""
    from benchmarks import game_rows

    size = game_rows.QUICK if given.quick else game_rows.FULL
    title = "Simulations per second, millions; states of OpenSpiel at the start of each game, medians of ratios"
    return Part(title, game_rows.rows(size), lambda: "both call the same states of OpenSpiel from Python")


def problems(given: Bench) -> Part:
    """Any problem: a class in plain Python, and a process."""
    from benchmarks import problem_rows

    size = problem_rows.QUICK if given.quick else problem_rows.FULL
    title = f"Any problem; {size.simulations:,} simulations a search of a class, medians of ratios"
    below = (
        "A simulation of mcts and gymcts has both sides seek a win of the first player, so that its games are short."
    )
    return Part(title, problem_rows.rows(size), lambda: below)


def solvers(given: Bench) -> Part:
    """The exact solver of Connect 4 and its opening book."""
    from benchmarks import solver_rows

    size = solver_rows.QUICK if given.quick else solver_rows.FULL

    def measured() -> Iterator[Row]:
        yield from solver_rows.peer_rows(size)
        yield from solver_rows.book_rows(size)
        if given.long:
            yield solver_rows.empty_board_row()

    return Part("Exact scores of 7x6: time a position", measured(), lambda: solver_rows.floor_line(size))


def clusters(given: Bench) -> Part:
    """What the engine costs, and Dask."""
    from benchmarks import cluster_rows

    size = cluster_rows.QUICK if given.quick else cluster_rows.FULL

    def measured() -> Iterator[Row]:
        yield from cluster_rows.engine_rows(size)
        yield from cluster_rows.scheduler_rows(size)

    return Part("Beyond one machine", measured(), lambda: "tasks that sleep imitate the workers of a large cluster")


def waits(given: Bench) -> Part:
    """What a person waits for."""
    from benchmarks import waiting_rows

    size = waiting_rows.QUICK if given.quick else waiting_rows.FULL
    return Part("What a person waits for", waiting_rows.rows(size), lambda: "seconds are on the wall of this machine")


def lives(given: Bench) -> Part:
    """Agents in a running program."""
    from benchmarks import live_rows

    size = live_rows.QUICK if given.quick else live_rows.FULL
    return Part("Live agents", live_rows.live_rows(size), lambda: "decisions a second from Python, without features")


def house(given: Bench) -> Part:
    """How much of the project the main commands need."""
    from benchmarks import house_rows

    return Part("What a command needs of the house", house_rows.rows(), lambda: "counts are of this checkout")


PARTS: dict[str, Callable[[Bench], Part]] = {
    "bandits": bandits,
    "connect4": connect4,
    "search": searches,
    "games": games,
    "problems": problems,
    "solver": solvers,
    "cluster": clusters,
    "waiting": waits,
    "live": lives,
    "house": house,
}


def cells(row: Row) -> tuple[str, ...]:
    """Return the texts of a row."""
    if row.skipped:
        return (row.what, "", "", "", "", f"skipped: {row.skipped}")
    digits = 0 if row.ratio is not None and row.ratio >= 100.0 else 2
    return (
        row.what,
        row.ours,
        row.other,
        "" if row.ratio is None else f"{row.ratio:,.{digits}f}",
        "" if row.target is None else f">= {row.target:.3g}",
        {True: "yes", False: "NO", None: ""}[row.met],
    )


def machine() -> str:
    """Return one line on what all this ran on."""
    compiler = c_compiler.version() if c_compiler.compiler() else "no C compiler"
    return (
        f"{_processor()}, {rows.cores()} cores; Python {platform.python_version()}, NumPy {np.__version__}, "
        f"Numba {numba.__version__}; {compiler}"
    )


def _processor() -> str:
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


if __name__ == "__main__":
    leave(run_guarded(main))
