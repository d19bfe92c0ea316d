"""The base of arms with features: the features of each step, each arm's weights, and the means.

To the kernels these are arms whose means change at every step (`bandits.arms.changing`). Regret is counted in the same
two ways. One comparison is with the best arm of each step, chosen with knowledge of the weights. The other is with the
best fixed arm.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import field
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np

from bandits.arms.base import LARGEST, MOST, Arms, Floats, rows_of
from bandits.arms.changing.base import Steps, equal_segments
from bandits.logs.forms import LOGS, LogForm
from bandits.logs.log import Log
from bandits.regression.fits import fit_logistic, fit_ridge
from numerics import checks
from numerics.checks import escape_controls
from numerics.kernels.elementary import exp
from numerics.kernels.jit import kernel
from numerics.parameters import parameter
from numerics.random import Purpose, next_uniform, normal_quantile, streams

MOST_NUMBERS = 50_000_000  # means and features of a replication: 400 MB
_ARMS, _FEATURES = 10, 5  # where neither a number nor weights are given


@kernel("void(uint64[:, ::1], float64, float64, float64[:, :, ::1])")
def fill_spheres(rng, constant, norm, rows):
    """Write points of a sphere into the rows of each replication, float64[R, N, d].

    With a constant above 0, a row is that constant and a uniform point of the unit sphere in the other d - 1
    dimensions. It is divided by its length and multiplied by `norm`.
    """
    begin = 1 if constant > 0.0 else 0
    for r in range(rows.shape[0]):
        for n in range(rows.shape[1]):
            square = 0.0
            for i in range(begin, rows.shape[2]):
                inside = min(next_uniform(rng, r) + 5.551115123125783e-17, 0.9999999999999999)  # as in `gaussian`
                drawn = normal_quantile(inside)
                rows[r, n, i] = drawn
                square += drawn * drawn
            if begin < rows.shape[2]:
                scale = norm / math.sqrt(square * (1.0 + constant * constant))
                for i in range(begin, rows.shape[2]):
                    rows[r, n, i] *= scale
                rows[r, n, 0] = norm * constant / math.sqrt(1.0 + constant * constant) if begin else rows[r, n, 0]
            else:
                rows[r, n, 0] = norm


@kernel("void(float64[:, :, ::1], float64[:, :, ::1], boolean, float64[:, :, ::1])")
def fill_means(features, weights, logistic, means):
    """Write theta_a . x of every arm and step, or its logistic function, from weights float64[R or 1, d, K]."""
    for r in range(features.shape[0]):
        of = r if weights.shape[0] > 1 else 0
        for t in range(features.shape[1]):
            for a in range(means.shape[2]):
                means[r, t, a] = 0.0
            for i in range(features.shape[2]):
                for a in range(means.shape[2]):
                    means[r, t, a] += features[r, t, i] * weights[of, i, a]
            if logistic:
                for a in range(means.shape[2]):
                    means[r, t, a] = 1.0 / (1.0 + exp(-means[r, t, a]))


@kernel("void(uint64[:, ::1], float64[:, ::1], float64[:, :, ::1])")
def fill_from_table(rng, table, features):
    """Write rows of a table, float64[N, d], that are drawn uniformly with replacement."""
    for r in range(features.shape[0]):
        for t in range(features.shape[1]):
            drawn = int(next_uniform(rng, r) * table.shape[0])
            for i in range(features.shape[2]):
                features[r, t, i] = table[drawn, i]


class Fitted(NamedTuple):
    """What arms take from a log."""

    names: tuple[str, ...]
    table: Floats  # [N, d], the features of its rows, behind a constant 1 if there is one
    weights: Floats  # [K, d], fitted arm by arm
    residual: float  # the root of the mean squared residual


@functools.lru_cache(2)
def _fit(log: Log, constant: bool, logistic: bool) -> Fitted:
    """Return what a log gives; it must have features, and for logistic arms rewards of 0 and 1."""
    assert log.features is not None
    table = np.column_stack([np.ones(len(log)), log.features]) if constant else np.ascontiguousarray(log.features)
    fit, weights, square, rewards = fit_logistic if logistic else fit_ridge, [], 0.0, 0
    for arm in range(len(log.names)):
        features = table if log.rewards is not None else table[log.arm == arm]
        paid = log.reward[log.arm == arm] if log.rewards is None else log.rewards[:, arm]
        weights.append(fit(features, paid))
        square += float(((paid - features @ weights[-1]) ** 2).sum())
        rewards += paid.size
    return Fitted(log.names, table, np.array(weights), math.sqrt(square / rewards))


def _weights(name: str, value: Any) -> tuple[tuple[float, ...], ...]:
    if value in ((), []):
        return ()
    rows = rows_of(name, value)
    if len(rows) < 2:
        raise ValueError(f"{name} must hold a row for each of at least 2 arms, such as [[1, 0], [0, 1]]; got {value}")
    for arm, row in enumerate(rows):
        if len(row) != len(rows[0]) or not row:
            raise ValueError(
                f"{name}[{arm}] must hold a weight for each feature, {max(1, len(rows[0]))}, as the first row does; "
                f"got {len(row)}"
            )
    return rows


class ContextualArms(Arms):
    """Arms whose means depend on features, by weights of their own."""

    changing: ClassVar[bool] = True
    listed_in = "arms"
    logistic: ClassVar[bool] = False
    arms: int | None = parameter(
        None, low=2, most=MOST, help=f"K >= 2; null: the number of rows of weights, else {_ARMS}"
    )
    features: int | None = parameter(
        None,
        low=1,
        most=MOST,
        help=f"d >= 1, with the constant; null: the number of columns of weights, else {_FEATURES}",
    )
    constant: bool = parameter(True, help="whether the first feature is the same at every step")
    weights: Sequence[Any] = parameter(
        (),
        check=_weights,
        help="theta, a row for each arm, such as [[1, 0], [0, 1]]; left out: drawn in every replication",
    )
    norm: float = parameter(1.0, low=0.0, high=LARGEST, above=True, help="length of random weights")
    log: LogForm | None = parameter(
        None,
        of=LOGS,
        help="a log with feature_columns: features are those of random rows, and weights are fitted unless given",
    )
    digest: str = field(init=False, default="")  # of the log's file

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.log is not None:
            self._check_log(self.log)
            object.__setattr__(self, "digest", self.log.fingerprint())
        for name, number, what in (("arms", self.arms, "rows"), ("features", self.features, "columns")):
            wanted = number
            if self.log is not None:
                wanted = len(self.fitted.names) if name == "arms" else self.fitted.table.shape[1]
                if number is not None and number != wanted:
                    raise ValueError(f"{name} must be left out with log, which has {wanted}; got {number}")
            if self.weights and wanted is not None and wanted != (got := np.shape(self.weights)[name == "features"]):
                raise ValueError(f"weights must have {wanted} {what}, one for each of {name}; got {got}")

    def _check_log(self, file: LogForm) -> None:
        with checks.prefix_errors("log"):
            log = file.read()
        if log.features is None:
            raise ValueError(f"log must have features; got {file}: {log.without_features}")
        if self.logistic:
            paid = log.reward if log.rewards is None else log.rewards
            if not bool(np.isin(paid, [0.0, 1.0]).all()):
                raise ValueError(f"log must have rewards 0 and 1 for logistic arms; got {file}; use linear arms")

    @property
    def fitted(self) -> Fitted:
        """What the arms take from their log."""
        assert self.log is not None
        return _fit(self.log.read(), self.constant, self.logistic)

    @property
    def estimated(self) -> bool:  # type: ignore[override]
        """Whether the weights are fitted on a log."""
        return self.log is not None and not self.weights

    @property
    def count(self) -> int:
        if self.log is not None:
            return len(self.fitted.names)
        return len(self.weights) or (_ARMS if self.arms is None else self.arms)

    @property
    def names(self) -> tuple[str, ...]:
        return super().names if self.log is None else self.fitted.names

    @property
    def dimension(self) -> int:
        if self.log is not None:
            return int(self.fitted.table.shape[1])
        return len(self.weights[0]) if self.weights else (_FEATURES if self.features is None else self.features)

    def with_features(self, seed: int, first: int, runs: int, horizon: int) -> tuple[Steps, Floats, Floats]:
        features, drawing = np.empty((runs, horizon, self.dimension)), streams(seed, (Purpose.FEATURES,), first, runs)
        if self.log is not None:
            fill_from_table(drawing, self.fitted.table, features)
        else:
            fill_spheres(drawing, float(self.constant), 1.0, features)
        means = np.empty((runs, horizon, self.count))
        fill_means(features, self.thetas(seed, first, runs).transpose(0, 2, 1).copy(), self.logistic, means)
        return equal_segments(runs, 1, horizon), means, features

    def thetas(self, seed: int, first: int, runs: int) -> Floats:
        """Return the weights of each replication, float64[R, K, d], or [1, K, d] where they are the same in all."""
        if self.weights or self.log is not None:
            return np.array([self.weights or self.fitted.weights])
        drawn = np.empty((runs, self.count, self.dimension))
        fill_spheres(streams(seed, (Purpose.MEANS,), first, runs), 0.0, self.norm, drawn)
        return drawn

    def segments(self, seed: int, first: int, runs: int, horizon: int) -> tuple[Steps, Floats]:
        return self.with_features(seed, first, runs, horizon)[:2]

    def segments_up_to(self, horizon: int) -> int:
        return horizon

    def draw_means(self, seed: int, first: int, runs: int) -> Floats:
        return self.segments(seed, first, runs, 1)[1][:, 0].copy()

    def check_horizon(self, horizon: int) -> None:
        each = self.count + self.dimension
        if horizon * each > MOST_NUMBERS:
            raise ValueError(
                f"horizon must be at most {MOST_NUMBERS // each:,} for {self.count} arms and {self.dimension} "
                f"features, which are kept in memory; got {horizon}"
            )

    @property
    def longest(self) -> float:
        """The length of the longest features."""
        return 1.0 if self.log is None else float(np.linalg.norm(self.fitted.table, axis=1).max())

    @property
    def largest_gap(self) -> float:
        if not self.weights and self.log is None:
            return 2.0 / (1.0 + math.exp(-self.norm)) - 1.0 if self.logistic else 2.0 * self.norm
        (theta,) = self.thetas(0, 0, 1)
        apart = max(float(np.linalg.norm(theta - each, axis=1).max()) for each in theta) * self.longest
        return min(1.0, apart / 4.0) if self.logistic else apart  # the slope of the logistic function is at most 1 / 4

    @property
    def law_text(self) -> str:
        """The law's numbers besides the means, for the end of `describe`."""
        return ""

    @property
    def mean_text(self) -> str:
        """How a mean follows from the features, as a formula."""
        return "logistic(theta . x)" if self.logistic else "theta . x"

    def describe(self) -> str:
        seen = f"x of {self.dimension} feature{'s' if self.dimension > 1 else ''}"
        drawn = " uniform on the unit sphere"
        if self.constant:
            drawn = ", a constant and a uniform point on a sphere" if self.dimension > 1 else ", a constant"
        theta = f"theta of length {self.norm:g} drawn for each arm in every replication"
        if self.log is not None:
            rows = f"{len(self.fitted.table):,} rows of {escape_controls(Path(self.log.title).name)}"
            drawn, theta = f"{', a constant 1 and those' * self.constant} of the {rows}", "theta fitted on them"
        theta = "theta given for each arm" if self.weights else theta
        return f"{self.count} {self.kind} arms, mean {self.mean_text}, {seen}{drawn}; {theta}{self.law_text}"

    @property
    def title(self) -> str:
        of = "" if self.log is None else f" of {escape_controls(Path(self.log.title).name)}"
        return f"{self.count} {self.kind} arms of {self.dimension} feature{'s' if self.dimension > 1 else ''}{of}"
