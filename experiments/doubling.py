r"""Strength against budget: how many Elo points a doubling of the simulations or of the time is worth.

    expected score against the opponent  =  1 / (1 + 10^(-(a + b log2 budget) / 400))

The line is fitted to the scores as a logistic regression in which a draw counts half.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bandits.drawing import NORMAL_95
from experiments.ratings import ELO

BUDGETS = ("simulations", "seconds", "endings")  # parameters of players whose doubling means something
_STEPS = 100

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
    """Fit the strength of a player with several budgets against one opponent.

    Parameters
    ----------
    budgets : array of float
        At least two different ones, above 0.
    points, games : arrays of float
        Wins plus half the draws at each budget, and of how many games. One further, drawn game is added to each, so
        that a budget that won every game has a finite strength.

    Returns
    -------
    Doubling
        The interval is 1.96 standard errors of the binomial fit, widened where the scores leave the line by more than
        chance explains (the quasi-binomial factor of McCullagh and Nelder, "Generalized Linear Models", 1989, section
        4.5, but not below 1). It is wider than it need be where games are drawn.

    Examples
    --------
    >>> found = elo_per_doubling([100, 200, 400], [500, 640, 760], [1000, 1000, 1000])
    >>> round(found.elo), round(found.elo_low), round(found.elo_high)
    (100, 83, 116)
    """
    log2 = np.log2(np.asarray(budgets, dtype=np.float64))
    total = np.asarray(games, dtype=np.float64) + 1.0
    share = (np.asarray(points, dtype=np.float64) + 0.5) / total
    design = np.column_stack([np.ones_like(log2), log2 - log2.mean()])
    line = np.zeros(2)
    for _ in range(_STEPS):
        expected = 1.0 / (1.0 + np.exp(-design @ line))
        information = design.T @ (design * (total * expected * (1.0 - expected))[:, None])
        step = np.linalg.solve(information, design.T @ (total * (share - expected)))
        line += np.clip(step, -1.0, 1.0)  # a full step can leave the range in which the weights are above 0
        if float(np.abs(step).max()) < 1e-12:
            break
    expected = 1.0 / (1.0 + np.exp(-design @ line))
    weights = total * expected * (1.0 - expected)
    information = design.T @ (design * weights[:, None])
    chance = float((total**2 * (share - expected) ** 2 / weights).sum()) / max(1, log2.size - 2)
    error = float(np.sqrt(np.linalg.inv(information)[1, 1] * max(1.0, chance)))
    slope, half = ELO * float(line[1]), ELO * NORMAL_95 * error
    return Doubling(slope, slope - half, slope + half, ELO * float(line[0]) - slope * float(log2.mean()))
