"""Budgets of a search in time: on the clock, of a thread's processor time, or both until the first of them ends."""

from __future__ import annotations

import time
from collections.abc import Callable

from numerics import checks

_CHECK = 0.002  # seconds between two looks at the clock, about


class Clocks:
    """Clocks that run from the start of a search, and say how much work fits between two looks at them.

    Parameters
    ----------
    seconds, cpu_seconds : float or None
        Above 0; None where that clock does not count.
    begun : float
        When the search began, by `time.perf_counter`.
    used : float
        Seconds of processor time that it has taken so far.

    Raises
    ------
    ValueError
        No budget, or one that is not above 0.
    """

    def __init__(self, seconds: float | None, cpu_seconds: float | None, begun: float, used: float):
        self._clocks: list[tuple[Callable[[], float], float]] = []  # what tells the time, and when it is over
        if seconds is None and cpu_seconds is None:
            raise ValueError("seconds or cpu_seconds must be given")
        if seconds is not None:
            end = begun + checks.number("seconds", seconds, 0.0, above=True)
            self._clocks.append((time.perf_counter, end))
        if cpu_seconds is not None:
            end = time.thread_time() - used + checks.number("cpu_seconds", cpu_seconds, 0.0, above=True)
            self._clocks.append((time.thread_time, end))
        self._before = [clock() for clock, _ in self._clocks]

    @property
    def left(self) -> float:
        """Seconds until the first clock runs out."""
        return min(end - clock() for clock, end in self._clocks)

    def fitting(self, done: int) -> int:
        """Return how much of what was done since the last call fits before the next look; 0 if time is over."""
        now = [clock() for clock, _ in self._clocks]
        fits = float("inf")
        for (_, end), at, before in zip(self._clocks, now, self._before, strict=True):
            left = end - at
            if left <= 0.0:
                return 0
            if at > before:
                fits = min(fits, done / (at - before) * min(left, max(_CHECK, left / 4.0)))
            else:  # a clock that ticks: Windows counts the processor time of a thread in steps of 16 ms
                fits = min(fits, 2.0 * done)
        self._before = now
        return max(1, int(fits))
