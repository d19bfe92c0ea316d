"""The summary of the games: the results in both places, whether they differ, and the time of a game."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from experiments.games.results import tally_of
from experiments.kinds.environments.both_places import PLACES
from numerics.statistics.scores import Scores

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
        draws, losses, score = (wins + draws / 2) / games with the ends of its 95 % interval, and games ended by
        an illegal move; the difference of the scores, environment minus native, with the ends of its 95 % interval, the
        p-value, and that adjusted for the number of pairs (`paired`; Benjamini and Hochberg 1995).
    """
    import pandas as pd

    rows = []
    for (player, opponent), of_pair in played.groupby(["player1", "player2"], sort=False):
        row: dict[str, Any] = {"player": player, "opponent": opponent, "games": len(of_pair)}
        row["identical"] = int((_same(of_pair, "moves") & _same(of_pair, "ending")).sum())
        for venue, prefix in zip(PLACES, ("", "native_"), strict=True):
            counted = tally_of(of_pair.assign(result=of_pair[f"{prefix}result"]))
            row |= {f"{venue}_{name}": value for name, value in counted.items() if name != "games"}
            row[f"{venue}_illegal"] = int(of_pair[f"{prefix}ending"].str.startswith("illegal move").sum())
        points = 0.5 * (of_pair["result"] - of_pair["native_result"]).to_numpy(np.float64)
        rows.append(row | dict(zip(("difference", "low", "high", "p_value"), paired(points), strict=True)))
    table = pd.DataFrame(rows)
    return table.assign(p_adjusted=adjusted(table["p_value"].to_numpy()))


def _same(games: pd.DataFrame, name: str) -> pd.Series[bool]:
    return games[name] == games[f"native_{name}"]


def paired(differences: npt.NDArray[np.float64]) -> tuple[float, float, float, float]:
    """Return the mean of paired differences of points, the ends of its 95 % interval, and the p-value of a mean of 0.

    Those of `numerics.statistics.scores`: differences that are all 0 leave open what other games would do.

    Examples
    --------
    >>> [round(float(one), 3) for one in paired(np.zeros(100))]
    [0.0, -0.037, 0.037, 1.0]
    """
    scores = Scores([differences], limits=(-1.0, 1.0))
    return (float(differences.mean()), *scores.interval(), scores.p_value())


def adjusted(p_values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return p-values by which at most 5 % of the pairs called different are alike: Benjamini and Hochberg 1995.

    Examples
    --------
    >>> adjusted(np.array([0.01, 0.02, 0.9])).round(3).tolist()
    [0.03, 0.03, 0.9]
    """
    from scipy.stats import false_discovery_control

    adjusted: npt.NDArray[np.float64] = false_discovery_control(p_values)
    return adjusted


def verdict(row: Mapping[Any, Any]) -> str:
    """Return a sentence about a row of the summary."""
    if row["identical"] == row["games"]:
        return "the same games"
    return "different" if row["p_adjusted"] < 1.0 - CONFIDENCE else "equal within noise"


def times_of(played: pd.DataFrame, timings: pd.DataFrame) -> pd.DataFrame:
    """Return the median seconds of a game of every pair in both places, in the order of the pairs.

    The median, because the first game of a run also loads kernels.
    """
    columns = [f"{venue}_{what}" for venue in PLACES for what in ("seconds", "thinking")]
    everything = played[["game", "player1", "player2"]].merge(timings, on="game")
    return everything.groupby(["player1", "player2"], sort=False)[columns].median().reset_index()
