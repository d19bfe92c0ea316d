"""The rows of what a person waits for: whether a first search in time does as much as the second of its process."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from dataclasses import dataclass

from benchmarks.processes import printed_by
from benchmarks.row import Row

SECONDS = 0.5
WANTED = 0.8

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


@dataclass(frozen=True)
class Size:
    """How many processes are asked."""

    processes: int


FULL, QUICK = Size(7), Size(3)


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
    return Row(f"{player}: first, second search", f"{first:,.0f}", f"{second:,.0f}", ratio, WANTED, ratio >= WANTED)


def asked(player: str) -> tuple[int, int]:
    """Return the simulations of the first and the second search of a fresh process."""
    first, second = printed_by(_TWO, player).split()
    return int(first), int(second)
