"""One best arm among equal ones: what is varied, and what stays."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from bandits import Arms, Bernoulli

ARMS, GAP, HORIZON = "arms", "gap", "horizon"


@dataclass(frozen=True)
class Point:
    """One problem: K arms of mean 1/2 - gap / 2, but the first of mean 1/2 + gap / 2."""

    varied: str
    value: float
    arms: int
    gap: float
    horizon: int

    @property
    def bandit(self) -> Arms:
        """The arms."""
        return Bernoulli([0.5 + self.gap / 2.0, *[0.5 - self.gap / 2.0] * (self.arms - 1)])


def points(
    numbers_of_arms: list[int], gaps: list[float], horizons: list[int], arms: int, gap: float, horizon: int
) -> Iterator[Point]:
    """Yield the problems in which one number is varied and the others stay."""
    yield from (Point(ARMS, count, count, gap, horizon) for count in numbers_of_arms)
    yield from (Point(GAP, value, arms, value, horizon) for value in gaps)
    yield from (Point(HORIZON, steps, arms, gap, steps) for steps in horizons)
