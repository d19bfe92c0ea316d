"""What Hydra computes anew for every command is the same for all: in a process of tests it is computed once.

A command in a process of its own, of which some tests start a few, takes none of this.
"""

from __future__ import annotations

import copy
import functools
import io
from typing import Any

import omegaconf._utils
import omegaconf.base
import pytest
from hydra._internal.hydra import Hydra
from hydra.core.config_store import ConfigStore
from omegaconf import OmegaConf

_load, _store, _mode = OmegaConf.load, ConfigStore.store, Hydra.get_mode
_parse = functools.cache(omegaconf.base.parse)
_files: dict[str, Any] = {}
_nodes: dict[tuple[str | None, str], Any] = {}


def _load_once(file: Any) -> Any:
    """Read a YAML text once; each caller has a copy."""
    if not hasattr(file, "read"):
        return _load(file)
    text = file.read()
    if text not in _files:
        _files[text] = _load(io.StringIO(text))
    return copy.deepcopy(_files[text])


def _store_once(store: ConfigStore, name: str, node: Any, group: str | None = None, **more: Any) -> None:
    """Store a node that has not been stored yet, or differs from what was."""
    if (group, name) not in _nodes or _nodes[group, name] != node:
        _store(store, name, node, group, **more)
        _nodes[group, name] = copy.deepcopy(node)


def _mode_of_words(hydra: Hydra, config_name: str | None, overrides: list[str]) -> Any:
    """Return what Hydra composes the whole configuration for: its mode, which only `hydra.mode=` can set here."""
    return _mode(hydra, config_name, overrides) if any("hydra.mode" in word for word in overrides) else None


def remember(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make Hydra remember until the test ends."""
    monkeypatch.setattr(OmegaConf, "load", _load_once)
    monkeypatch.setattr(ConfigStore, "store", _store_once)
    monkeypatch.setattr(Hydra, "get_mode", _mode_of_words)
    monkeypatch.setattr(omegaconf.base, "parse", _parse)
    monkeypatch.setattr(omegaconf._utils, "parse", _parse)
