"""The rows of the table of searches: what is compared with what, and the ratio that is wanted.

Speeds are simulations per second of one core, from the empty 7 x 6 board, one uniform playout a simulation, each search
in a new tree, by the call that a user makes.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from bandits import UCB, Policy, make
from benchmarks import c_compiler, c_uct, peak_memory, search_peers
from benchmarks.connect4_peers import label
from benchmarks.processes import printed_by
from benchmarks.row import Row, row
from benchmarks.rows import MEBIBYTE, RULE
from benchmarks.timing import Loop, compare
from connect4 import Board
from mcts import search

BOARD = Board()
SIMULATIONS = 10_000

_LONG = """
import sys
from benchmarks.peak_memory import peak_bytes
import connect4, mcts
searched = mcts.search(connect4.Board(), simulations=int(sys.argv[1]), seed=0)
assert searched.simulations == int(sys.argv[1]) and not searched.full
print(peak_bytes())
"""


@dataclass(frozen=True)
class Size:
    """How long to measure: rounds, rounds of the slow ones; simulations of slow, long and huge searches."""

    rounds: int
    slow_rounds: int
    slow: int
    long: int
    tree: int


FULL = Size(rounds=7, slow_rounds=2, slow=SIMULATIONS, long=1_000_000, tree=10_000_000)
QUICK = Size(rounds=3, slow_rounds=1, slow=1_000, long=100_000, tree=1_000_000)


def ours(policy: Policy) -> Loop:
    """Return our own search."""
    return Loop(SIMULATIONS, lambda: search(BOARD, policy=policy, simulations=SIMULATIONS, seed=0))


def peer_rows(size: Size) -> Iterator[Row]:
    """Our search beside those of other libraries."""
    peers: tuple[tuple[str, str, Callable[[], search_peers.Search], float, int, int], ...] = (
        ("open-spiel", ", C++ MCTSBot", search_peers.open_spiel, 10.0, size.rounds, SIMULATIONS),
        ("open-spiel", ", Python MCTSBot", search_peers.open_spiel_python, 150.0, size.slow_rounds, size.slow),
        ("puissance4", ", UCT, 1 playout a descent", search_peers.puissance4, 400.0, size.slow_rounds, size.slow),
    )
    search(BOARD, simulations=1)  # loads our kernels; what takes long is not played once more to warm it up
    for name, how, load, target, rounds, simulations in peers:
        what = f"UCT: {name}{how}"
        try:
            what, play = f"UCT: {label(name)}{how}", load()
        except ImportError as error:
            yield Row(what, skipped=str(error))
            continue
        if simulations != SIMULATIONS:
            what += f", {simulations:,} simulations"
        other = Loop(simulations, functools.partial(play, (), simulations))
        comparison = compare(ours(UCB(c=search_peers.C)), other, rounds, warm=int(rounds == size.rounds))
        yield row(what, comparison, target)


def c_rows(size: Size) -> Iterator[Row]:
    """Our search beside C, whose visits and values are the same to the last bit."""
    for simulations in (1_000, SIMULATIONS, size.long):
        what = f"UCT: C, the same search, {simulations:,} simulations"
        if c_compiler.compiler() is None:
            yield Row(what, skipped="no C compiler (cc)")
            continue
        # Short rounds, of which few are interrupted by other programs, after which caches are cold.
        library, times = c_compiler.build(c_uct.SOURCE, c_uct.EXACT), max(1, 20_000 // simulations)
        loops = [
            Loop(simulations * times, functools.partial(_repeat, times, play))
            for play in (
                functools.partial(search, BOARD, UCB(c=search_peers.C), simulations),
                functools.partial(c_uct.play, library, BOARD, simulations, search_peers.C, 0),
            )
        ]
        rounds = 20 * size.rounds if times > 1 else size.slow_rounds + 1
        yield row(f"{what}, -O3 -march=native", compare(*loops, rounds), 0.9)


def _repeat(times: int, play: Callable[[], object]) -> None:
    for _ in range(times):
        play()


def own_rows(size: Size) -> Iterator[Row]:
    """A user's rule beside the built-in one, and a large tree."""
    custom = make("custom", rule=RULE, c=search_peers.C)
    comparison = compare(ours(custom), ours(UCB(c=search_peers.C)), 4 * size.rounds)
    yield row("UCT, rule from a user's own file: the built-in rule", comparison, 1.0 / 1.15)
    yield large_tree(size.tree)


def large_tree(simulations: int) -> Row:
    """Return the line of the memory of a process that grows one large tree."""
    if peak_memory.UNKNOWN:
        return Row(f"{simulations:,} simulations in one tree: memory", skipped=peak_memory.UNKNOWN)
    start = time.perf_counter()
    peak = float(printed_by(_LONG, str(simulations)))
    what = f"{simulations:,} simulations in one tree, {time.perf_counter() - start:.0f} s: memory"
    limit = 2_048.0 * MEBIBYTE
    return Row(what, f"{peak / MEBIBYTE:,.0f} MiB", "limit 2048 MiB", limit / peak, 1.0, peak < limit)


def floor_line(size: Size) -> str:
    """Return what a simulation takes here, beside the playout in it."""
    from benchmarks import connect4_rows

    playouts = connect4_rows.ours("uniform", connect4_rows.QUICK)
    comparison = compare(ours(UCB(c=search_peers.C)), playouts, size.rounds)
    whole, playout = 1e9 / comparison.ours, 1e9 / comparison.other
    return (
        f"A simulation takes {whole:.0f} ns; a playout from the empty board {playout:.0f} ns, one from deeper in the "
        "tree less."
    )
