"""The presets: the files of `configs/`. A command chooses them by name, and each holds every key and its default."""

from __future__ import annotations

import functools
import importlib.resources
from typing import Any

OF_PLAYERS = ("player1", "player2", "opponent")  # groups with the names of configs/player


@functools.cache
def presets(group: str) -> list[str]:
    """Return the names of a group.

    Examples
    --------
    >>> presets("executor")
    ['auto', 'dask', 'processes', 'serial', 'slice', 'threads']
    >>> presets("player1") == presets("player")
    True
    """
    files = importlib.resources.files("configs").joinpath("player" if group in OF_PLAYERS else group).iterdir()
    return sorted(file.name.removesuffix(".yaml") for file in files if file.name.endswith(".yaml"))


def text_of(group: str, name: str) -> str:
    """Return the text of a preset, whose comments say what it is."""
    return importlib.resources.files("configs").joinpath(group, f"{name}.yaml").read_text(encoding="utf-8")


def preset(group: str, name: str) -> dict[str, Any]:
    """Return the keys of a preset and their values; `defaults` are the presets of its groups.

    Examples
    --------
    >>> preset("bandit", "ucb")["c"]
    1.4142135623730951
    """
    from omegaconf import OmegaConf

    values: Any = OmegaConf.to_container(OmegaConf.create(text_of(group, name)))
    return dict(values)
