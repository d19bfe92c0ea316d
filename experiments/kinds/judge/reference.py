"""Engines whose strength is known: what an engine is compared with, measured once and packed, or anew on this machine.

`python -m experiments.judge reference=true` measures them; the packed table is that of the README beside it.
"""

from __future__ import annotations

import io
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numerics.output import tables

if TYPE_CHECKING:
    import pandas as pd

TOTAL = "all"  # in the column of kinds
_FEW, _MORE = (100, 1_000, 10_000), (100, 1_000, 10_000, 100_000)
ENGINES: dict[str, tuple[dict[str, Any], tuple[int, ...]]] = {
    "random": ({"name": "random"}, ()),
    "level 4": ({"name": "level_4"}, ()),
    "lookahead 4": ({"name": "lookahead", "ply": 4}, ()),
    "minimax 4": ({"name": "minimax", "depth": 4}, ()),
    "minimax 8": ({"name": "minimax", "depth": 8}, ()),
    "flat Monte Carlo": ({"name": "monte_carlo"}, _FEW),
    "OpenSpiel MCTS": ({"name": "open_spiel"}, _FEW),
    "UCT": ({"name": "uct"}, _MORE),
    "UCT best": ({"name": "uct_best"}, _MORE),
    "perfect": ({"name": "perfect"}, ()),
}
"""The node of each engine, and its simulations of a move."""
TABLE = "reference.csv"
_COLUMNS = ("engine", "simulations", "seconds", "kind", "positions")


def nodes() -> list[dict[str, Any]]:
    """Return the engines as nodes of a configuration, each with all its budgets."""
    found: list[dict[str, Any]] = []
    for engine, (node, budgets) in ENGINES.items():
        found += [{**node, "simulations": n, "label": f"{engine}, {n:,}"} for n in budgets]
        if not budgets:
            found.append({**node, "label": engine})
    return found


def table_of(folder: Path) -> pd.DataFrame:
    """Return what a finished run of these engines says: a row an engine, budget and kind of positions.

    Returns
    -------
    pandas.DataFrame
        engine; simulations of a move, empty for an engine without; seconds, the median processor time of a move; kind,
        "all" for all positions together; positions; keeps_value, best and loss with the ends of their 95 % intervals;
        brier, of all positions together, empty for an engine without values.
    """
    import pandas as pd

    summary, kinds, timings, calibration = (
        tables.read(folder / name) for name in ("summary.csv", "by_kind.csv", "timings.parquet", "calibration.csv")
    )
    whole = summary.assign(kind=TOTAL).merge(calibration[["player", "brier"]], on="player")
    one = summary.set_index("player")
    rows = pd.concat([whole, kinds[kinds["player"].isin(one.index)]], ignore_index=True)
    rows["engine"] = rows["player"].str.partition(", ")[0]
    rows["simulations"] = rows["player"].map(one["simulations"]).astype("Int64")
    rows["seconds"] = rows["player"].map(timings.groupby("player")["processor"].median()).round(7)
    rates = [f"{name}{end}" for name in ("keeps_value", "best", "loss") for end in ("", "_low", "_high")]
    found = rows[[*_COLUMNS, *rates, "brier"]].round(dict.fromkeys((*rates, "brier"), 5))
    order = {engine: place for place, engine in enumerate(ENGINES)}
    return found.sort_values(
        ["engine", "simulations"], key=lambda own: own.map(order) if own.name == "engine" else own, kind="stable"
    ).reset_index(drop=True)


def read(path: str) -> pd.DataFrame:
    """Return a table of known engines, the packed one where no path is given.

    Raises
    ------
    ValueError
        No such table, or none of known engines.
    """
    import pandas as pd

    if not path:
        packed = resources.files("experiments.kinds.judge").joinpath("data", TABLE).read_bytes()
        return pd.read_csv(io.BytesIO(packed), dtype={"simulations": "Int64"})
    try:
        found = pd.read_csv(path, dtype={"simulations": "Int64"})
    except (OSError, ValueError) as error:
        raise ValueError(f"reference must be a table that reference=true has made; got {path!r} ({error})") from None
    if not {*_COLUMNS, "keeps_value", "loss"} <= set(found):
        raise ValueError(f"reference must be a table that reference=true has made; got {path!r}")
    return found
