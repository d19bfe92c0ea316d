"""What the games say: the results in both places, whether they differ, and how long a game takes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from experiments.environments.both_places import PLACES
from experiments.statistics.intervals import tally

if TYPE_CHECKING:
    import pandas as pd

CONFIDENCE = 0.95


def summary_of(played: pd.DataFrame) -> pd.DataFrame:
    """Return one row a pair: the first player's results in both places, and whether they differ.

    Parameters
    ----------
    played : pandas.DataFrame
        The columns `both_places.GAMES`.

    Returns
    -------
    pandas.DataFrame
        player, opponent; games, and how many of them have the same moves and ending in both places; of each place wins,
        draws, losses, score = (wins + draws / 2) / games with the ends of its 95 % Wilson interval, and games ended by
        an illegal move; the difference of the scores, environment minus native, with the ends of its 95 % interval, the
        p-value, and that adjusted for the number of pairs (`paired`; Benjamini and Hochberg 1995).
    """
    import pandas as pd
    from scipy.stats import false_discovery_control

    rows = []
    for (player, opponent), own in played.groupby(["player1", "player2"], sort=False):
        row: dict[str, Any] = {"player": player, "opponent": opponent, "games": len(own)}
        row["identical"] = int((_same(own, "moves") & _same(own, "ending")).sum())
        for place, prefix in zip(PLACES, ("", "native_"), strict=True):
            counted = tally(own[f"{prefix}result"])
            row |= {f"{place}_{name}": value for name, value in counted.items() if name != "games"}
            row[f"{place}_illegal"] = int(own[f"{prefix}ending"].str.startswith("illegal move").sum())
        points = 0.5 * (own["result"] - own["native_result"]).to_numpy(np.float64)
        rows.append(row | dict(zip(("difference", "low", "high", "p_value"), paired(points), strict=True)))
    table = pd.DataFrame(rows)
    return table.assign(p_adjusted=false_discovery_control(table["p_value"].to_numpy()))


def _same(own: pd.DataFrame, name: str) -> pd.Series[bool]:
    return own[name] == own[f"native_{name}"]


def paired(differences: npt.NDArray[np.float64]) -> tuple[float, float, float, float]:
    """Return the mean of paired differences of points, the ends of its 95 % interval, and the p-value of a mean of 0.

    Student's t where the differences vary. Where every one is 0 the interval is that of the share q of games that could
    differ, by at most a point: q <= 1 - 0.025^(1/n) (Clopper and Pearson 1934); few games do not pass for proof.

    Examples
    --------
    >>> [round(float(one), 3) for one in paired(np.zeros(100))]
    [0.0, -0.036, 0.036, 1.0]
    """
    from scipy.stats import ttest_1samp

    mean, count = float(differences.mean()), differences.size
    if not differences.any():
        most = 1.0 - ((1.0 - CONFIDENCE) / 2.0) ** (1.0 / count)
        return 0.0, -most, most, 1.0
    if np.ptp(differences) == 0.0:  # always the same points more or less: nothing is uncertain
        return mean, mean, mean, 0.0
    test = ttest_1samp(differences, 0.0)
    low, high = test.confidence_interval(CONFIDENCE)
    return mean, float(low), float(high), float(test.pvalue)


def verdict(row: Mapping[Any, Any]) -> str:
    """Say what a row of the summary means."""
    if row["identical"] == row["games"]:
        return "the same games"
    return "different" if row["p_adjusted"] < 1.0 - CONFIDENCE else "equal within noise"


def times_of(played: pd.DataFrame, timings: pd.DataFrame) -> pd.DataFrame:
    """Return the median seconds of a game of every pair in both places, in the order of the pairs.

    The median, because the first game of a run also loads kernels.
    """
    columns = [f"{place}_{what}" for place in PLACES for what in ("seconds", "thinking")]
    everything = played[["game", "player1", "player2"]].merge(timings, on="game")
    return everything.groupby(["player1", "player2"], sort=False)[columns].median().reset_index()
