"""A parameter of a player, or whole settings, swept in one command: the games of a sweep of matches, in one plan."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments.engine import console
from experiments.matches.games import labelled_apart, terms_of
from experiments.matches.match import play_pairs
from experiments.matches.sweep import Setting, common_name, leave_sweep, say_sweep, sweep_table
from experiments.players import PLAYERS
from experiments.players.specs import PlayerSpec, player_spec
from numerics.output import tables

if TYPE_CHECKING:
    import pandas as pd

_NOT_SWEPT = ("seed", "name", "label")
SETTINGS = "settings"  # the parameter whose values are several parameters each, such as {solve: true, c: 0.7}


def run_uct_sweep(config: Mapping[str, Any], folder: Path) -> None:
    """Play a player with each value of a parameter against one opponent, and leave sweep.csv and the figure."""
    key, specs = swept_specs(config)
    opponent = player_spec(config["opponent"], "opponent")
    if opponent.is_human or specs[0].is_human:
        raise ValueError("player and opponent must be programs, which can play every game of a sweep; got 'human'")
    pairs = [labelled_apart((one, opponent)) for one in specs]
    terms = dataclasses.replace(terms_of(config), paired=True)
    names = [common_name([one.name for one in specs]), opponent.name]
    who = f"{names[0]} with {key}={','.join(_text(value) for value in config['values'])} against {names[1]}"

    def leave(games: pd.DataFrame, place: Path) -> None:
        leave_sweep(_settings(games, key, config["values"], terms.games), place)

    games = play_pairs(config, folder, [*specs, opponent], pairs, terms, leave, who)
    settings = _settings(games, key, config["values"], terms.games)
    say_sweep(settings, sweep_table(settings), names)
    console.say_places(folder)
    console.say(f"a game move by move: python -m experiments.replay {folder} game=0")


def swept_specs(config: Mapping[str, Any]) -> tuple[str, list[PlayerSpec]]:
    """Return the key that is swept, such as "player.c", and the player with each of its values.

    Raises
    ------
    ValueError
        No such parameter, no values, a value twice, or one that the player refuses.
    """
    node, parameter, values = dict(config["player"]), config["parameter"], config["values"]
    if not isinstance(values, list):
        raise ValueError(f"values must be a list, such as [0.5,1]; got {values!r}")
    kind = str(node["name"])
    allowed = [one.name for one in dataclasses.fields(PLAYERS[kind]) if one.name not in _NOT_SWEPT]
    if parameter not in [*allowed, SETTINGS]:
        known = ", ".join(allowed) or "which has none"
        raise ValueError(f"parameter must be {SETTINGS} or one of {kind}'s, {known}; got {parameter!r}")
    if parameter == SETTINGS:
        for value in values:
            if not isinstance(value, Mapping) or not set(value) <= set(allowed):
                raise ValueError(
                    f"values must hold settings of {kind} such as {{{allowed[0]}: ...}}, of {', '.join(allowed)}; "
                    f"got {_text(value)}"
                )
    texts = [_text(value) for value in values]
    if len(texts) < 2 or len(set(texts)) < len(texts):
        raise ValueError(f"values must hold at least 2 different ones, such as [0.5,1,2]; got [{','.join(texts)}]")
    specs = []
    for value, text in zip(values, texts, strict=True):
        own = value if parameter == SETTINGS else {parameter: value}
        label = f"{node.get('label') or kind} {parameter}={text}"
        specs.append(player_spec({**node, **own, "label": label}, "player"))
    return f"player.{parameter}", specs


def draw_uct_sweep(folder: Path) -> list[Path]:
    """Draw the figure of a finished sweep again from its games."""
    from omegaconf import OmegaConf

    from numerics.output.style import files

    config: Any = OmegaConf.to_container(OmegaConf.load(folder / "config.yaml"))
    games = tables.read(folder / "games.parquet")
    leave_sweep(_settings(games, f"player.{config['parameter']}", config["values"], config["games"]), folder)
    return files(folder / "figures" / "score")


def _settings(games: pd.DataFrame, key: str, values: list[Any], each: int) -> list[Setting]:
    """Return the games of each value, numbered from 0: those of the values follow one another."""
    parts = [games.iloc[place * each : (place + 1) * each] for place in range(len(values))]
    return [
        Setting({key: value if isinstance(value, int | float) else _text(value)}, own.assign(game=range(each)))
        for value, own in zip(values, parts, strict=True)
    ]


def _text(value: Any) -> str:
    """Write a value as the command line does."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{name}: {_text(own)}" for name, own in value.items()) + "}"
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) else str(value)
