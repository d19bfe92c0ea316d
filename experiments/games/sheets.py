"""How people read results of games: shared columns, the sheet of a match, notes, and what limits the results."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments.games.results import COLOURS, FORFEITS, forfeit
from experiments.players.labels import key_of, short_columns
from numerics.output import tables
from numerics.output.sheets import Column, Facts, Sheet, ends, number, share

if TYPE_CHECKING:
    import pandas as pd

REPLAY = "a game move by move: python -m experiments.replay {folder} game=0"
COUNTS = (number("games"), number("wins"), number("draws"), number("losses"))
RESULTS = (*COUNTS, share("score"), ends("95 % interval", "score", scale=100, unit=" %"))
"""What `experiments.games.playing.tally_of` counts."""


def with_short(name: str, *columns: str) -> Callable[[Path, Facts], pd.DataFrame]:
    """Return what reads a table with the names of players in some columns as short labels."""
    return lambda folder, facts: short_columns(tables.read(folder / name), *columns)


def key_notes(name: str, *columns: str) -> Callable[[Path, Facts], list[str]]:
    """Return the notes of a table: what the letters in the short labels of some columns mean."""
    return lambda folder, facts: key_to(with_short(name, *columns)(folder, facts)[list(columns)].to_numpy().ravel())


def key_to(labels: Iterable[str]) -> list[str]:
    """Say what the letters in short labels of players mean, where there are any."""
    return [key for key in [key_of(labels)] if key]


def _title(frame: pd.DataFrame, facts: Facts) -> str:
    player, opponent = frame["player"].iloc[0], frame["opponent"].iloc[0]
    return f"results of {player} against {opponent}; score: wins + draws / 2, interval by the score test"


def _columns(frame: pd.DataFrame, facts: Facts) -> list[Column]:
    player = Column(str(frame["player"].iloc[0]), lambda row: COLOURS[row["colour"]], number=False)
    return [player, *RESULTS, number("plies, mean", "plies_mean", ".1f", optional=1)]


def _read(folder: Path, facts: Facts) -> pd.DataFrame:
    rows = short_columns(tables.read(folder / "summary.csv"), "player", "opponent")
    return rows[rows["games"] > 0]


MATCH = Sheet("summary.csv", _title, _columns, read=_read, group=lambda row: row["colour"] == "both")


def notes_of_match(folder: Path, facts: Facts) -> list[str]:
    """Say what the letters in the labels of a match mean."""
    row = _read(folder, facts).iloc[0]
    return key_to([row["player"], row["opponent"]])


_NAMED = 4  # pairs of players, each with a sentence
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
    standings = short_columns(tables.read(folder / "standings.csv"), "player")
    rows = standings[standings["elo_low"].notna()].to_dict("records")
    close = [f"{a['player']} and {b['player']}" for a, b in pairwise(rows) if a["elo_low"] <= b["elo_high"]]
    caveats = [f"The intervals of neighbours overlap: {'; '.join(close)}."] if close else []
    return [*caveats, *of_games(folder)]


def of_games(folder: Path, facts: Mapping[str, Any] | None = None) -> list[str]:
    """Return the caveats of any games: identical games, and games lost by a forfeit."""
    games = short_columns(tables.read(folder / "games.parquet"), "player1", "player2")
    return [*repetitions(games), *forfeits(games)]


def repetitions(games: pd.DataFrame) -> list[str]:
    """Return a sentence for each pair of players half of whose games are the same; of many pairs, one for all."""
    counts = games.groupby(["player1", "player2"], sort=False)["moves"].agg(["nunique", "size"])
    alike = counts[2 * counts["nunique"] <= counts["size"]]
    if len(alike) > _NAMED:
        alike = alike.sum().to_frame().T
        pairs = [f" of {len(counts):,} pairs"]
    else:
        pairs = [f" of {player} against {opponent}" for player, opponent in alike.index]
    return [
        f"Only {different:,} of the {games_of_pair:,} games{pair} differ, while intervals take games as independent; "
        "openings=first_moves or openings=pairs varies them."
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
