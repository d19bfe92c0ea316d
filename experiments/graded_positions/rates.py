"""The tables that are made of the choices of players, by player, ply, source and pair."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from numerics.statistics import means
from numerics.statistics.holm import holm
from numerics.statistics.intervals import wilson
from numerics.statistics.paired_rates import paired

if TYPE_CHECKING:
    import pandas as pd

Floats = npt.NDArray[np.float64]

_WORST = 42.0  # points: scores on 7 x 6 are from -21 to 21


def summary_of(choices: pd.DataFrame) -> pd.DataFrame:
    """Return one row a player, in the order of the configuration.

    Returns
    -------
    pandas.DataFrame
        player, name; simulations of a move, empty for a player without; positions; the rates keeps_value and best with
        the ends of their 95 % Wilson intervals; loss, the mean over the legal moves, with the ends of the 95 % interval
        of `numerics.statistics.means`, or, where nothing was lost, from 0 to what may have been missed; failures: how
        many moves were illegal or none.
    """
    import pandas as pd

    rows = []
    for (player, name), own in choices.groupby(["player", "name"], sort=False):
        rows.append(
            {"player": player, "name": name, "simulations": own["simulations"].iloc[0], "positions": len(own)}
            | _rates(own)
            | _mean(_losses(own))
            | {"failures": int((own["failure"] != "").sum())}
        )
    return pd.DataFrame(rows).astype({"simulations": "Int64"})


def _rates(own: pd.DataFrame) -> dict[str, float]:
    """Return the rates of two columns with the ends of their intervals."""
    found: dict[str, float] = {}
    for name in ("keeps_value", "best"):
        low, high = wilson(float(own[name].sum()), len(own))
        found |= {name: float(own[name].mean()), f"{name}_low": low, f"{name}_high": high}
    return found


def _losses(own: pd.DataFrame) -> Floats:
    return own["loss"].dropna().to_numpy(np.float64)


def _mean(losses: Floats) -> dict[str, float]:
    """Return the mean loss with the ends of its interval; NaN where too few tell it.

    Where nothing was lost, the upper end is the worst loss at the highest rate at which so many moves lose nothing once
    in forty times.
    """
    if not losses.size:
        return {"loss": np.nan, "loss_low": np.nan, "loss_high": np.nan}
    low, high = (float(end) for end in means.interval_of(losses))
    if not losses.any():
        high = _WORST * (1.0 - (0.5 - 0.5 * means.CONFIDENCE) ** (1.0 / losses.size))
    return {"loss": float(losses.mean()), "loss_low": max(0.0, low), "loss_high": high}


def by_ply(choices: pd.DataFrame) -> pd.DataFrame:
    """Return one row a player and ply: positions, both rates with their intervals, and the mean loss."""
    import pandas as pd

    rows = [
        {"player": player, "ply": ply, "positions": len(own)} | _rates(own) | {"loss": float(own["loss"].mean())}
        for player, of_player in choices.groupby("player", sort=False)
        for ply, own in of_player.groupby("ply", sort=True)
    ]
    return pd.DataFrame(rows)


def rates_by(choices: pd.DataFrame, column: str) -> pd.DataFrame:
    """Return one row a player and value of a column: positions, and both rates and the mean loss with intervals."""
    import pandas as pd

    rows = [
        {"player": player, column: value, "positions": len(own)} | _rates(own) | _mean(_losses(own))
        for player, of_player in choices.groupby("player", sort=False)
        for value, own in of_player.groupby(column, sort=True)
    ]
    return pd.DataFrame(rows)


def differences_of(choices: pd.DataFrame) -> pd.DataFrame:
    """Compare every pair of players on the same positions.

    Returns
    -------
    pandas.DataFrame
        player_a, player_b; positions; only_a and only_b, where only one of the two kept the value; difference, the rate
        of a minus that of b, with the ends of its interval (`numerics.statistics.paired_rates`): with 95 %
        confidence none of all pairs misses, so that it may be read of whoever turned out best; p_value of the exact
        McNemar test; p_adjusted by Holm's method over all pairs; and loss_difference, the mean loss of a minus that of
        b where both moves were legal.
    """
    import pandas as pd

    kept, losses = (choices.pivot(index="position", columns="player", values=name) for name in ("keeps_value", "loss"))
    pairs = list(combinations(choices["player"].unique(), 2))
    rows = [
        {"player_a": a, "player_b": b, **paired(kept[a].to_numpy(bool), kept[b].to_numpy(bool), len(pairs))}
        | {"loss_difference": float((losses[a] - losses[b]).mean())}
        for a, b in pairs
    ]
    table = pd.DataFrame(rows)
    table.insert(list(table.columns).index("p_value") + 1, "p_adjusted", holm(list(table["p_value"])))
    return table
