r"""Strength against budget: the Elo points that doubling the simulations or the time is worth.

    expected score against the opponent  =  1 / (1 + 10^(-(a + b log2 budget) / 400))

The line is fitted to the scores as a logistic regression in which a draw counts half.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from numerics.statistics.intervals import NORMAL_95
from numerics.statistics.logistic import fit_line
from numerics.statistics.ratings import ELO

BUDGETS = ("simulations", "seconds", "playouts_per_move")  # parameters of players that are budgets

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Doubling:
    """A fitted line: `elo` is the slope b with the ends of its 95 % interval, `start` the intercept a."""

    elo: float
    elo_low: float
    elo_high: float
    start: float

    def score(self, budgets: npt.ArrayLike) -> Floats:
        """Return the expected scores at some budgets."""
        strength = (self.start + self.elo * np.log2(np.asarray(budgets, dtype=np.float64))) / ELO
        return 1.0 / (1.0 + np.exp(-strength))


def elo_per_doubling(budgets: npt.ArrayLike, points: npt.ArrayLike, games: npt.ArrayLike) -> Doubling:
    """Fit the strength of a player with several budgets against the same opponent.

    Parameters
    ----------
    budgets : array of float
        At least two different budgets, above 0.
    points, games : arrays of float
        Wins plus half the draws at each budget, and the equivalent number of independent games without draws
        (`numerics.statistics.scores.sure_games`). A tenth of a drawn game is added to each, so that a budget that
        won every game has a finite strength.

    Returns
    -------
    Doubling
        The interval is 1.96 standard errors of `numerics.statistics.logistic`.

    Examples
    --------
    >>> doubling = elo_per_doubling([100, 200, 400], [500, 640, 760], [1000, 1000, 1000])
    >>> round(doubling.elo), round(doubling.elo_low), round(doubling.elo_high)
    (100, 84, 117)
    """
    line = fit_line(np.log2(np.asarray(budgets, dtype=np.float64)), points, games)
    slope, half = ELO * line.slope, ELO * NORMAL_95 * line.slope_error
    return Doubling(slope, slope - half, slope + half, ELO * line.start)
