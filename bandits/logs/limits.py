"""When a log cannot say what a policy would have earned: what is looked at, the limits, and the sentences.

The weights w_i of n rows have the mean 1 where the log's probabilities are right and it can show all that the policy
shows. Their effective number is (sum w)^2 / sum w^2 (Kong 1992): as many rows of the policy itself would be as exact.
`docs/guides/click_logs.md` says where the limits come from.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bandits.logs.estimators import Floats, Sample

LEAST_EFFECTIVE = 100  # rows: their mean weight is known within a tenth
_ROOM = 1.5  # of the log that a refusal asks for: effective sizes vary
FARTHEST = 3.0  # standard errors by which the mean weight may miss 1: by chance in 3 logs of 1,000
LARGEST = 0.05  # of the weight of all rows, that one row may have
THIN = 5  # rows of an arm: an arm with fewer is hardly known
MOST_THIN = 0.05  # of the policy, on arms that are hardly known
FEWEST_REWARDS = 10  # rows that pay otherwise than most
_NAMED = 5  # arms that a sentence names


@dataclass(frozen=True)
class Rest:
    """What an estimate rests on.

    Attributes
    ----------
    rows : int
        Of the log.
    effective : float
        The effective number of rows; without propensities that of weights by the shares of arms in the log.
    mean_weight, mean_weight_se : float
        The mean of the weights, which should be 1, and its standard error; NaN without propensities.
    largest : float
        The largest share of one row in the sum of weights.
    thin : float
        The probability with which the policy shows arms of which the log has fewer than 5 rows.
    thin_arms : tuple of str
        These arms.
    others : int
        Rows that pay another reward than most rows.
    usual : float
        What most rows pay; NaN where the policy's arms have none.
    """

    rows: int
    effective: float
    mean_weight: float
    mean_weight_se: float
    largest: float
    thin: float
    thin_arms: tuple[str, ...]
    others: int
    usual: float

    def refusal(self) -> str:
        """Return why there is no number, and what log would give one; empty where there is a number."""
        reasons = []
        if self.thin > MOST_THIN:
            named = f"{', '.join(self.thin_arms[:_NAMED])}{', ...' if len(self.thin_arms) > _NAMED else ''}"
            reasons.append(
                f"{100 * self.thin:.0f} % of what the policy shows are arms{f' ({named})' if named else ''} of which "
                f"the log has fewer than {THIN} rows, and at most {100 * MOST_THIN:.0f} % may be: one that shows them "
                "answers"
            )
        if self.others < FEWEST_REWARDS:
            reasons.append(
                f"{paying_otherwise(self.others, self.usual)}, and it takes {FEWEST_REWARDS} to know how much rewards "
                "vary: a longer log answers"
            )
        return "; ".join(reasons + self._of_weights())

    def _of_weights(self) -> list[str]:
        reasons = []
        if self.effective < LEAST_EFFECTIVE:
            # E w^2 is at most the largest weight; the room is for chance, without which half of such logs would fail.
            times = f"{self.rows / (_ROOM * LEAST_EFFECTIVE):,.0f} times"
            flat = f"a log as long answers if it shows no arm more than {times} as rarely as the policy does"
            reasons.append(
                f"the {self.rows:,} rows are worth {self.effective:.0f} of the policy itself (effective sample size), "
                f"and it takes {LEAST_EFFECTIVE}: {flat if self.rows > LEAST_EFFECTIVE else 'a longer log answers'}"
            )
        if self.largest > LARGEST:
            share = f"{100 * self.largest:.0f} %"
            reasons.append(f"one row has {share} of all weight, and at most {100 * LARGEST:.0f} % may be")
        if abs(self.mean_weight - 1.0) > FARTHEST * self.mean_weight_se + 1e-9:
            reasons.append(
                f"the mean weight is {self.mean_weight:.3f} with a standard error of {self.mean_weight_se:.3f}, and "
                f"must be 1 within {FARTHEST:.0f} of them: the propensities are wrong, or the log cannot show what "
                "the policy shows; a log answers that has the probabilities by which its rows were decided"
            )
        return reasons


def rest_of(sample: Sample, elsewhere: float, names: Sequence[str]) -> Rest:
    """Return what an estimate from a sample rests on.

    Parameters
    ----------
    sample : Sample
    elsewhere : float
        The probability with which the policy shows arms that the log does not have.
    names : sequence of str
        The arms.
    """
    rows = sample.arm.size
    policy = sample.usual()
    count = np.bincount(sample.arm, minlength=policy.size)
    is_thin = (count < THIN) & (policy > 0.0)
    thin = float(policy[is_thin].sum()) + elsewhere
    thin_arms = tuple(names[at] for at in np.flatnonzero(is_thin).tolist())
    if sample.weight is not None:
        weights = _of_weights(sample.weight)
    else:  # as if each arm had been shown with the probability that is its share
        effective, _, _, largest = _of_weights((policy / np.maximum(count, 1) * rows)[sample.arm])
        weights = effective, np.nan, np.nan, largest
    return Rest(rows, *weights, thin, thin_arms, *others_of(sample.reward[sample.of_shown() > 0.0]))


def others_of(reward: Floats) -> tuple[int, float]:
    """Return how many rewards are another one than most of them, and which most are, NaN of none.

    Examples
    --------
    >>> others_of(np.array([0.0, 1.0, 0.0]))
    (1, 0.0)
    """
    values, counts = np.unique(reward, return_counts=True)
    if not counts.size:
        return 0, np.nan
    return int(counts.sum() - counts.max()), float(values[counts.argmax()])


def paying_otherwise(others: int, usual: float, of: str = "") -> str:
    """Return the beginning of a sentence on so many rows that pay another reward than the usual one.

    Examples
    --------
    >>> paying_otherwise(1, 0.0), paying_otherwise(4, 2.5, "the 279 rows that count")
    ('only 1 row pays another reward than 0', 'only 4 of the 279 rows that count pay another reward than 2.5')
    """
    if not others:
        return f"{f'none of {of}' if of else 'no row'} pays another reward than {usual:.4g}"
    rows = f" of {of}" if of else " row" if others == 1 else " rows"
    return f"only {others}{rows} {'pays' if others == 1 else 'pay'} another reward than {usual:.4g}"


def _of_weights(weight: Floats) -> tuple[float, float, float, float]:
    """Return the effective number of rows, the mean weight, its standard error, and the largest share."""
    total = float(weight.sum())
    if total == 0.0:
        return 0.0, 0.0, 0.0, 0.0
    error = float(weight.std(ddof=1) / np.sqrt(weight.size)) if weight.size > 1 else np.nan
    return total**2 / float(weight @ weight), total / weight.size, error, float(weight.max()) / total
