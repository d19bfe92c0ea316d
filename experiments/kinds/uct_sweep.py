"""A parameter of a player, or whole settings, swept in one command: the games of a sweep of matches, in one run."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from experiments.engine.experiment import group
from experiments.engine.sweep.quantity_figures import figures_of
from experiments.engine.sweep.table import TABLE, value_text
from experiments.games import match_sweep
from experiments.games.anytime import ANYTIME
from experiments.games.matches import AnyGame
from experiments.games.playing import Pair, labelled_apart
from experiments.games.results import ground
from experiments.games.score_sheets import REPLAY
from experiments.players.labels import shared_label
from experiments.players.specs import PLAYER, PlayerSpec, check_programs
from experiments.players.swept import SETTINGS, SWEPT, different_values, with_values
from numerics.output import tables
from numerics.output.figures import Facts
from numerics.parameters import parameter as setting

if TYPE_CHECKING:
    import pandas as pd


class UctSweep(AnyGame, name="uct_sweep"):
    """A player with each value of one parameter against one opponent; `games` is the number of games of each value."""

    summary: ClassVar[str | None] = TABLE

    player: dict[str, Any] = group(SWEPT)
    opponent: PlayerSpec = group(PLAYER)
    parameter: str = setting("c", help=f"parameter of the player; {SETTINGS}: several parameters at once")
    values: list[Any] = setting([0.1, 0.25, 0.5, 0.7, 1.0, 1.4, 2.0], check=different_values, help="values to compare")

    paired = True
    figures = figures_of(match_sweep.SWEEP)
    sheets = (*match_sweep.SWEEP.sheets, ANYTIME)
    caveats = staticmethod(match_sweep.caveats)
    notes = staticmethod(match_sweep.notes)
    hint = REPLAY

    @classmethod
    def draw(cls, folder: Path, facts: Facts, **options: Any) -> list[Path]:
        title = f"{facts['who']} {ground(facts['settings'])}"
        return super().draw(folder, {**facts, "keys": facts["varied"], "title": title}, **options)

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
        values = ",".join(map(value_text, self.values))
        player = shared_label(player.name for player in self.players)
        return f"{player} with {self._key}={values} against {self.opponent.name_with_budget}"

    @property
    def _key(self) -> str:
        return f"player.{self.parameter}"

    def prepare(self) -> None:
        check_programs({"player": self.players[0], "opponent": self.opponent}, "play every game of a sweep")
        super().prepare()

    def tables(self, folder: Path) -> dict[str, Any]:
        player = shared_label(spec.name_with_budget for spec in self.players)
        who = f"{player} against {shared_label([self.opponent.name_with_budget])}"
        return super().tables(folder) | {"who": who, "varied": [self._key]}

    def write_results(self, games: pd.DataFrame, folder: Path) -> None:
        values = [value if isinstance(value, int | float) else value_text(value) for value in self.values]
        parts = [part for _, part in games.groupby("player1", sort=False)]
        table = match_sweep.compare([({self._key: value}, part) for value, part in zip(values, parts, strict=True)])
        tables.write(table, folder / TABLE)
        match_sweep.write_doublings(table, [self._key], folder)
