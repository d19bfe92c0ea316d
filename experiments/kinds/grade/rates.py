r"""The score of `graded` by its rate of worse moves, and the rate at which it is one half: the grade of its opponent.

The expected score falls from at least one half at a rate r = 0, where nobody beats `graded`. On

    expected score  =  1 / (1 + e^-(a + b sqrt(r)))

as fitted to all games, it is one half at the grade. The square root is what makes the scores of many players a line;
where they leave it, the interval of the grade grows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from experiments.games.results import tally_of
from numerics.output import tables
from numerics.statistics.logistic import Line, fit_line
from numerics.statistics.scores import sure_games

if TYPE_CHECKING:
    import pandas as pd

DIGITS = 4  # of a rate
_ASIDE = (2.0 / 3.0, 1.0 / 3.0)  # the scores that later rounds aim at


@dataclass(frozen=True)
class Grade:
    """A player's grade.

    Attributes
    ----------
    rate, low, high : float
        The rate of worse moves with its 95 % interval, in [0, 1]; NaN where no rate scores one half.
    line : Line
        The fitted scores against the square root of the rate.
    """

    rate: float
    low: float
    high: float
    line: Line


def rates_of(games: pd.DataFrame) -> pd.DataFrame:
    """Return one row a rate, in increasing order.

    Returns
    -------
    pandas.DataFrame
        rate; round, the first in which it was tried; and graded's games, wins, draws, losses and score, with the ends
        of its 95 % interval.
    """
    rows = [
        {"rate": rate, "round": int(of_rate["round"].min())} | tally_of(of_rate)
        for rate, of_rate in games.groupby("rate", sort=True)
    ]
    return tables.table_of(rows)


def fit_rates(table: pd.DataFrame) -> Line:
    """Fit the scores of a table of rates against the square root of the rate."""
    games = sure_games(table)
    return fit_line(np.sqrt(table["rate"]), table["score"] * games, games)


def next_rates(line: Line) -> list[float]:
    """Return the rates that locate one half most precisely: where 2/3 and 1/3 are expected, as far as they exist.

    Without a line that falls, there is nothing to aim at, and the middle of the roots is tried.
    """
    if not line.slope < 0.0:
        return [0.25]
    roots = [min(1.0, max(0.0, line.x_of(score))) for score in _ASIDE]
    return sorted({round(root**2, DIGITS) for root in roots})


def grade_of(table: pd.DataFrame) -> Grade:
    """Return the grade from a table of rates."""
    line = fit_rates(table)
    root, (left, right) = line.x_of(0.5), line.half()
    if not line.slope < 0.0 or root > 1.0:
        return Grade(np.nan, np.nan, np.nan, line)
    low, high = (min(1.0, max(0.0, end)) ** 2 for end in (left, right))
    return Grade(max(0.0, root) ** 2, low, high, line)
