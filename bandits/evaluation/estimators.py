r"""Estimators of the value of a fixed policy from the log of another: its mean reward per row.

Row i shows arm a_i, with probability p_i, and pays r_i; the policy shows arm a with probability pi(a). With the weight
w_i = pi(a_i) / p_i, and q(a) what a model of the other rows says of arm a (`bandits.evaluation.reward_models`). By
default q(a) is the mean reward of the arm, which dm takes over all rows:

    dm          sum_a pi(a) q(a)                                   the direct method; needs no p_i
    ips         mean of w_i r_i                                    inverse propensity scores: unbiased
    clipped_ips mean of min(w_i, c) r_i                            too low where weights exceed c, and steadier
    snips       sum w_i r_i / sum w_i                              self-normalised
    dr          mean of sum_a pi(a) q(a) + w_i (r_i - q(a_i))      doubly robust: unbiased, whatever q is
    sndr        as dr, with weights divided by their mean
    switch_dr   as dr, without the second part where w_i > c

Leaving row i out of its own q makes dr unbiased exactly. pi and q may differ from row to row.

Sources: Horvitz and Thompson 1952 (ips); Ionides 2008 (clipped, with c = sqrt(n)); Swaminathan and Joachims 2015
(snips); Dudik, Langford and Li 2011 (dr); Wang, Agarwal and Dudik 2017 (switch_dr). Names and forms are those of Saito,
Aihara, Matsutani and Narita, arXiv 2008.07146.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

ESTIMATORS = ("dm", "ips", "clipped_ips", "snips", "dr", "sndr", "switch_dr")
MODELLED = ("dm", "dr", "sndr", "switch_dr")  # those that look at a model of rewards

Floats = npt.NDArray[np.float64]


class Sample(NamedTuple):
    """A log as a policy sees it.

    Attributes
    ----------
    arm : ndarray of int, shape (n,)
    reward : ndarray of float64, shape (n,)
    policy : ndarray of float64, shape (K,) or (n, K)
        The probability with which the policy shows each arm, in every row or by rows.
    weight : ndarray of float64, shape (n,), or None
        The policy's probability of the row's arm over the log's; None where the log does not say it.
    """

    arm: npt.NDArray[np.integer]
    reward: Floats
    policy: Floats
    weight: Floats | None

    def usual(self) -> Floats:
        """Return the probability with which the policy shows each arm, on average over the rows."""
        return self.policy if self.policy.ndim == 1 else self.policy.mean(axis=0)

    def of_shown(self) -> Floats:
        """Return the policy's probability of each row's arm."""
        return of_arms(self.policy, self.arm)


def of_arms(policy: Floats, arm: npt.NDArray[np.integer]) -> Floats:
    """Return a policy's probability of an arm in each row.

    Examples
    --------
    >>> of_arms(np.array([0.9, 0.1]), np.array([1, 0])), of_arms(np.array([[0.9, 0.1], [0.5, 0.5]]), np.array([1, 0]))
    (array([0.1, 0.9]), array([0.1, 0.5]))
    """
    chances: Floats = policy[arm] if policy.ndim == 1 else policy[np.arange(arm.size), arm]
    return chances


def default_clip(rows: int) -> float:
    """Return the weight at which weights are clipped: sqrt(n), Ionides 2008."""
    return math.sqrt(rows)


class Terms(NamedTuple):
    """The terms of an estimate, a number for each row.

    Attributes
    ----------
    values : ndarray of float64, shape (n,)
        Their mean is the estimate, their spread its error. Where the estimate is no mean of rows (dm, snips, sndr),
        they are its linearisation (the delta method).
    weight, noise : ndarray of float64, shape (n,)
        The part of a value that is the row's own: its weight, and what is weighted.
    """

    values: Floats
    weight: Floats
    noise: Floats


class Predicted(NamedTuple):
    """The predictions of a reward model for each row.

    Attributes
    ----------
    policy : ndarray of float64, shape (n,)
        The reward of the policy: sum_a pi(a) q(x_i, a).
    shown : ndarray of float64, shape (n,)
        The reward of the row's arm: q(x_i, a_i).
    leverage : ndarray of float64, shape (n,)
        By how much the mean of `policy` changes, times n, when the reward of the row does: its weight in dm.
    """

    policy: Floats
    shown: Floats
    leverage: Floats


def terms(sample: Sample, estimator: str, clip: float, model: Predicted | None = None) -> Terms:
    """Return the terms of an estimate.

    Parameters
    ----------
    sample : Sample
        With weights unless the estimator is dm.
    estimator : str
        One of ESTIMATORS.
    clip : float
        Above 0; c in clipped_ips and switch_dr.
    model : Predicted, optional
        What a model of other rows says of each row; by default the means of arms.

    Examples
    --------
    >>> sample = Sample(np.array([0, 0, 1, 1]), np.array([0.0, 1.0, 1.0, 1.0]), np.array([0.5, 0.5]), np.ones(4))
    >>> [float(terms(sample, name, 2.0).values.mean()) for name in ("dm", "ips", "snips", "dr")]
    [0.75, 0.75, 0.75, 0.75]
    """
    reward, weight = sample.reward, sample.weight
    if estimator == "dm":
        if model is None:
            return _direct(sample)
        noise = reward - model.shown
        error = model.leverage * noise
        return Terms(model.policy + error - error.mean(), model.leverage, noise)
    assert weight is not None
    if estimator in ("ips", "clipped_ips"):
        weight = weight if estimator == "ips" else np.minimum(weight, clip)
        return Terms(weight * reward, weight, reward)
    if estimator == "snips":
        return _self_normalised_terms(0.0, weight, reward)
    model = model or _means(sample)
    noise = reward - model.shown
    if estimator == "sndr":
        return _self_normalised_terms(model.policy, weight, noise)
    if estimator == "switch_dr":
        weight = np.where(weight > clip, 0.0, weight)
    return Terms(model.policy + weight * noise, weight, noise)


def _self_normalised_terms(model: Floats | float, weight: Floats, value: Floats) -> Terms:
    """Return terms of model + sum w v / sum w."""
    mean = weight.mean()
    ratio = float((weight * value).mean() / mean) if mean > 0.0 else np.nan
    weight = weight / mean if mean > 0.0 else weight
    return Terms(model + ratio + weight * (value - ratio), weight, value - ratio)


def _direct(sample: Sample) -> Terms:
    """Return terms of sum_a pi(a) q(a), the arms that the log does not show left out."""
    policy = sample.usual()
    count = np.bincount(sample.arm, minlength=policy.size)
    mean = np.bincount(sample.arm, sample.reward, policy.size) / np.maximum(count, 1)
    shown = policy[count > 0].sum() or np.nan
    value = sample.policy @ mean / shown
    weight = (policy / shown / np.maximum(count, 1) * sample.arm.size)[sample.arm]
    noise = sample.reward - mean[sample.arm]
    return Terms(value + weight * noise, weight, noise)


def _means(sample: Sample) -> Predicted:
    """Return what the means of arms over the other rows say."""
    arms, rows = sample.policy.shape[-1], sample.arm.size
    count = np.bincount(sample.arm, minlength=arms).astype(np.float64)
    total = np.bincount(sample.arm, sample.reward, arms)
    rest = (sample.reward.sum() - sample.reward) / max(1, rows - 1)  # the mean of the other rows
    others = count[sample.arm] - 1.0
    without = np.where(others > 0.0, (total[sample.arm] - sample.reward) / np.maximum(others, 1.0), rest)
    mean = np.divide(total, count, out=np.zeros(arms), where=count > 0.0)
    absent = sample.policy[..., count == 0.0].sum(axis=-1)
    policy = sample.policy @ mean + absent * rest + sample.of_shown() * (without - mean[sample.arm])
    return Predicted(policy, without, sample.usual()[sample.arm] / count[sample.arm] * rows)
