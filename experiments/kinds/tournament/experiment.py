"""Every pair of several players: cross table, and standings with Elo ratings."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from experiments.engine.experiment import list_of
from experiments.engine.families import PLAYER
from experiments.games import sheets
from experiments.games.anytime import ANYTIME
from experiments.games.matches import Matches
from experiments.games.playing import Pair
from experiments.games.sheets import REPLAY
from experiments.kinds.tournament import figures
from experiments.kinds.tournament.sheets import CROSS_TABLE, STANDINGS, notes
from experiments.kinds.tournament.standings import crosstable_of, pairs_of, standings_of
from experiments.players.specs import PlayerSpec
from numerics.output import tables

if TYPE_CHECKING:
    import pandas as pd


class Tournament(Matches, name="tournament"):
    """Every pair of several players; `games` is the number of games of each pair."""

    summary = "standings.csv"

    players: Sequence[PlayerSpec] = list_of(PLAYER)

    figures = figures.FIGURES
    caveats = staticmethod(sheets.of_tournament)
    sheets = (CROSS_TABLE, STANDINGS, ANYTIME)
    notes = staticmethod(notes)
    hint = REPLAY

    @property
    def pairs(self) -> list[Pair]:
        """Every pair."""
        return list(itertools.combinations(self.players, 2))

    def write_results(self, games: pd.DataFrame, folder: Path) -> None:
        pairs = pairs_of(games)
        tables.write(pairs, folder / "pairs.csv")
        tables.write(crosstable_of(pairs), folder / "crosstable.csv")
        tables.write(standings_of(games, pairs), folder / "standings.csv")
