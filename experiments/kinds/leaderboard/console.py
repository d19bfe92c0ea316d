"""What the leaderboard prints: a row a policy, the best first."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments.engine.console import console, say_places
from numerics.output import tables

if TYPE_CHECKING:
    import pandas as pd
    from rich.table import Table


def say_results(folder: Path, facts: Mapping[str, Any]) -> None:
    """Print the leaderboard, and where tables and figures lie."""
    board, timings = tables.read(folder / "leaderboard.csv"), tables.read(folder / "timings.parquet")
    console().print(results_table(board, timings))
    say_places(folder)


def results_table(board: pd.DataFrame, timings: pd.DataFrame) -> Table:
    """Return the printed form of leaderboard.csv, with the time of a step."""
    from rich.table import Table
    from rich.text import Text

    spent = timings.groupby("policy")[["steps", "seconds"]].sum()
    table = Table(
        title=f"regret over the best policy's, geometric mean of the {board['problems'].iloc[0]} simulated problems "
        "with rewards in [0, 1]; in brackets: 95 % intervals",
        title_justify="left",
    )
    for name in ("rank", "policy", "score", "ns a step"):
        table.add_column(name, justify="left" if name == "policy" else "right")
    columns = ["rank", "rank_low", "rank_high", "score", "score_low", "score_high"]
    for label, numbers in zip(board["policy"], board[columns].to_numpy(float), strict=True):
        rank, rank_low, rank_high, score, low, high = numbers
        nanoseconds = 1e9 * float(spent.loc[label, "seconds"]) / float(spent.loc[label, "steps"])
        table.add_row(
            f"{rank:g} ({rank_low:g} to {rank_high:g})",
            Text(str(label)),
            f"{score:.2f} ({low:.2f} to {high:.2f})",
            f"{nanoseconds:,.0f}",
        )
    return table
