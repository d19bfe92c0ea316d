"""Caveats that a reader must know before relying on the results of games."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

from experiments.games.games import forfeit
from numerics.output import tables

WIDE = 0.05  # half of an interval of a score, from which on the games are called few


def of_match(folder: Path, facts: Mapping[str, Any]) -> list[str]:
    """Return the caveats of a match: a wide interval, or one that does not decide who is better."""
    whole = tables.read(folder / "summary.csv").iloc[-1]
    low, high, games = float(whole["score_low"]), float(whole["score_high"]), int(whole["games"])
    caveats = []
    if high - low > 2 * WIDE:
        caveats.append(
            f"{games:,} games leave the score uncertain by {50 * (high - low):.0f} percentage points on either side."
        )
    if low <= 0.5 <= high:
        caveats.append("The interval holds 50 %: these games do not tell who is better.")
    return [*caveats, *of_games(folder)]


def of_tournament(folder: Path, facts: Mapping[str, Any]) -> list[str]:
    """Return the caveats of a tournament: neighbours in the standings whose intervals overlap."""
    standings = tables.read(folder / "standings.csv")
    rows = standings[standings["elo_low"].notna()].to_dict("records")
    close = [f"{a['player']} and {b['player']}" for a, b in pairwise(rows) if a["elo_low"] <= b["elo_high"]]
    caveats = [f"The intervals of neighbours overlap: {'; '.join(close)}."] if close else []
    return [*caveats, *of_games(folder)]


def of_games(folder: Path, facts: Mapping[str, Any] | None = None) -> list[str]:
    """Return the caveats of any games: identical games, and games lost by a forfeit."""
    games = tables.read(folder / "games.parquet")
    caveats = []
    different = int(games.groupby(["player1", "player2"])["moves"].nunique().sum())
    if 2 * different <= len(games):
        caveats.append(
            f"Only {different:,} of the {len(games):,} games differ, while intervals take them as independent; "
            "openings=first_moves or openings=pairs varies them."
        )
    lost = int((games["ending"].map(forfeit) != "").sum())
    if lost:
        caveats.append(
            f"{lost:,} game{'s were' if lost > 1 else ' was'} lost by an illegal move, an error or an overrun limit."
        )
    return caveats
