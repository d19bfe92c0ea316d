"""What every command computes anew is the same for all: in a process of tests it is computed once.

It is what Hydra makes of the words that choose members of groups, without the values that other words set, and what a
manifest says of the machine. A command in a process of its own, of which some tests start a few, takes none of this.
"""

from __future__ import annotations

import copy
import dataclasses
import functools
import io
import sys
from typing import Any

import omegaconf._utils
import omegaconf.base
import pytest
from hydra._internal import config_loader_impl
from hydra._internal.config_loader_impl import ConfigLoaderImpl
from hydra._internal.config_repository import IConfigRepository
from hydra._internal.defaults_list import DefaultsList, Overrides
from hydra._internal.hydra import Hydra
from hydra.core.config_store import ConfigStore
from hydra.core.override_parser.types import Override
from omegaconf import DictConfig, ListConfig, Node, OmegaConf, UnionNode, ValueNode

from experiments.engine import manifest

_load, _store, _mode = OmegaConf.load, ConfigStore.store, Hydra.get_mode
_list, _compose = config_loader_impl.create_defaults_list, ConfigLoaderImpl._compose_config_from_defaults_list
_parse = functools.cache(omegaconf.base.parse)
_machine = functools.cache(manifest._machine)
_files: dict[str, Any] = {}
_nodes: dict[tuple[str | None, str], Any] = {}
_lists: dict[Any, DefaultsList] = {}  # by the members that are chosen
_composed: dict[int, DictConfig] = {}  # by the identity of their defaults, which _lists keeps alive


def _load_once(file: Any) -> Any:
    """Read a YAML text once; each caller has a copy."""
    if not hasattr(file, "read"):
        return _load(file)
    text = file.read()
    if text not in _files:
        _files[text] = _load(io.StringIO(text))
    return copy.deepcopy(_files[text])


def _store_once(itself: ConfigStore, name: str, node: Any, group: str | None = None, **more: Any) -> None:
    """Store a node that has not been stored yet, or differs from what was."""
    if (group, name) not in _nodes or _nodes[group, name] != node:
        _store(itself, name, node, group, **more)
        _lists.clear()
        _composed.clear()
        _nodes[group, name] = copy.deepcopy(node)


def _mode_of_words(hydra: Hydra, config_name: str | None, overrides: list[str]) -> Any:
    """Return what Hydra composes the whole configuration for: its mode, which only `hydra.mode=` can set here."""
    return _mode(hydra, config_name, overrides) if any("hydra.mode" in word for word in overrides) else None


def _list_once(
    repo: IConfigRepository, config_name: str | None, overrides_list: list[Override], **more: Any
) -> DefaultsList:
    """List what a choice of members consists of; a new list of the values that other words set comes with it."""
    own = Overrides(repo, overrides_list)
    places = tuple(f"{source.scheme()}{source.path}" for source in repo.get_sources())
    if own.append_group_defaults or own.deletions or any(place.startswith("file") for place in places):
        return _list(repo, config_name, overrides_list, **more)
    key = repr((config_name, places, own.override_choices, more))
    if key not in _lists:
        _lists[key] = _list(repo, config_name, overrides_list, **more)
    return dataclasses.replace(_lists[key], config_overrides=own.config_overrides)


def _compose_once(loader: ConfigLoaderImpl, defaults: list[Any], repo: IConfigRepository) -> DictConfig:
    """Compose the members of a list; each caller has a copy."""
    if not any(one.defaults is defaults for one in _lists.values()):
        return _compose(loader, defaults, repo)
    if id(defaults) not in _composed:
        _composed[id(defaults)] = _compose(loader, defaults, repo)
    return copy.deepcopy(_composed[id(defaults)])


def _copied(node: Any, memo: Any = None) -> Any:
    """Copy a node of OmegaConf with what it holds, several times as fast as OmegaConf itself."""
    held, described = node.__dict__, node.__dict__["_metadata"].__dict__
    copied, metadata = object.__new__(type(node)), object.__new__(type(held["_metadata"]))
    metadata.__dict__.update(described, flags=dict(described["flags"]))
    metadata.__dict__["resolver_cache"] = copy.deepcopy(described["resolver_cache"])
    copied.__dict__.update(held, _metadata=metadata, _flags_cache=None)
    inside = held.get("_content")
    if isinstance(inside, dict):
        inside = {key: _copied(one) for key, one in inside.items()}
    elif isinstance(inside, list):
        inside = [_copied(one) for one in inside]
    elif isinstance(inside, Node):
        inside = _copied(inside)
    for one in inside.values() if isinstance(inside, dict) else inside if isinstance(inside, list) else [inside]:
        if isinstance(one, Node):
            one.__dict__["_parent"] = copied
    if "_content" in held:
        copied.__dict__["_content"] = inside
    return copied


def _machine_now() -> dict[str, Any]:
    """Return what a manifest says of the machine, with the command of now."""
    return {**_machine(), "command": manifest.command(sys.argv)}


def remember(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make Hydra and the manifest remember until the test ends."""
    monkeypatch.setattr(OmegaConf, "load", _load_once)
    monkeypatch.setattr(ConfigStore, "store", _store_once)
    monkeypatch.setattr(Hydra, "get_mode", _mode_of_words)
    monkeypatch.setattr(config_loader_impl, "create_defaults_list", _list_once)
    monkeypatch.setattr(ConfigLoaderImpl, "_compose_config_from_defaults_list", _compose_once)
    for kind in (DictConfig, ListConfig, UnionNode, *ValueNode.__subclasses__()):
        monkeypatch.setattr(kind, "__deepcopy__", _copied)
    monkeypatch.setattr(manifest, "_machine", _machine_now)
    monkeypatch.setattr(omegaconf.base, "parse", _parse)
    monkeypatch.setattr(omegaconf._utils, "parse", _parse)
