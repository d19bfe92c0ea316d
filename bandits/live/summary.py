"""Statistics of an agent's arms as a table: means, confidence sequences, and the cost of stopping."""

from __future__ import annotations

import functools
import math
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bandits.chances import Chances, compare_means, compare_rates
from numerics.output.sheets import Filled, Sheet, interval, number, share, word
from numerics.statistics.confidence_sequences import hedged_capital

if TYPE_CHECKING:
    import pandas as pd

Floats = npt.NDArray[np.float64]

SHEET = Sheet(
    "",
    lambda frame, facts: facts["title"],
    [
        word("arm"),
        number("rewards", "pulls"),
        number("pending", optional=2),
        interval("mean (95 %)", "mean", ".4f"),
        share("P(best)", "best"),
        number("loss", form=".5f", optional=1),
    ],
)


class Known(NamedTuple):
    """The state of an agent at one moment.

    Attributes
    ----------
    arms : list
        All that it has or had.
    retired : list of bool
        Whether each arm is chosen no more.
    choices : int
    paid : list of array
        Each arm's rewards, as they came.
    waiting : list of int
        How many rewards of each arm are on their way.
    begun : list of (float, float)
        Pulls and sums with which each arm began.
    """

    arms: list[Any]
    retired: list[bool]
    choices: int
    paid: list[array[float]]
    waiting: list[int]
    begun: list[tuple[float, float]]


@dataclass(frozen=True, eq=False, repr=False)
class Summary:
    """Statistics of an agent's arms; it prints as a table.

    Attributes
    ----------
    frame : DataFrame
        A row for each arm:

        arm, retired
            Its name; whether it is chosen no more.
        pulls, pending
            How many rewards of it are known; how many are not.
        mean, mean_low, mean_high
            The mean reward, and an interval of 95 % that may be looked at after every reward; NaN without a range.
        best
            The posterior probability that it has the highest mean, of arms that are not retired.
        loss
            What it is expected to cost per choice to choose this arm from now on: E[highest mean] - E[its mean].
    title : str
        What it is of.

    The interval of an arm is valid at all times simultaneously. It assumes independent rewards with equal means that do
    not depend on their delay. Each arm has its own 95 %. Rewards that an agent started with are not included.
    Probabilities and losses have uniform priors for rewards in [0, 1], else flat ones and Gaussian means.
    """

    frame: pd.DataFrame
    title: str

    def __repr__(self) -> str:
        return str(self._sheet)

    def _repr_html_(self) -> str:
        return self._sheet._repr_html_()

    @functools.cached_property
    def _sheet(self) -> Filled:
        return SHEET.of(self.frame, {"title": self.title})[0]


def frame_of(
    names: Sequence[Any],
    retired: Sequence[bool],
    paid: Any,
    waiting: Sequence[int],
    bounds: tuple[float, float] | None,
    begun: Sequence[tuple[float, float]],
) -> pd.DataFrame:
    """Return the frame of a summary.

    Parameters
    ----------
    names : sequence
        The arms.
    retired : sequence of bool
        Whether each arm is chosen no more.
    paid : sequence of array
        Each arm's rewards, as they came.
    waiting : sequence of int
        How many rewards of each arm are on their way.
    bounds : (float, float) or None
        The least and the largest reward.
    begun : sequence of (float, float)
        Pulls and sums with which each arm began.
    """
    import pandas as pd

    counted = np.array(begun)
    pulls = counted[:, 0] + np.array([len(rewards) for rewards in paid])
    sums = counted[:, 1] + np.array([math.fsum(rewards) for rewards in paid])
    squares = counted[:, 1] + np.array([math.fsum(r * r for r in rewards) for rewards in paid])
    with np.errstate(invalid="ignore", divide="ignore"):
        means = sums / pulls
        variances = np.maximum(squares - pulls * means**2, 0.0) / (pulls - 1.0)
    ends = np.array([_interval(rewards, bounds) for rewards in paid])
    active = ~np.array(retired)
    chances = _chances(bounds, pulls[active], sums[active], variances[active])
    best, loss = np.full((2, len(names)), np.nan)
    if chances is not None:
        best[active], loss[active] = chances.best, chances.loss
    return pd.DataFrame(
        {
            "arm": names,
            "retired": ~active,
            "pulls": pulls.astype(np.int64) if (pulls == pulls.round()).all() else pulls,
            "pending": waiting,
            "mean": means,
            "mean_low": ends[:, 0],
            "mean_high": ends[:, 1],
            "best": best,
            "loss": loss,
        }
    )


def _interval(rewards: Any, ends: tuple[float, float] | None) -> tuple[float, float]:
    """Return the ends of the interval of an arm's mean."""
    if ends is None:
        return math.nan, math.nan
    if not len(rewards):
        return ends
    low, span = ends[0], ends[1] - ends[0]
    lower, upper = hedged_capital(((np.asarray(rewards) - low) / span).clip(0.0, 1.0))
    return low + span * float(lower[-1]), low + span * float(upper[-1])


def _chances(ends: tuple[float, float] | None, pulls: Floats, sums: Floats, variances: Floats) -> Chances | None:
    """Return how likely each arm is the best; None where nothing is known of one."""
    if ends is not None and ends[0] >= 0.0 and ends[1] <= 1.0:
        return compare_rates(np.minimum(sums, pulls).tolist(), pulls.tolist())
    if (pulls < 2.0).any() or not (variances > 0.0).all():
        return None
    return compare_means((sums / pulls).tolist(), np.sqrt(variances / pulls).tolist())
