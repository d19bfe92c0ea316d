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

from bandits.chances import compare_means, compare_rates
from numerics.output.sheets import Filled, Sheet, interval, number, share, word
from numerics.statistics.confidence_sequences import hedged_capital

if TYPE_CHECKING:
    import pandas as pd

Floats = npt.NDArray[np.float64]
_POINT = 1e-30  # standard error of a mean that is known, over the largest

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
            Both follow one of two laws, see below.
    title : str
        What it is of.

    The interval of an arm is valid at all times simultaneously. It assumes independent rewards with equal means that do
    not depend on their delay. Each arm has its own 95 %. Rewards that an agent started with are not included.

    If all rewards are ends of the declared range, such as 0 or 1, the success rates have uniform priors. Then `best`
    and `loss` are exact for any policy (`compare_rates`). Otherwise an arm's mean is Gaussian, with a flat prior and
    the standard error of its rewards (`compare_means`). An arm of equal rewards counts as known. Arms of fewer than two
    rewards have NaN, and the others are compared without them. This law is approximate: a policy stops choosing an arm
    whose first rewards are bad by chance, so that the means that it collects are biased.
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
    with np.errstate(invalid="ignore", divide="ignore"):
        means = sums / pulls
    ends = np.array([_interval(rewards, bounds) for rewards in paid])
    active = ~np.array(retired)
    best, loss = np.full((2, len(names)), np.nan)
    chosen = np.flatnonzero(active).tolist()
    best[chosen], loss[chosen] = _chances(bounds, [(paid[a], *begun[a]) for a in chosen])
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


def _chances(ends: tuple[float, float] | None, known: Sequence[tuple[Any, float, float]]) -> tuple[Floats, Floats]:
    """Return how likely each arm is the best, and its loss, given rewards, and pulls and successes before them."""
    seen = [np.concatenate([rewards, [1.0] * (won > 0.0), [0.0] * (pulls > won)]) for rewards, pulls, won in known]
    if ends is not None and all(np.isin(rewards, ends).all() for rewards in seen):
        low, high = ends
        successes = [won + np.count_nonzero(np.asarray(rewards) == high) for rewards, _, won in known]
        chances = compare_rates(successes, [pulls + len(rewards) for rewards, pulls, _ in known])
        return chances.best, (high - low) * chances.loss
    means, errors = np.array([_mean_and_error(*arm) for arm in known]).T
    best, loss = np.full((2, means.size), np.nan)
    sure = ~np.isnan(errors)
    if sure.sum() > 1:
        least = _POINT * (errors[sure].max() or np.ptp(means[sure]) or 1.0)
        chances = compare_means(means[sure].tolist(), np.maximum(errors[sure], least).tolist())
        best[sure], loss[sure] = chances.best, chances.loss
    return best, loss


def _mean_and_error(rewards: Any, pulls: float, won: float) -> tuple[float, float]:
    """Return the mean and its standard error, which is NaN of fewer than two rewards and 0 of equal ones."""
    values = np.concatenate([rewards, [1.0, 0.0]])
    counts = np.concatenate([np.ones(len(rewards)), [won, pulls - won]])
    values, counts = values[counts > 0.0], counts[counts > 0.0]
    total = counts.sum()
    if total < 2.0:
        return math.nan, math.nan
    if (values == values[0]).all():
        return float(values[0]), 0.0
    mean = math.fsum(counts * values) / total
    return mean, math.sqrt(math.fsum(counts * (values - mean) ** 2) / (total - 1.0) / total)
