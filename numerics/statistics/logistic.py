r"""Logistic regression of a score on one variable, with its uncertainty and the point where it crosses one half.

    expected score  =  1 / (1 + e^-(start + slope x))

A draw counts as half a win. Newton's method fits the line. Standard errors are those of the binomial fit, widened if
the scores scatter around the line more than chance explains. The factor is the quasi-binomial one of McCullagh and
Nelder, "Generalized Linear Models", 1989, section 4.5, but at least 1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from numerics.statistics.intervals import NORMAL_95

_STEPS = 100
_PRIOR = 0.05  # points of each side before the first game

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Line:
    """A fitted line.

    Attributes
    ----------
    start, slope : float
        Intercept and slope of the log odds.
    covariance : ndarray, shape (2, 2)
        Of start and slope.
    """

    start: float
    slope: float
    covariance: Floats

    @property
    def slope_error(self) -> float:
        """The standard error of the slope."""
        return float(np.sqrt(self.covariance[1, 1]))

    def score(self, x: npt.ArrayLike, errors: float = 0.0) -> Floats:
        """Return the expected scores at `x`, or with `errors` an end of their intervals, that many errors away."""
        at = np.asarray(x, dtype=np.float64)
        variance = self.covariance[0, 0] + 2.0 * at * self.covariance[0, 1] + at**2 * self.covariance[1, 1]
        scores: Floats = 1.0 / (1.0 + np.exp(-(self.start + self.slope * at + errors * np.sqrt(variance))))
        return scores

    def x_of(self, score: float) -> float:
        """Return the x at which a score strictly between 0 and 1 is expected; NaN for a line of slope 0."""
        return float((np.log(score / (1.0 - score)) - self.start) / self.slope) if self.slope else np.nan

    def half(self) -> tuple[float, float]:
        """Return the 95 % interval of the x with score 1/2, by Fieller's theorem; infinite if the slope may be 0.

        It holds the x at which 0 lies within 1.96 standard errors of the line (Finney, "Probit Analysis", 1971, section
        4.6).
        """
        (v_start, both), (_, v_slope) = NORMAL_95**2 * self.covariance
        a, b, c = self.slope**2 - v_slope, 2.0 * (self.start * self.slope - both), self.start**2 - v_start
        if a <= 0.0:
            return -np.inf, np.inf
        root = np.sqrt(max(0.0, b * b - 4.0 * a * c))
        return float((-b - root) / (2.0 * a)), float((-b + root) / (2.0 * a))


def fit_line(x: npt.ArrayLike, points: npt.ArrayLike, games: npt.ArrayLike) -> Line:
    """Fit the line to scores.

    Parameters
    ----------
    x : array of float
        At least two different values.
    points, games : arrays of float
        Wins plus half the draws, and the number of games, at each. A tenth of a drawn game is added to each, so that
        scores of 0 and 1 have finite odds. A whole game would flatten the line near these scores.

    Examples
    --------
    >>> line = fit_line([0, 1, 2], [880, 500, 120], [1000, 1000, 1000])
    >>> round(line.slope, 1), round(line.x_of(0.5), 3), [round(end, 2) for end in line.half()]
    (-2.0, 1.0, [0.95, 1.05])
    """
    xs = np.asarray(x, dtype=np.float64)
    total = np.asarray(games, dtype=np.float64) + 2.0 * _PRIOR
    share = (np.asarray(points, dtype=np.float64) + _PRIOR) / total
    middle = xs.mean()
    design = np.column_stack([np.ones_like(xs), xs - middle])
    line = np.zeros(2)
    for _ in range(_STEPS):
        expected = 1.0 / (1.0 + np.exp(-design @ line))
        information = design.T @ (design * (total * expected * (1.0 - expected))[:, None])
        step = np.linalg.solve(information, design.T @ (total * (share - expected)))
        line += np.clip(step, -1.0, 1.0)  # a full step may make the weights vanish
        if float(np.abs(step).max()) < 1e-12:
            break
    expected = 1.0 / (1.0 + np.exp(-design @ line))
    weights = total * expected * (1.0 - expected)
    chance = float((total**2 * (share - expected) ** 2 / weights).sum()) / max(1, xs.size - 2)
    covariance = np.linalg.inv(design.T @ (design * weights[:, None])) * max(1.0, chance)
    to_zero = np.array([[1.0, -middle], [0.0, 1.0]])  # from the intercept at the middle to the intercept at 0
    return Line(float(line[0] - line[1] * middle), float(line[1]), to_zero @ covariance @ to_zero.T)
