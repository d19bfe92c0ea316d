"""Arms whose best arm changes from time to time; the means of the others stay the same."""

from __future__ import annotations

import numpy as np

from bandits.arms.base import LARGEST, Floats
from bandits.arms.changing.base import AbruptArms, Steps
from numerics.parameters import parameter
from numerics.random import Purpose, streams, unit


class AbruptBest(AbruptArms, name="abrupt_best"):
    """Arms that keep their means, but for the best of the moment: at each change it is another, drawn at random.

    Parameters
    ----------
    arms : Arms
        What gives the law and the means of all arms while they are not the best.
    best : float
        The mean of the best arm of the moment, above all others. Each replication draws the first best arm, and at a
        change one of the others, uniformly.
    changes : sequence of int, optional
        The pulls after which the best arm changes, increasing, below the horizon; the same in all replications.
    rate : float, default 0
        In place of `changes`: the probability of a change before each pull but the first, in (0, 1].

    Raises
    ------
    ValueError
        Both or neither of `changes` and `rate`, or a best mean that is not above the others or outside the law's range.

    Examples
    --------
    >>> arms = AbruptBest([0.2, 0.3, 0.4], best=0.8, changes=[500])
    >>> starts, means = arms.segments(seed=0, first=0, runs=1, horizon=1_000)
    >>> means[0].tolist()
    [[0.2, 0.3, 0.8], [0.8, 0.3, 0.4]]
    """

    moving = "of which the best changes"
    best: float = parameter(0.9, low=-LARGEST, high=LARGEST, help="mean of the currently best arm")

    def __post_init__(self) -> None:
        super().__post_init__()
        highest = float(self.fixed.max())
        if self.best <= highest:
            raise ValueError(f"best must be above the highest mean of arms, {highest:g}; got {self.best:g}")
        self.accept("best", (self.best,) * self.count)

    @property
    def what(self) -> str:
        return f"another arm becomes the best, of mean {self.best:g},"

    @property
    def largest_gap(self) -> float:
        return self.best - float(self.fixed.min())

    def segments(self, seed: int, first: int, runs: int, horizon: int) -> tuple[Steps, Floats]:
        starts = self.starts(seed, first, runs, horizon)
        means, rows, best = np.tile(self.fixed, (*starts.shape, 1)), np.arange(runs), np.zeros(runs, np.int64)
        for number in range(starts.shape[1]):
            uniform = unit(streams(seed, (Purpose.CHANGES, 2, number), first, runs)[:, 0])
            others = self.count - (number > 0)
            best = (best + (number > 0) + (uniform * others).astype(np.int64)) % self.count
            means[rows, number, best] = self.best
        return starts, means
