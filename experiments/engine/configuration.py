"""What Hydra is given: nodes made from the declarations; untyped, for a value is checked where its range stands."""

from __future__ import annotations

import functools
import importlib.resources
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

from hydra.core.config_store import ConfigStore
from hydra.core.hydra_config import HydraConfig
from hydra.experimental.callback import Callback
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException

from experiments.engine.experiment import Choice, experiments, node_of
from experiments.engine.families import ARMS, PLAYER
from experiments.engine.store import absent


def register() -> None:
    """Tell Hydra every node; safe to call twice."""
    # The store is one for the whole process and copies what it hands out. Hydra copies it whole all the same, a hundred
    # times for --help, which took two of two and a half seconds.
    ConfigStore.__deepcopy__ = lambda itself, _: itself  # type: ignore[attr-defined]
    OmegaConf.clear_resolver("oc.deprecated")  # whose purpose is a warning
    OmegaConf.register_new_resolver("names", _names, replace=True)  # which --help asks for
    store = ConfigStore.instance()
    for group, family in _stored_groups():
        for name in family.family.members:
            store.store(group=group, name=name, node=family.node(name))
    for name, cls in experiments().items():
        store.store(group="schema", name=name, node=node_of(cls), package="_global_")


def _stored_groups() -> Iterator[tuple[str, Choice]]:
    """Yield the groups whose members are no files of their own in `configs`."""
    yield "schema/arms", ARMS
    for group in ("player1", "player2", "opponent"):  # the group player is configs/player
        yield group, PLAYER


def _names() -> str:
    """Return the names of every group, as --help has them; four groups take players."""
    players, others = [group for group, family in _stored_groups() if family is PLAYER], groups()
    shown = {name: others[name] for name in ("experiment", "bandit", "arms", "executor")}
    shown |= {players[0]: [*others[players[0]], f"and the same for {', '.join(players[1:])} and player"]}
    return "\n".join(
        textwrap.fill(", ".join(names), 80, initial_indent=f"{group:12}", subsequent_indent=12 * " ")
        for group, names in shown.items()
    )


@functools.cache
def default_experiment() -> str:
    """Return the experiment of a command that names none, as configs/config.yaml has it."""
    text = importlib.resources.files("configs").joinpath("config.yaml").read_text(encoding="utf-8")
    return next(str(entry["experiment"]) for entry in OmegaConf.create(text).defaults if "experiment" in entry)


@functools.cache
def groups() -> dict[str, list[str]]:
    """Return every group of the command line with its names."""
    names = {group: sorted(family.family.members) for group, family in _stored_groups() if "/" not in group}
    for group in ("arms", "bandit", "executor", "experiment", "player"):
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
