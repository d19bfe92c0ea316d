"""Arms whose means wander slowly: reflected random walks."""

from __future__ import annotations

import math

import numpy as np

from bandits.arms.base import LARGEST, Floats
from bandits.arms.changing.base import ChangingArms, Steps, equal_segments
from numerics.kernels.jit import kernel
from numerics.parameters import parameter
from numerics.random import Purpose, next_uniform, normal_quantile, streams


@kernel("void(uint64[:, ::1], float64, float64, float64, float64[:, :, ::1])")
def walk(rng, step, low, high, means):
    """Write the means after the first of every replication, float64[R, S, K]: normal steps, reflected at both ends."""
    for r in range(means.shape[0]):
        for s in range(1, means.shape[1]):
            for a in range(means.shape[2]):
                inside = min(next_uniform(rng, r) + 5.551115123125783e-17, 0.9999999999999999)  # as in `gaussian`
                mean = means[r, s - 1, a] + step * normal_quantile(inside)
                while mean < low or mean > high:
                    mean = 2.0 * low - mean if mean < low else 2.0 * high - mean
                means[r, s, a] = mean


class Drift(ChangingArms, name="drift"):
    """Arms whose means are independent random walks with normal steps, reflected at the ends of a range.

    Parameters
    ----------
    arms : Arms
        What gives the law and the first means.
    step : float, default 0.003
        The standard deviation of a step, above 0 and at most `high - low`: after n of them a mean has moved by about
        `step * sqrt(n)`.
    every : int, default 1
        The pulls from a step of the walk to the next.
    low, high : float, optional
        The range of the means; that of the law's rewards when left out.

    Raises
    ------
    ValueError
        A number out of its range, an end that the law excludes, or a first mean outside the range.

    Notes
    -----
    The Brownian restless bandits of Slivkins and Upfal, "Adapting to a changing environment: the Brownian restless
    bandits", COLT 2008.

    Examples
    --------
    >>> arms = Drift([0.3, 0.7], step=0.01)
    >>> means = arms.segments(seed=0, first=0, runs=2, horizon=1_000)[1]
    >>> means.shape, means[:, 0].tolist(), bool((means >= 0.0).all() and (means <= 1.0).all())
    ((2, 1000, 2), [[0.3, 0.7], [0.3, 0.7]], True)
    """

    moving = "whose means wander"
    step: float = parameter(0.003, low=0.0, high=LARGEST, above=True, help="standard deviation of a step")
    every: int = parameter(1, low=1, help="pulls between two steps")
    low: float | None = parameter(None, help="lowest mean; null: the law's lowest reward")
    high: float | None = parameter(None, help="highest mean; null: the law's highest reward")

    def __post_init__(self) -> None:
        super().__post_init__()
        low, high = self.ends
        if not low < high:
            raise ValueError(f"high must be above low, {low:g}; got {high:g}")
        if self.step > high - low:
            raise ValueError(f"step must be at most high - low, {high - low:g}; got {self.step:g}")
        first = self.arms.fixed_means
        if first is not None:
            for name, end in (("low", low), ("high", high)):
                if math.isfinite(end):
                    self.accept(name, (end,) * self.count)
            for arm, mean in enumerate(first):
                if not low <= mean <= high:
                    raise ValueError(f"arms.means[{arm}] must be from low, {low:g}, to high, {high:g}; got {mean:g}")
        elif (low, high) != self.arms.reward_range:
            raise ValueError(f"low and high must be left out for random means; got {low:g} and {high:g}")

    @property
    def ends(self) -> tuple[float, float]:
        """The ends of the range of means."""
        low, high = self.arms.reward_range
        return low if self.low is None else self.low, high if self.high is None else self.high

    @property
    def largest_gap(self) -> float:
        low, high = self.ends
        return high - low

    def segments_up_to(self, horizon: int) -> int:
        return -(-horizon // self.every)

    def segments(self, seed: int, first: int, runs: int, horizon: int) -> tuple[Steps, Floats]:
        starts = equal_segments(runs, self.every, horizon)
        means = np.empty((*starts.shape, self.count))
        means[:, 0] = self.arms.draw_means(seed, first, runs)
        walk(streams(seed, (Purpose.CHANGES, 3), first, runs), self.step, *self.ends, means)
        return starts, means

    @property
    def how(self) -> str:
        low, high = self.ends
        held = f" reflected in [{low:g}, {high:g}]" if math.isfinite(low) or math.isfinite(high) else ""
        pulls = "pull" if self.every == 1 else f"{self.every:,} pulls"
        return f"means walk by normal steps of {self.step:g} every {pulls}{held}"
