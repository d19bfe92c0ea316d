"""The rows of what a person waits for: first use, the first result of a process, short searches, a second core.

Times are on the wall and of this machine; where a ratio can say the same, it does. Two workers are held against two
processes that know nothing of each other: what the machine gives two programs at once, its shared caches and clock
speeds included.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bandits import simulate
from benchmarks.processes import ROOT, printed_by, seconds_of, seconds_of_a_run
from benchmarks.row import Row, within
from benchmarks.rows import MEANS, cores
from experiments.engine.executors.auto import Auto
from experiments.engine.executors.threads import Threads
from experiments.engine.tasks import Executor
from experiments.games import playing
from experiments.games.rules import Connect4
from experiments.players.specs import PLAYER

SECONDS = 0.5
WANTED = 0.8
OF_TWO = 0.95  # of the speed of two processes that know nothing of each other
IN_KERNELS = 0.9

_TWO = """
import sys
from connect4 import Board
from experiments.players.specs import program
player, simulations = program("player", sys.argv[1]), []
for _ in range(2):
    player.reset(0)
    simulations.append(player.think(Board()).result().simulations)
print(*simulations)
"""
_FIRST = """
import time
import bandits, connect4, mcts
start = time.perf_counter()
mcts.search(connect4.Board(), simulations=1_000, seed=0)
print(time.perf_counter() - start)
"""
_UCB = "from bandits import simulate; simulate('ucb', [0.1, 0.5, 0.9])"
_THOMPSON = "from bandits import simulate; simulate('thompson', [0.1, 0.5, 0.9])"
_SEARCH = "from connect4 import Board; from mcts import search; search(Board())"
_SOLVER = "from connect4 import Board, solve; solve(Board.from_moves('3216462512'))"
_FIRST_USE = (
    ("UCB1", _UCB, 4.0),
    ("a search", _SEARCH, 4.0),
    ("Thompson sampling", _THOMPSON, 6.0),
    ("the exact solver", _SOLVER, 3.0),
)
_SIX = ("ucb", "thompson", "kl_ucb", "moss", "epsilon_greedy", "exp3")
_PLAYED = {
    "a match": (("uct", "uct"),),
    "a sweep of c": (("uct c=0.5", "uct"), ("uct c=1.0", "uct")),
    "a tournament": (("uct", "uct c=0.7"), ("uct", "uct c=1.4"), ("uct c=0.7", "uct c=1.4")),
}
_HALF = """
import sys
from benchmarks.waiting_rows import _PLAYED, Threads, play
players = _PLAYED[sys.argv[1]]
play(players, 4, Threads(workers=1))
print("ready", flush=True)
sys.stdin.readline()
print(play(players, int(sys.argv[2]), Threads(workers=1)))
"""


@dataclass(frozen=True)
class Size:
    """How many processes are asked, games, and replications of a comparison."""

    processes: int
    games: int
    runs: int


FULL = Size(processes=7, games=1_000, runs=1_000)
QUICK = Size(processes=3, games=60, runs=200)


def rows(size: Size) -> Iterator[Row]:
    """Return all lines."""
    yield from first_use_rows(size)
    yield from start_rows(size)
    searches = statistics.median(float(printed_by(_FIRST)) for _ in range(size.processes))
    yield within("first search of a process after its imports", searches, 0.25)
    yield within("default run, the second time, its figures included", seconds_of_a_run(rounds=size.processes), 2.0)
    helps = statistics.median(seconds_of("-m", "experiments.run", "--help") for _ in range(size.processes))
    yield within("python -m experiments.run --help", helps, 0.6)
    yield from two_worker_rows(size)
    yield six_policies(size)
    yield from budget_rows(size)


def first_use_rows(size: Size) -> Iterator[Row]:
    """Return a line for each first use after the installation: the kernels are compiled."""
    for what, code, limit in _FIRST_USE:
        taken = []
        for _ in range(max(1, size.processes // 2)):
            with tempfile.TemporaryDirectory() as folder:
                taken.append(seconds_of("-c", code, NUMBA_CACHE_DIR=folder))
        yield within(f"first use of {what}, compiling included", statistics.median(taken), limit)


def start_rows(size: Size) -> Iterator[Row]:
    """Return a line for a first simulation and a first search: from the start of a process to its end."""
    for what, code in (("simulate('ucb', means)", _UCB), ("search(Board())", _SEARCH)):
        seconds_of("-c", code)  # compiles what is not on disk
        taken = [(seconds_of("-c", code), seconds_of("-c", "import numba")) for _ in range(size.processes)]
        ours, other = (statistics.median(times) for times in zip(*taken, strict=True))
        ratio = statistics.median(numba / own for own, numba in taken)
        yield Row(
            f"a process that ends after {what}: one that imports Numba",
            f"{ours:.2f} s",
            f"{other:.2f} s",
            ratio,
            1.0,
            ratio >= 1.0,
        )


def two_worker_rows(size: Size) -> Iterator[Row]:
    """Return a line for a match, a sweep and a tournament: two workers beside two processes with half of the games."""
    for what, players in _PLAYED.items():
        title = f"{what}, {size.games} games of UCT in all, two workers: two processes with half of them each"
        if cores() < 2:
            yield Row(title, skipped="one core only")
            continue
        ratios, ours, others = [], 0.0, 0.0
        for _ in range(max(1, size.processes // 2)):
            play(players, 4, Threads(workers=2))
            ours, others = play(players, size.games, Auto(workers=2)), seconds_of_two(what, size.games // 2)
            ratios.append(others / ours)
        ratio = statistics.median(ratios)
        yield Row(title, f"{ours:.1f} s", f"{others:.1f} s", ratio, OF_TWO, ratio >= OF_TWO)


def play(pairs: tuple[tuple[str, str], ...], games: int, executor: Executor) -> float:
    """Return the time in which games of pairs of players are played as an experiment does, each part stored in a file.

    Parameters
    ----------
    pairs : tuple of pairs of str
        The players.
    games : int
        Of all pairs together.
    executor : Executor
    """
    built = [
        playing.labelled_apart(tuple(PLAYER.build(name, f"player{seat}") for seat, name in enumerate(pair, start=1)))
        for pair in pairs
    ]
    terms = playing.MatchSettings(Connect4(), ((),), games // len(pairs), seed=0)
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        for _ in executor.run(playing.plan(built, terms, Path(folder))):
            pass
        return time.perf_counter() - start


def seconds_of_two(what: str, games: int) -> float:
    """Return the time of two processes that play so many games each, at once; the longer one."""
    command, pipe = [sys.executable, "-c", _HALF, what, str(games)], subprocess.PIPE
    processes = [subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, encoding="utf-8") for _ in range(2)]
    for each in processes:
        assert each.stdout is not None
        each.stdout.readline()
    for each in processes:  # all begin before one is waited for
        assert each.stdin is not None
        each.stdin.write("\n")
        each.stdin.flush()
    return max(float(each.communicate()[0]) for each in processes)


def six_policies(size: Size) -> Row:
    """Return the line of a comparison: half the time that its policies take alone on one core, beside its own."""
    what = f"six policies, {size.runs:,} replications of 10,000, two workers: half of their time on one core"
    if cores() < 2:
        return Row(what, skipped="one core only")
    simulate(_SIX, MEANS, horizon=100, runs=100)
    taken = []
    for workers in (1, 2):
        start = time.perf_counter()
        if workers == 1:
            for policy in _SIX:
                simulate(policy, MEANS, horizon=10_000, runs=size.runs, workers=1)
        else:
            simulate(_SIX, MEANS, horizon=10_000, runs=size.runs, workers=2)
        taken.append(time.perf_counter() - start)
    single, double = taken
    ratio = single / 2.0 / double
    return Row(what, f"{double:.2f} s", f"{single / 2.0:.2f} s", ratio, IN_KERNELS, ratio >= IN_KERNELS)


def budget_rows(size: Size) -> Iterator[Row]:
    """Return a line for each player: simulations of the first and of the second search of a fresh process."""
    first = f"uct seconds={SECONDS}"
    yield of_two(first, size)
    yield of_two(f"{first} solve=true transpositions=true policy=ucb_v", size)
    yield of_two(f"{first} root_policy=anytime_halving workers=2", size)
    yield of_two(f"uct cpu_seconds={SECONDS}", size)
    yield of_two(f"uct_best seconds={SECONDS}", size)


def of_two(player: str, size: Size) -> Row:
    """Return the line of one player."""
    asked(player)  # compiles what is not on disk
    pairs = [asked(player) for _ in range(size.processes)]
    ratio = statistics.median(first / second for first, second in pairs)
    first, second = (statistics.median(counts) for counts in zip(*pairs, strict=True))
    what = f"{player}: simulations of the first, the second search in {SECONDS:g} s"
    return Row(what, f"{first:,.0f}", f"{second:,.0f}", ratio, WANTED, ratio >= WANTED)


def asked(player: str) -> tuple[int, int]:
    """Return the simulations of the first and the second search of a fresh process."""
    first, second = printed_by(_TWO, player).split()
    return int(first), int(second)
