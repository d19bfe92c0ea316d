"""A parameter of a player, or whole settings, swept in one command: the games of a sweep of matches, in one run."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments.engine.experiment import group
from experiments.engine.families import PLAYER
from experiments.games import caveats
from experiments.games.games import Pair, labelled_apart
from experiments.games.settings import Setting, sweep_table, value_text
from experiments.games.sweep import common_name, write_sweep
from experiments.kinds.match.experiment import Matches
from experiments.kinds.uct_sweep import console, figures
from experiments.players import PLAYERS
from experiments.players.specs import PlayerSpec
from numerics import parameters
from numerics.parameters import did_you_mean

if TYPE_CHECKING:
    import pandas as pd

_NOT_SWEPT = ("seed", "name", "label")
SETTINGS = "settings"  # the parameter whose values are several parameters each, such as {solve: true, c: 0.7}
SWEPT = dataclasses.replace(PLAYER, is_raw=True)  # made with each value


def different_values(name: str, values: Any) -> list[Any]:
    """Refuse what is no list of at least two different values."""
    if not isinstance(values, list):
        raise ValueError(f"{name} must be a list, such as [0.5,1]; got {values!r}")
    texts = [value_text(value) for value in values]
    if len(texts) < 2 or len(set(texts)) < len(texts):
        raise ValueError(f"{name} must hold at least 2 different ones, such as [0.5,1,2]; got [{','.join(texts)}]")
    return values


def with_values(player: Mapping[str, Any], swept: str, values: Sequence[Any]) -> list[PlayerSpec]:
    """Return the player of a node with each value of a parameter, or with several parameters each.

    Raises
    ------
    ValueError
        No parameter of the player, or a value out of its range.
    """
    kind = str(player["name"])
    allowed = [one.name for one in dataclasses.fields(PLAYERS.members[kind]) if one.name not in _NOT_SWEPT]
    if not allowed or swept not in (*allowed, SETTINGS):
        known = ", ".join(allowed) or "which has none"
        raise ValueError(
            f"parameter must be {SETTINGS} or one of {kind}'s, {known}; got {swept!r}{did_you_mean(swept, allowed)}"
        )
    specs = []
    for value in values:
        own = value if swept == SETTINGS else {swept: value}
        if not isinstance(own, Mapping) or not set(own) <= set(allowed):
            raise ValueError(
                f"values must hold settings of {kind} such as {{{allowed[0]}: ...}}, of {', '.join(allowed)}; "
                f"got {value_text(value)}"
            )
        label = f"{player.get('label') or kind} {swept}={value_text(value)}"
        specs.append(PLAYER.build({**player, **own, "label": label}, "player"))
    return specs


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
    figures = staticmethod(figures.draw)
    caveats = staticmethod(caveats.of_games)
    console = staticmethod(console.say_results)

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
