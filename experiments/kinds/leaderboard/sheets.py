"""How people read the leaderboard: a row a policy, the best first, with the time of a step."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from numerics.output import tables
from numerics.output.sheets import Facts, Sheet, interval, number, word

if TYPE_CHECKING:
    import pandas as pd


def _read(folder: Path, facts: Facts) -> pd.DataFrame:
    board, timings = tables.read(folder / "leaderboard.csv"), tables.read(folder / "timings.parquet")
    spent = timings.groupby("policy")[["steps", "seconds"]].sum()
    return board.assign(nanoseconds=board["policy"].map(1e9 * spent["seconds"] / spent["steps"]))


LEADERBOARD = Sheet(
    "leaderboard.csv",
    lambda frame, facts: (
        f"regret over the best policy's, geometric mean of the {frame['problems'].iloc[0]} simulated problems with "
        "rewards in [0, 1]; in brackets: 95 % intervals"
    ),
    (
        interval("rank", "rank", "g"),
        word("policy"),
        interval("score", "score", ".2f"),
        number("ns a step", "nanoseconds", ",.0f", optional=1),
    ),
    read=_read,
)
