"""A parameter of a player, or whole settings, swept in one command: the games of a sweep of matches, in one run."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments.engine.experiment import Facts, group
from experiments.engine.families import PLAYER
from experiments.games import sweep
from experiments.games.anytime import ANYTIME
from experiments.games.games import Pair, labelled_apart
from experiments.games.matches import Matches
from experiments.games.parameter_values import SETTINGS, SWEPT, different_values, with_values
from experiments.games.settings import Setting, sweep_table, value_text
from experiments.games.sheets import REPLAY
from experiments.games.sweep import common_name, write_sweep
from experiments.kinds.uct_sweep import figures
from experiments.players.specs import PlayerSpec
from numerics import parameters
from numerics.output import tables

if TYPE_CHECKING:
    import pandas as pd


def _caveats(folder: Path, facts: Facts) -> list[str]:
    table = tables.read(folder / "sweep.csv")
    return sweep.caveats_of(table, [str(table.columns[0])], tables.read(folder / "games.parquet"))


def _notes(folder: Path, facts: Facts) -> list[str]:
    table = tables.read(folder / "sweep.csv")
    return sweep.notes_of(table, [str(table.columns[0])], paired=True)


class UctSweep(Matches, name="uct_sweep"):
    """A player with each value of one parameter against one opponent; `games` is the number of games of each value."""

    summary = "sweep.csv"

    player: dict[str, Any] = group(SWEPT)
    opponent: PlayerSpec = group(PLAYER)
    parameter: str = parameters.parameter("c", help=f"of the player, or {SETTINGS}: several parameters at once")
    values: list[Any] = parameters.parameter(
        [0.1, 0.25, 0.5, 0.7, 1.0, 1.4, 2.0], check=different_values, help="to be compared"
    )

    paired = True
    figures = figures.FIGURES
    sheets = (sweep.SHEET, ANYTIME)
    caveats = staticmethod(_caveats)
    notes = staticmethod(_notes)
    hint = REPLAY

    @functools.cached_property
    def players(self) -> list[PlayerSpec]:
        """The player with each of the values."""
        return with_values(self.player, self.parameter, self.values)

    @property
    def pairs(self) -> list[Pair]:
        """Each of them against the opponent."""
        return [labelled_apart((one, self.opponent)) for one in self.players]

    @property
    def who(self) -> str:
        name = common_name([one.name for one in self.players])
        return f"{name} with {self._key}={','.join(map(value_text, self.values))} against {self.opponent.name}"

    @property
    def _key(self) -> str:
        return f"player.{self.parameter}"

    def prepare(self) -> None:
        if self.has_person:
            raise ValueError("player and opponent must be programs, which can play every game of a sweep; got 'human'")
        super().prepare()

    def write_results(self, games: pd.DataFrame, folder: Path) -> None:
        each = self.games
        settings = [
            Setting(
                {self._key: value if isinstance(value, int | float) else value_text(value)},
                games.iloc[place * each : (place + 1) * each].assign(game=range(each)),
            )
            for place, value in enumerate(self.values)
        ]
        write_sweep(sweep_table(settings), [self._key], folder)
