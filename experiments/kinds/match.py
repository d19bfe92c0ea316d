"""Two players against each other, half of the games with either moving first."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from experiments.engine.experiment import group
from experiments.games import match_figures
from experiments.games.anytime import ANYTIME
from experiments.games.match_sweep import SWEEP
from experiments.games.matches import AnyGame
from experiments.games.playing import Pair, labelled_apart
from experiments.games.results import COLOURS, summary_of
from experiments.games.score_sheets import REPLAY, RESULTS, of_games
from experiments.players.specs import PLAYER, PlayerSpec
from numerics.output import tables
from numerics.output.sheets import Column, Facts, Sheet, number

if TYPE_CHECKING:
    import pandas as pd


_WIDE = 0.05  # half of an interval of a score, from which on the games are called few


def _title(frame: pd.DataFrame, facts: Facts) -> str:
    player, opponent = frame["player"].iloc[0], frame["opponent"].iloc[0]
    return f"results of {player} against {opponent}; score: wins + draws / 2, interval by the score test"


def _columns(frame: pd.DataFrame, facts: Facts) -> list[Column]:
    player = Column(str(frame["player"].iloc[0]), lambda row: COLOURS[row["colour"]], number=False)
    return [player, *RESULTS, number("plies, mean", "plies_mean", ".1f", optional=1)]


def _read(folder: Path, facts: Facts) -> pd.DataFrame:
    rows = tables.read(folder / "summary.csv")
    return rows[rows["games"] > 0]


MATCH = Sheet("summary.csv", _title, _columns, read=_read, group=lambda row: row["colour"] == "both")


def caveats(folder: Path, facts: Facts) -> list[str]:
    """Return the caveats of a match: a wide interval, or one that does not decide who is better."""
    whole = tables.read(folder / "summary.csv").iloc[-1]
    low, high, games = float(whole["score_low"]), float(whole["score_high"]), int(whole["games"])
    sentences = []
    if high - low > 2 * _WIDE:
        sentences.append(
            f"The margin of error of the score is ±{50 * (high - low):.0f} percentage points with {games:,} games."
        )
    if low <= 0.5 <= high:
        sentences.append("The interval contains 50 %: the difference between the players is not significant.")
    return [*sentences, *of_games(folder)]


class Match(AnyGame, name="match"):
    """Two players against each other, both colours, at one game."""

    player1: PlayerSpec = group(PLAYER)
    player2: PlayerSpec = group(PLAYER)

    figures = match_figures.FIGURES
    caveats = staticmethod(caveats)
    sheets = (MATCH, ANYTIME)
    hint = REPLAY
    sweep = SWEEP

    @property
    def pairs(self) -> list[Pair]:
        """The one pair."""
        return [labelled_apart((self.player1, self.player2))]

    def write_results(self, games: pd.DataFrame, folder: Path) -> None:
        tables.write(summary_of(games), folder / "summary.csv")
