"""Known engines, with which an engine is compared: measured once and packed, or measured again on this machine.

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
BESIDE = {"UCT": 10_000, "UCT best": 10_000}
"""The engines, with their simulations, that stand beside the judged ones by kind of positions."""
TABLE = "reference.csv"
_COLUMNS = ("engine", "simulations", "seconds", "kind", "positions")


def nodes() -> list[dict[str, Any]]:
    """Return the engines as nodes of a configuration, each with all its budgets."""
    players: list[dict[str, Any]] = []
    for engine, (node, budgets) in ENGINES.items():
        players += [{**node, "simulations": n, "label": f"{engine}, {n:,}"} for n in budgets]
        if not budgets:
            players.append({**node, "label": engine})
    return players


def table_of(folder: Path) -> pd.DataFrame:
    """Return the results of a finished run of these engines: one row per engine, budget and kind of positions.

    Returns
    -------
    pandas.DataFrame
        engine, simulations of a move (empty for an engine without), and seconds, the median processor time of a move.
        `kind` is "all" for all positions together. Then come positions, and keeps_value, best and loss with the ends of
        their 95 % intervals. `brier` is of all positions together, and empty for an engine without values.
    """
    summary, kinds, timings, calibration = (
        tables.read(folder / name) for name in ("summary.csv", "by_kind.csv", "timings.parquet", "calibration.csv")
    )
    whole = summary.assign(kind=TOTAL).merge(calibration[["player", "brier"]], on="player")
    by_player = summary.set_index("player")
    rows = tables.join_tables([whole, kinds[kinds["player"].isin(by_player.index)]])
    rows["engine"] = rows["player"].str.partition(", ")[0]
    rows["simulations"] = rows["player"].map(by_player["simulations"]).astype("Int64")
    rows["seconds"] = rows["player"].map(timings.groupby("player")["processor"].median()).round(7)
    rates = [f"{name}{end}" for name in ("keeps_value", "best", "loss") for end in ("", "_low", "_high")]
    table = rows[[*_COLUMNS, *rates, "brier"]].round(dict.fromkeys((*rates, "brier"), 5))
    order = {engine: index for index, engine in enumerate(ENGINES)}
    return table.sort_values(
        ["engine", "simulations"],
        key=lambda column: column.map(order) if column.name == "engine" else column,
        kind="stable",
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
        table = pd.read_csv(path, dtype={"simulations": "Int64"})
    except (OSError, ValueError) as error:
        raise ValueError(f"reference must be a table that reference=true has made; got {path!r} ({error})") from None
    if not {*_COLUMNS, "keeps_value", "loss"} <= set(table):
        raise ValueError(f"reference must be a table that reference=true has made; got {path!r}")
    return table
