"""How people read what moves in graded positions are worth: the columns that experiments share, and a caveat."""

from __future__ import annotations

from pathlib import Path

from experiments.players.labels import short_columns
from numerics.output import tables
from numerics.output.sheets import Facts, interval

KEEPS_VALUE = interval("keeps the value, %", "keeps_value", scale=100)
BEST_MOVE = interval("plays a best move, %", "best", scale=100, optional=3)
LOSS = interval("loss of score, mean", "loss", ".2f", optional=1)


def failures(folder: Path, facts: Facts) -> list[str]:
    """Return a sentence for each player that gave no legal move in some position."""
    choices = short_columns(tables.read(folder / "choices.parquet"), "player")
    found, positions = [], choices["position"].nunique()
    for player, failed in choices[choices["failure"] != ""].groupby("player", sort=False):
        first = failed.iloc[0]
        found.append(
            f"{player} gave no legal move in {len(failed):,} of {positions:,} positions, which are counted as lost "
            f"(first in position {first.position}: {first.failure})."
        )
    return found
