r"""Reward models of the arms, fitted to a log and used by dm, dr, sndr and switch_dr.

Every prediction for a row comes from other rows, which makes dr unbiased exactly, whatever the model is.

means       the mean reward of the arm over the other rows (of all other rows where it has none); no features
ridge       q(x, a) = m + theta_a . z,               least squares of r - m on z, plus |theta_a|^2
logistic    q(x, a) = sigma(logit(m) + theta_a . z), the log likelihood on z, minus |theta_a|^2 / 2

z consists of 1 and the standardised features x. m is the mean reward of all arms. An arm with few rows is shrunk
towards m. dm inherits this bias, and dr corrects it. Each arm has its own theta_a. Rows are dealt at random into 5
folds, the same for every log of that length. Each fold is predicted by models of the other four (cross-fitting:
Chernozhukov et al. 2018). The folds are random because a file may be sorted by arms or periodic. Then blocks of
neighbouring rows, or every fifth row, would lack arms.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bandits.evaluation.estimators import Predicted, Sample
from bandits.logs.log import Log
from bandits.regression.fits import curvature, fit_logistic, fit_ridge, sigmoid
from numerics.random import Purpose

MODELS = MEANS, RIDGE, LOGISTIC = "means", "ridge", "logistic"
FOLDS = 5
_KEPT = 2  # fits that stay in memory
_ROWS = 1 << 16  # rows that are predicted at a time

Floats = npt.NDArray[np.float64]


class Fitted(NamedTuple):
    """Models of the arms: entry f < 5 without the rows of fold f, entry 5 of all rows.

    Attributes
    ----------
    model : str
    z : ndarray of float64, shape (n, 1 + d)
    fold : ndarray of int, shape (n,)
    base : ndarray of float64, shape (6,)
        m, or its logit.
    theta : ndarray of float64, shape (6, 1 + d, K)
    """

    model: str
    z: Floats
    fold: npt.NDArray[np.integer]
    base: Floats
    theta: Floats

    def rewards(self, rows: Any, fold: int) -> Floats:
        """Return q of rows, for every arm, by the models without a fold."""
        q: Floats = self.base[fold] + self.z[rows] @ self.theta[fold]
        return np.asarray(sigmoid(q)) if self.model == LOGISTIC else q


@functools.lru_cache(_KEPT)
def fit(log: Log, model: str) -> Fitted:
    """Return the models of a log's arms, which are fitted once.

    Parameters
    ----------
    log : Log
        With features; rewards from 0 to 1 for logistic.
    model : str
        ridge or logistic.
    """
    features = log.features
    assert features is not None
    rows, arms = log.arm.size, len(log.names)
    spread = features.std(axis=0)
    z = np.column_stack([np.ones(rows), (features - features.mean(axis=0)) / np.where(spread > 0.0, spread, 1.0)])
    fold = np.random.default_rng([rows, Purpose.LOG_FOLDS]).permutation(rows) % FOLDS
    base, theta = np.zeros(FOLDS + 1), np.zeros((FOLDS + 1, z.shape[1], arms))
    for left_out in range(FOLDS + 1):
        seen = np.flatnonzero(fold != left_out)
        total, number = log.reward[seen].sum(), seen.size
        mean = (total + 0.5) / (number + 1.0) if model == LOGISTIC else total / max(1, number)
        base[left_out] = np.log(mean / (1.0 - mean)) if model == LOGISTIC else mean
        seen = seen[np.argsort(log.arm[seen], kind="stable")]
        ends = np.cumsum(np.bincount(log.arm[seen], minlength=arms))[:-1]
        for arm, of_arm in enumerate(np.split(seen, ends)):
            if of_arm.size:
                known, rewards, usual = z[of_arm], log.reward[of_arm], float(base[left_out])
                theta[left_out, :, arm] = (
                    fit_logistic(known, rewards, usual) if model == LOGISTIC else fit_ridge(known, rewards - usual)
                )
    return Fitted(model, z, fold, base, theta)


def predict(fitted: Fitted, sample: Sample) -> Predicted:
    """Return the predictions of the models for each row of a sample."""
    policy, shown, slope = np.empty(sample.arm.size), np.empty(sample.arm.size), np.ones(sample.arm.size)
    gradient = np.zeros(fitted.theta[0].shape)  # of the mean of `policy` by theta
    for fold, rows in _parts(fitted.fold):
        q = fitted.rewards(rows, fold)
        chances = sample.policy if sample.policy.ndim == 1 else sample.policy[rows]
        policy[rows] = (q * chances).sum(axis=1)
        shown[rows] = q[np.arange(rows.size), sample.arm[rows]]
        slopes = q * (1.0 - q) if fitted.model == LOGISTIC else np.ones_like(q)
        slope[rows] = slopes[np.arange(rows.size), sample.arm[rows]]
        gradient += fitted.z[rows].T @ (slopes * chances)
    leverage = np.zeros(sample.arm.size)
    for arm in range(len(gradient.T)):
        of_arm = np.flatnonzero(sample.arm == arm)
        z = fitted.z[of_arm]
        leverage[of_arm] = z @ np.linalg.solve(curvature(z, slope[of_arm]), gradient[:, arm])
    return Predicted(policy, shown, leverage)


def _parts(fold: npt.NDArray[np.integer]) -> Iterator[tuple[int, Any]]:
    """Yield folds with their rows, not too many at a time."""
    for number in range(FOLDS):
        rows = np.flatnonzero(fold == number)
        for part in np.split(rows, range(_ROWS, rows.size, _ROWS)):
            yield number, part
