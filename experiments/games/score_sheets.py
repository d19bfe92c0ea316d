"""How people read results of games: the columns, notes and caveats that experiments share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from experiments.games.results import FORFEITS, forfeit, lines_of
from numerics.output import tables
from numerics.output.sheets import Facts, interval_ends, number, share

if TYPE_CHECKING:
    import pandas as pd

REPLAY = "a game move by move: python -m experiments.replay {folder} game=0"
COUNTS = (number("games"), number("wins"), number("draws"), number("losses"))
RESULTS = (*COUNTS, share("score"), interval_ends("95 % interval", "score", scale=100, unit=" %"))
"""What `experiments.games.results.tally_of` counts."""


_NAMED = 4  # pairs of players, each with a sentence


def of_games(folder: Path, facts: Facts | None = None) -> list[str]:
    """Return the caveats of any games: identical games, and games lost by a forfeit."""
    games = tables.read(folder / "games.parquet")
    return [*repetitions(games), *forfeits(games)]


def repetitions(games: pd.DataFrame) -> list[str]:
    """Return a sentence for each pair of players half of whose games are the same; of many pairs, one for all."""
    told_apart = games.assign(moves=lines_of(games))
    counts = told_apart.groupby(["player1", "player2"], sort=False)["moves"].agg(["nunique", "size"])
    alike = counts[2 * counts["nunique"] <= counts["size"]]
    if len(alike) > _NAMED:
        alike = alike.sum().to_frame().T
        pairs = [f" of {len(counts):,} pairs"]
    else:
        pairs = [f" of {player} against {opponent}" for player, opponent in alike.index]
    return [
        f"Only {different:,} of the {games_of_pair:,} games{pair} are different, but the intervals assume "
        "independent games. "
        "Use openings=first_moves or openings=pairs."
        for pair, (different, games_of_pair) in zip(pairs, alike.to_numpy().tolist(), strict=True)
    ]


def forfeits(games: pd.DataFrame) -> list[str]:
    """Return a sentence for each player and way in which it lost games otherwise than on the board."""
    why = games["ending"].map(forfeit)
    loser = games["player2"].where(games["result"] == 1, games["player1"])
    caveats = []
    for (label, kind), lost in games[why != ""].groupby([loser, why], sort=False):
        first = lost.iloc[0]
        count = f"{len(lost):,} game{'s' if len(lost) > 1 else ''}"
        how = f"first in game {first['game']}: {first['ending']}"
        caveats.append(f"{label} lost {count} by {FORFEITS[str(kind)]} ({how}).")
    return caveats
