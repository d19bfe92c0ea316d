"""A player as text, such as "uct c=0.7 simulations=2000", and parameters by their names."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Mapping, Sequence
from typing import Any

from omegaconf import OmegaConf

from experiments.players import make_player
from numerics.checks import under
from numerics.players import Player

_WORD = re.compile(r"(?:[^\s{\[\"']|\{[^}]*\}|\[[^\]]*\]|\"[^\"]*\"|'[^']*')+")  # blanks in brackets are part of it


def named(parameters: Sequence[str]) -> dict[str, Any]:
    """Return the parameters that are given by their names, with values as in a configuration.

    Examples
    --------
    >>> named(["depth=5", "heuristic=lines"])
    {'depth': 5, 'heuristic': 'lines'}
    """
    for word in parameters:
        if "=" not in word.strip("="):
            raise ValueError(f"parameters must be given as NAME=VALUE, such as depth=5; got {word!r}")
    try:
        values: Any = OmegaConf.to_container(OmegaConf.from_dotlist(list(parameters)))
    except Exception:  # of the parser of YAML, which has several
        given = " ".join(parameters)
        raise ValueError(f"parameters must have values as in a configuration, such as depth=5; got {given!r}") from None
    return dict(values)


def player_node(text: str, key: str = "player") -> dict[str, Any]:
    """Return the name and the parameters that a player's text has.

    Examples
    --------
    >>> player_node("uct policy={name: ucb, c: 0.7} simulations=100")
    {'name': 'uct', 'policy': {'name': 'ucb', 'c': 0.7}, 'simulations': 100}
    """
    name, *words = _WORD.findall(text) or [""]
    try:
        return {"name": name, **named(words)}
    except ValueError as error:
        raise ValueError(f"{key}: {error}") from None


def player_of(node: Mapping[str, Any], key: str | None = "player") -> Player:
    """Return the player of a node, which is no person; a mistake begins with the key if there is one."""
    if node["name"] == "human":
        raise ValueError(f"{key} must be a program, such as uct; got 'human'")
    with under(key) if key else contextlib.nullcontext():
        return make_player(node["name"], **{name: value for name, value in node.items() if name != "name"})
