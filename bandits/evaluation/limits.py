"""The limits within which a log gives the value of a policy, and the sentences of refusals.

The weights w_i of n rows have mean 1 if the propensities are right and the log can show all of the policy's choices.
The effective sample size is (sum w)^2 / sum w^2 (Kong 1992): so many on-policy rows would give the same precision.
`docs/reference/logs.md#limits` lists the limits and their reasons.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from bandits.evaluation.estimators import Floats, Sample
from bandits.logs.log import Log
from bandits.logs.shape import THIN

LEAST_EFFECTIVE = 100  # rows: their mean weight is known within a tenth
_ROOM = 1.5  # of the log that a refusal asks for: effective sizes vary
FARTHEST = 3.0  # standard errors by which the mean weight may miss 1: by chance in 3 logs of 1,000
LARGEST = 0.05  # of the weight of all rows, that one row may have
MOST_THIN = 0.05  # of the policy, on arms that are hardly known
FEWEST_REWARDS = 10  # rows that pay otherwise than most
FEW_REWARDS = 30  # such rows among those that carry the weight: fewer are answered with a warning
_LIGHT = 0.25  # of sum w^2 / sum w: rows of a smaller weight carry little of all weight
_EXPECTED = 5  # rows of each arm, for a chi-square test of equal shares
_UNEQUAL = 0.001  # its level: a right log is doubted by chance once in 1,000
_NAMED = 5  # arms that a sentence names


class Paying(NamedTuple):
    """How many of some rows have a reward other than the most common one.

    Attributes
    ----------
    rows : int
    others : int
        Rows whose reward is not the most common one.
    usual : float
        The most common reward; NaN without rows.
    """

    rows: int
    others: int
    usual: float

    @classmethod
    def of(cls, reward: Floats) -> Paying:
        """Count the rewards of some rows.

        Examples
        --------
        >>> Paying.of(np.array([0.0, 1.0, 0.0]))
        Paying(rows=3, others=1, usual=0.0)
        """
        values, counts = np.unique(reward, return_counts=True)
        if not counts.size:
            return cls(0, 0, np.nan)
        return cls(reward.size, int(counts.sum() - counts.max()), float(values[counts.argmax()]))

    def sentence(self, of: str = "") -> str:
        """Return the beginning of a sentence about these rows.

        Examples
        --------
        >>> Paying(9, 1, 0.0).sentence(), Paying(279, 4, 2.5).sentence("the 279 rows that count")
        ('only 1 row has a reward other than 0', 'only 4 of the 279 rows that count have a reward other than 2.5')
        """
        if not self.others:
            return f"{f'none of {of}' if of else 'no row'} has a reward other than {self.usual:.4g}"
        rows = f" of {of}" if of else " row" if self.others == 1 else " rows"
        return f"only {self.others}{rows} {'has' if self.others == 1 else 'have'} a reward other than {self.usual:.4g}"


@dataclass(frozen=True)
class Rest:
    """The diagnostics of an estimate: weights, effective sample size, thin arms, rewards.

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
    paying : Paying
        The rows of the policy's arms.
    heavy : Paying
        The rows of these that carry the weight: w is at least a quarter of sum w^2 / sum w. With equal weights all do.
    """

    rows: int
    effective: float
    mean_weight: float
    mean_weight_se: float
    largest: float
    thin: float
    thin_arms: tuple[str, ...]
    paying: Paying
    heavy: Paying

    @property
    def few(self) -> bool:
        """Whether too few rows with large weights have an uncommon reward to estimate the variance."""
        return self.heavy.others < FEW_REWARDS

    def warning(self) -> str:
        """Return why an interval is only approximate or missing; empty if it is good."""
        if not self.few:
            return ""
        if not self.heavy.others:
            return f"{self._of_heavy()}, so no interval can be given"
        return f"{self._of_heavy()}; with fewer than {FEW_REWARDS}, the interval is only approximate"

    def _of_heavy(self) -> str:
        return self.heavy.sentence(self._name() if self.heavy.rows < self.paying.rows else "")

    def _name(self) -> str:
        return f"the {self.heavy.rows:,} rows with large weights"

    def refusal(self) -> str:
        """Return why there is no number and which log would give one; empty if there is a number."""
        reasons = []
        if self.thin > MOST_THIN:
            names = f"{', '.join(self.thin_arms[:_NAMED])}{', ...' if len(self.thin_arms) > _NAMED else ''}"
            named = f" (arm{'s' * (len(self.thin_arms) > 1)} {names})" if names else ""
            reasons.append(
                f"{100 * self.thin:.0f} % of the policy's choices are arms with fewer than {THIN} rows in the log"
                f"{named}; at most {100 * MOST_THIN:.0f} % is allowed: use a log that shows these arms"
            )
        if self.paying.rows > 0 and self.paying.others < FEWEST_REWARDS:
            reasons.append(
                f"{self.paying.sentence()}, and {FEWEST_REWARDS} are required to estimate the variance: use a longer "
                "log"
            )
        reasons += self._of_weights()
        if not reasons and not self.heavy.others:
            reasons.append(f"{self.heavy.sentence(self._name())}: use a longer log")
        return "; ".join(reasons)

    def _of_weights(self) -> list[str]:
        reasons = []
        if self.effective < LEAST_EFFECTIVE:
            # E w^2 is at most the largest weight; the room is for chance, without which half of such logs would fail.
            most = self.rows / (_ROOM * LEAST_EFFECTIVE)
            flat = f"use a log of this length with no weight above {most:,.0f}"
            reasons.append(
                f"the effective sample size of {self.rows:,} rows is {self.effective:.0f}, and at least "
                f"{LEAST_EFFECTIVE} is required: {flat if self.rows > LEAST_EFFECTIVE else 'use a longer log'}"
            )
        if self.largest > LARGEST:
            share = f"{100 * self.largest:.0f} %"
            reasons.append(f"one row has {share} of the total weight, and at most {100 * LARGEST:.0f} % is allowed")
        if abs(self.mean_weight - 1.0) > FARTHEST * self.mean_weight_se + 1e-9:
            reasons.append(
                f"the mean weight is {self.mean_weight:.3f} (standard error {self.mean_weight_se:.3f}); it must be "
                f"within {FARTHEST:.0f} standard errors of 1; correct the propensities, or use a log that can show all "
                "of the policy's choices"
            )
        return reasons


def rest_of(sample: Sample, elsewhere: float, names: Sequence[str]) -> Rest:
    """Return the diagnostics of an estimate from a sample.

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
    # Without propensities as if each arm had been shown with the probability that is its share.
    weight = (policy / np.maximum(count, 1) * rows)[sample.arm] if sample.weight is None else sample.weight
    effective, mean, error, largest = _of_weights(weight)
    if sample.weight is None:
        mean, error = np.nan, np.nan
    is_shown = sample.of_shown() > 0.0
    is_heavy = is_shown & (weight >= _LIGHT * float(weight @ weight) / max(float(weight.sum()), 1e-300))
    paying, heavy = Paying.of(sample.reward[is_shown]), Paying.of(sample.reward[is_heavy])
    return Rest(rows, effective, mean, error, largest, thin, thin_arms, paying, heavy)


def doubt(log: Log) -> str:
    """Return why the propensities of a log are doubtful, in a sentence; empty if they are not.

    If all of them are 1 / K, the arms must have equal numbers of rows up to chance. The test is Pearson's chi-square
    test at level 0.001, with at least 5 rows expected for each arm.

    Examples
    --------
    >>> from bandits.logs.log import Log
    >>> doubt(Log(("a", "b"), arm=[0] * 40 + [1] * 10, reward=[0.0] * 50, propensity=[0.5] * 50))
    'All propensities are 1 / 2, but arm a has 40 rows and arm b 10 (chi-square test, p = 2e-05). If arms were not \
shown uniformly at random, the values are wrong.'
    """
    from scipy.special import chdtrc

    arms, rows = len(log.names), len(log)
    if log.rewards is not None or not log.is_uniform or rows < _EXPECTED * arms:
        return ""
    count = np.bincount(log.arm, minlength=arms)
    p = float(chdtrc(arms - 1, ((count - rows / arms) ** 2).sum() / (rows / arms)))
    if p >= _UNEQUAL:
        return ""
    most, least = int(count.argmax()), int(count.argmin())
    return (
        f"All propensities are 1 / {arms}, but arm {log.names[most]} has {count[most]:,} rows and arm "
        f"{log.names[least]} {count[least]:,} (chi-square test, p = {p:.1g}). If arms were not shown uniformly at "
        "random, the values are wrong."
    )


def _of_weights(weight: Floats) -> tuple[float, float, float, float]:
    """Return the effective number of rows, the mean weight, its standard error, and the largest share."""
    total = float(weight.sum())
    if total == 0.0:
        return 0.0, 0.0, 0.0, 0.0
    error = float(weight.std(ddof=1) / np.sqrt(weight.size)) if weight.size > 1 else np.nan
    return total**2 / float(weight @ weight), total / weight.size, error, float(weight.max()) / total
