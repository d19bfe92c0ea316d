"""Arms whose means rise and fall like a slow sine, one arm after another."""

from __future__ import annotations

import math

import numpy as np

from bandits.arms.base import LARGEST, Floats
from bandits.arms.changing.base import ChangingArms, Steps, equal_segments
from numerics.parameters import parameter


class Sine(ChangingArms, name="sine"):
    """Arms whose means swing: at step s, from 0 on, that of arm a is mean_a + amplitude sin(2 pi (s / period + a / K)).

    Parameters
    ----------
    arms : Arms
        What gives the law and the means about which they swing; fixed ones.
    amplitude : float, default 0.2
        Above 0, and so small that no mean leaves the law's range.
    period : float, default 5,000
        The pulls of a whole swing, at least 2.
    every : int, default 1
        The pulls for which a mean is kept before it moves.

    Raises
    ------
    ValueError
        A number out of its range, or an amplitude that takes a mean out of the law's range.

    Examples
    --------
    >>> arms = Sine([0.5, 0.5], amplitude=0.3, period=8)
    >>> means = arms.segments(seed=0, first=0, runs=1, horizon=4)[1]
    >>> means[0].round(3).tolist()
    [[0.5, 0.5], [0.712, 0.288], [0.8, 0.2], [0.712, 0.288]]
    """

    moving = "whose means swing"
    amplitude: float = parameter(0.2, low=0.0, high=LARGEST, above=True, help="how far a mean swings, above 0")
    period: float = parameter(5_000.0, low=2.0, high=LARGEST, help="pulls of a whole swing")
    every: int = parameter(1, low=1, help="pulls for which a mean is kept before it moves")

    def __post_init__(self) -> None:
        super().__post_init__()
        middle = self.fixed
        for end in (middle - self.amplitude, middle + self.amplitude):
            try:
                self.accept("arms", end.tolist())
            except ValueError:
                raise ValueError(
                    f"amplitude must leave the means, {', '.join(f'{mean:g}' for mean in middle)}, in the range of "
                    f"their law; got {self.amplitude:g}"
                ) from None

    @property
    def largest_gap(self) -> float:
        return float(np.ptp(self.fixed)) + 2.0 * self.amplitude

    def segments_up_to(self, horizon: int) -> int:
        return -(-horizon // self.every)

    def segments(self, seed: int, first: int, runs: int, horizon: int) -> tuple[Steps, Floats]:
        starts = equal_segments(runs, self.every, horizon)
        turns = starts[0][:, None] / self.period + np.arange(self.count) / self.count
        means = self.fixed + self.amplitude * np.sin(2.0 * math.pi * turns)
        return starts, np.tile(means, (runs, 1, 1))

    @property
    def how(self) -> str:
        return f"means swing by {self.amplitude:g} in {self.period:g} pulls"
