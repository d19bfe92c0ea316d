"""How two loops are timed against each other on a machine that does other things too.

Rounds alternate, A B A B ..., so that a change of clock speed or of load meets both; each round gives one ratio, and
the median of the ratios is the result. Processor time of this process, not time on the wall: what another process
takes is not counted. Both loops are played once before, which loads or compiles what they need.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass


def processor_seconds() -> float:
    """Return the processor time of this process; on Windows, which counts it in steps of 16 ms, time on the wall."""
    return time.perf_counter() if sys.platform == "win32" else time.process_time()


@dataclass(frozen=True)
class Loop:
    """Something to time: `play()` plays `steps` pulls."""

    steps: int
    play: Callable[[], object]


@dataclass(frozen=True)
class Comparison:
    """Steps per second of both loops, and how many times faster the first is: medians over the rounds."""

    ours: float
    other: float
    ratio: float


def compare(
    ours: Loop, other: Loop, rounds: int = 5, clock: Callable[[], float] = processor_seconds, warm: int = 1
) -> Comparison:
    """Time two loops in turn, `rounds` times each, after `warm` rounds that are not counted."""
    for _ in range(warm):
        ours.play()
        other.play()
    pairs = [(_speed(ours, clock), _speed(other, clock)) for _ in range(rounds)]
    return Comparison(
        statistics.median(a for a, _ in pairs),
        statistics.median(b for _, b in pairs),
        statistics.median(a / b for a, b in pairs),
    )


def _speed(loop: Loop, clock: Callable[[], float]) -> float:
    start = clock()
    loop.play()
    return loop.steps / (clock() - start)
