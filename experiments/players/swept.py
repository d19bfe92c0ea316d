"""A player with each value of one of its parameters, or with whole settings."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from experiments.engine.sweep.table import value_text
from experiments.players import PLAYERS
from experiments.players.specs import PLAYER, PlayerSpec
from numerics.parameters import did_you_mean

_NOT_SWEPT = ("seed", "name", "label")
SETTINGS = "settings"  # the parameter whose values are several parameters each, such as {solve: true, c: 0.7}
SWEPT = dataclasses.replace(PLAYER, is_raw=True)  # made with each value


def different_values(name: str, values: Any) -> list[Any]:
    """Refuse anything except a list of at least two different values."""
    if not isinstance(values, list):
        raise ValueError(f"{name} must be a list, such as [0.5,1]; got {values!r}")
    texts = [value_text(value) for value in values]
    if len(texts) < 2 or len(set(texts)) < len(texts):
        raise ValueError(f"{name} must hold at least 2 different values, such as [0.5,1,2]; got [{','.join(texts)}]")
    return values


def with_values(player: Mapping[str, Any], swept: str, values: Sequence[Any]) -> list[PlayerSpec]:
    """Return the player of a node with each value of a parameter, or with several parameters each.

    Raises
    ------
    ValueError
        An unknown parameter, or a value out of its range.
    """
    kind = str(player["name"])
    allowed = [field.name for field in dataclasses.fields(PLAYERS.members[kind]) if field.name not in _NOT_SWEPT]
    if not allowed or swept not in (*allowed, SETTINGS):
        known = ", ".join(allowed) or "(it has none)"
        near = did_you_mean(swept, allowed)
        raise ValueError(
            f"parameter {swept!r} is not a parameter of {kind}{near}; it must be {SETTINGS} or one of {known}"
        )
    specs = []
    for value in values:
        setting = value if swept == SETTINGS else {swept: value}
        if not isinstance(setting, Mapping) or not set(setting) <= set(allowed):
            raise ValueError(
                f"values must hold settings of {kind}, such as {{{allowed[0]}: ...}}, with the keys "
                f"{', '.join(allowed)}; "
                f"got {value_text(value)}"
            )
        label = f"{player.get('label') or kind} {swept}={value_text(value)}"
        specs.append(PLAYER.build({**player, **setting, "label": label}, "player"))
    return specs
