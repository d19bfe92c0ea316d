"""Arms with piecewise constant means."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from bandits.arms.base import Floats, rows_of, uniforms
from bandits.arms.changing.base import AbruptArms, Steps
from numerics.parameters import parameter
from numerics.random import Purpose, derived_seed


class Piecewise(AbruptArms, name="piecewise"):
    """Arms whose means jump now and then, and are constant between: piecewise stationary.

    Parameters
    ----------
    arms : Arms
        What gives the law and the means before the first change.
    changes : sequence of int, optional
        The pulls after which the means change, increasing, below the horizon; the same in all replications.
    means : sequence of sequence of float, optional
        For each change the K means from then on. Without `means`, they are new in every replication. They are drawn
        again if those of `arms` are drawn; otherwise they are the same means in a random order.
    rate : float, default 0
        In place of `changes`: the probability of a change before each pull but the first, in (0, 1].

    Raises
    ------
    ValueError
        Both or neither of `changes` and `rate`, rows of means for other changes than these, or a mean outside the
        law's range.

    Notes
    -----
    The setting of Garivier and Moulines, "On upper-confidence bound policies for switching bandit problems", ALT 2011.

    Examples
    --------
    >>> arms = Piecewise([0.2, 0.8], changes=[500], means=[[0.8, 0.2]])
    >>> arms.describe()
    '2 Bernoulli arms, means 0.2, 0.8; means change after 500 pulls'
    >>> starts, means = arms.segments(seed=0, first=0, runs=1, horizon=1_000)
    >>> starts.tolist(), means.tolist()
    ([[0, 500]], [[[0.2, 0.8], [0.8, 0.2]]])
    """

    moving = "whose means jump"
    what = "means change"
    means: Sequence[Any] = parameter(
        (),
        check=lambda name, value: () if value in ((), []) else rows_of(name, value),
        help="the K means from each change on, such as [[0.7, 0.3]]",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.means and len(self.means) != len(self.changes):
            raise ValueError(
                f"means must hold as many rows as there are changes, {len(self.changes)}; got {len(self.means)}"
                if self.changes
                else f"means must be left out with rate, which draws new means (means=[]); got {len(self.means)}"
            )
        for number, row in enumerate(self.means):
            self.accept(f"means[{number}]", row)

    @property
    def largest_gap(self) -> float:
        fixed = self.arms.fixed_means
        if fixed is None:
            return super().largest_gap
        return float(max(max(row) - min(row) for row in (fixed, *self.means)))

    def segments(self, seed: int, first: int, runs: int, horizon: int) -> tuple[Steps, Floats]:
        starts = self.starts(seed, first, runs, horizon)
        rows = [self.arms.draw_means(seed, first, runs)]
        for number in range(1, starts.shape[1]):
            if self.means:
                rows.append(np.tile(np.array(self.means[number - 1]), (runs, 1)))
                continue
            anew = derived_seed(seed, (Purpose.CHANGES, 1, number))
            if self.arms.fixed_means is None:
                rows.append(self.arms.draw_means(anew, first, runs))
            else:
                order = np.argsort(uniforms(anew, first, runs, self.count), axis=1)
                rows.append(np.array(self.arms.fixed_means)[order])
        return starts, np.ascontiguousarray(np.stack(rows, axis=1))
