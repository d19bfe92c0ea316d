"""What Hydra is given: nodes made from the declarations; and what it answers badly, refused before it sees it.

Nodes are untyped: a value is checked once, where its range stands.
"""

from __future__ import annotations

import dataclasses
import importlib.resources
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar, NoReturn

from hydra._internal.utils import get_args_parser
from hydra.core.config_store import ConfigStore
from hydra.core.hydra_config import HydraConfig
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Override
from hydra.experimental.callback import Callback
from omegaconf import DictConfig
from omegaconf.errors import OmegaConfBaseException

from experiments.engine import errors
from experiments.engine.experiment import Experiment, Family, experiments, node_of, unknown
from experiments.engine.families import ARMS, PLAYER
from experiments.engine.store import absent
from numerics.parameters import must_be_one_of

_MOST_DIGITS = 300  # more are no float
_DEFAULT = "regret"  # the experiment of a command that names none


def register() -> None:
    """Tell Hydra every node; safe to call twice."""
    # The store is one for the whole process and copies what it hands out. Hydra copies it whole all the same, a hundred
    # times for --help, which took two of two and a half seconds.
    ConfigStore.__deepcopy__ = lambda itself, _: itself  # type: ignore[attr-defined]
    store = ConfigStore.instance()
    for group, family in _stored_groups():
        for name in family.members:
            store.store(group=group, name=name, node=family.node(name))
    for name, cls in experiments().items():
        store.store(group="schema", name=name, node=node_of(cls), package="_global_")


def _stored_groups() -> Iterator[tuple[str, Family]]:
    """Yield the groups whose members are no files of their own in `configs`."""
    yield "schema/arms", ARMS
    for group in ("player1", "player2", "opponent"):  # the group player is configs/player
        yield group, PLAYER


def check_options() -> None:
    """Refuse, in a sentence, options that Hydra does not know, and what it answers badly of overrides.

    Raises
    ------
    ValueError
        What argparse would say below a usage of seven lines, or Hydra in a paragraph or a traceback.
    """

    def refuse(message: str) -> NoReturn:
        raise ValueError(f"{message.removeprefix('argument ')}; see python -m experiments.run --help")

    parser = get_args_parser()
    parser.error = refuse  # type: ignore[method-assign]
    given, others = parser.parse_known_args()
    for word in others:
        if word.startswith("-"):
            raise ValueError(f"{word} is no option; options are -m for a sweep and those of --help")
        raise ValueError(f"{word} stands behind an option; options such as -m come before all overrides")
    for word in given.overrides:
        key, _, value = word.partition("=")
        if not key:
            raise ValueError(errors.unreadable(word))
        if digits := re.search(rf"\d{{{_MOST_DIGITS + 1},}}", value):
            count = len(digits[0])
            raise ValueError(f"{key} must be a number of at most {_MOST_DIGITS} digits; got {count}, {value[:20]}...")
    check_overrides(given.overrides, sweep=given.multirun)


def check_overrides(words: Sequence[str], *, sweep: bool = False) -> None:
    """Refuse what is no name where a group wants one, keys with signs before them, and several values of no sweep."""
    parsed = OverridesParser.create().parse_overrides(list(words))
    chosen = [one for one in parsed if one.key_or_group == "experiment"]
    swept = any(one.is_sweep_override() for one in chosen)
    cls = None if swept else experiments().get(str(chosen[-1].value()) if chosen else _DEFAULT)
    for one in parsed:
        if not one.key_or_group.startswith("hydra."):
            _check_override(one, cls, sweep=sweep)


def _check_override(one: Override, cls: type[Experiment] | None, *, sweep: bool) -> None:
    """Refuse an override; `cls` is the experiment that is chosen, where that is one of ours."""
    key, groups = one.key_or_group, _groups()
    text = str(one.input_line).partition("=")[2]
    if one.is_delete():
        raise ValueError(
            f"{key} cannot be removed; give {key}=VALUE, or leave it out for its default; got {one.input_line!r}"
        )
    if one.is_sweep_override():
        if not sweep:
            raise ValueError(f"{key} has several values, {text}: that is a sweep, which needs -m before the overrides")
        return
    if key == "kind":
        raise ValueError(f"kind must stay as its experiment says; choose another with experiment=NAME; got {text!r}")
    if key in groups and not isinstance(one.value(), str):
        if isinstance(one.value(), list):
            raise ValueError(
                f"{key} must be one name, such as {key}={groups[key][0]}; got {text} (several: -m {key}=a,b runs each)"
            )
        raise ValueError(must_be_one_of(key, None, groups[key]).replace("None", text))
    if cls is None:
        return
    known = [field.name for field in dataclasses.fields(cls)]
    if key in groups and key != "experiment" and key not in known:
        own = [field.name for field in dataclasses.fields(cls) if "group" in field.metadata]
        raise ValueError(
            f"{key} is no group of this experiment, which has {', '.join(own)}; see python -m experiments.run --help"
        )
    if one.is_add() or one.is_force_add():
        if key.partition(".")[0] not in known:
            raise ValueError(unknown(key, known))
        if one.is_add():
            raise ValueError(f"{key} exists already; write {key}=VALUE without the plus sign")


def _groups() -> dict[str, list[str]]:
    """Return every group of the command line with its names."""
    names = {group: sorted(family.members) for group, family in _stored_groups() if "/" not in group}
    for group in ("arms", "bandit", "executor", "experiment"):
        names[group] = presets(group)
    return names


def presets(group: str) -> list[str]:
    """Return the names of the files of a group in `configs`."""
    files = importlib.resources.files("configs").joinpath(group).iterdir()
    return sorted(file.name.removesuffix(".yaml") for file in files if file.name.endswith(".yaml"))


class NewFolders(Callback):
    """Before a run, note which folders Hydra is about to make for it: they go if the run is refused."""

    found: ClassVar[list[Path]] = []

    def on_run_start(self, config: DictConfig, **kwargs: Any) -> None:
        """Note them; Hydra does not yet know the names in them that it is asked for."""
        hydra: Any = HydraConfig.instance()
        before, hydra.cfg = hydra.cfg, config
        try:
            NewFolders.found = absent(Path(config.hydra.run.dir))
        except OmegaConfBaseException:  # which the run itself will meet, and say
            NewFolders.found = []
        finally:
            hydra.cfg = before
