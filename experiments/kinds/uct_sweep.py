"""A parameter of a player, or whole settings, swept in one command: the games of a sweep of matches, in one run."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from experiments.engine.experiment import group
from experiments.games import sweep, sweep_figures
from experiments.games.anytime import ANYTIME
from experiments.games.matches import Matches
from experiments.games.playing import Pair, labelled_apart
from experiments.games.results import ground
from experiments.games.sheets import REPLAY
from experiments.games.sweep import common_name, write_sweep
from experiments.games.sweep_settings import (
    SETTINGS,
    SWEPT,
    Setting,
    different_values,
    sweep_table,
    value_text,
    with_values,
)
from experiments.players.labels import shared_label
from experiments.players.specs import PLAYER, PlayerSpec, check_programs
from numerics.output import tables
from numerics.output.figures import Facts, Figure
from numerics.parameters import parameter as setting

if TYPE_CHECKING:
    import pandas as pd


def _keys_and_title(table: pd.DataFrame, facts: Facts) -> Facts:
    """Return what the figure of a sweep needs: the swept key, which is the table's first column, and who played."""
    return {"keys": [table.columns[0]], "title": f"{facts['who']} {ground(facts['settings'])}"}


def _caveats(folder: Path, facts: Facts) -> list[str]:
    table = tables.read(folder / "sweep.csv")
    return sweep.caveats_of(table, [str(table.columns[0])], tables.read(folder / "games.parquet"))


def _notes(folder: Path, facts: Facts) -> list[str]:
    table = tables.read(folder / "sweep.csv")
    return sweep.notes_of(table, [str(table.columns[0])], paired=True)


class UctSweep(Matches, name="uct_sweep"):
    """A player with each value of one parameter against one opponent; `games` is the number of games of each value."""

    summary: ClassVar[str | None] = "sweep.csv"

    player: dict[str, Any] = group(SWEPT)
    opponent: PlayerSpec = group(PLAYER)
    parameter: str = setting("c", help=f"of the player, or {SETTINGS}: several parameters at once")
    values: list[Any] = setting([0.1, 0.25, 0.5, 0.7, 1.0, 1.4, 2.0], check=different_values, help="to be compared")

    paired = True
    figures = (
        Figure(
            "score",
            sweep_figures.TABLE,
            lambda table, figure, facts: sweep_figures.draw(table, figure, _keys_and_title(table, facts)),
            size=lambda table, facts: sweep_figures.size_of(table, _keys_and_title(table, facts)),
            panels=True,
        ),
    )
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
        return [labelled_apart((player, self.opponent)) for player in self.players]

    @property
    def who(self) -> str:
        name = common_name([player.name for player in self.players])
        return (
            f"{name} with {self._key}={','.join(map(value_text, self.values))} against {self.opponent.name_with_budget}"
        )

    @property
    def _key(self) -> str:
        return f"player.{self.parameter}"

    def prepare(self) -> None:
        check_programs({"player": self.players[0], "opponent": self.opponent}, "play every game of a sweep")
        super().prepare()

    def tables(self, folder: Path) -> dict[str, Any]:
        player = shared_label(spec.name_with_budget for spec in self.players)
        return super().tables(folder) | {"who": f"{player} against {shared_label([self.opponent.name_with_budget])}"}

    def write_results(self, games: pd.DataFrame, folder: Path) -> None:
        each = self.games
        settings = [
            Setting(
                {self._key: value if isinstance(value, int | float) else value_text(value)},
                games.iloc[index * each : (index + 1) * each].assign(game=range(each)),
            )
            for index, value in enumerate(self.values)
        ]
        write_sweep(sweep_table(settings), [self._key], folder)
