"""Two players against each other, half of the games with either moving first."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from experiments.engine.experiment import group
from experiments.engine.families import PLAYER
from experiments.games import figures, sheets, sweep
from experiments.games.anytime import ANYTIME
from experiments.games.matches import Matches
from experiments.games.playing import Pair, labelled_apart
from experiments.games.results import summary_of
from experiments.games.sheets import MATCH, REPLAY, notes_of_match
from experiments.players.specs import PlayerSpec
from numerics.output import tables

if TYPE_CHECKING:
    import pandas as pd


class Match(Matches, name="match"):
    """Two players against each other, both colours, on one board."""

    player1: PlayerSpec = group(PLAYER)
    player2: PlayerSpec = group(PLAYER)

    figures = figures.FIGURES
    caveats = staticmethod(sheets.of_match)
    sheets = (MATCH, ANYTIME)
    notes = staticmethod(notes_of_match)
    hint = REPLAY
    together = staticmethod(sweep.put_together)
    sweep_sheets = (sweep.SHEET,)
    sweep_caveats = staticmethod(sweep.caveats)
    sweep_notes = staticmethod(sweep.notes)

    @property
    def pairs(self) -> list[Pair]:
        """The one pair."""
        return [labelled_apart((self.player1, self.player2))]

    def write_results(self, games: pd.DataFrame, folder: Path) -> None:
        tables.write(summary_of(games), folder / "summary.csv")
