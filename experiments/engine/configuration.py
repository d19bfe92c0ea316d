"""The nodes that Hydra gets, made from the declarations; untyped, because the class that declares a range checks it."""

from __future__ import annotations

import dataclasses
import functools
import importlib.resources
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

from hydra.core.config_store import ConfigStore
from hydra.core.hydra_config import HydraConfig
from hydra.experimental.callback import Callback
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException

from experiments.engine.experiment import DRAWING, Choice, experiments, node_of
from experiments.engine.families import ARMS, LOG, PLAYER, STOPPING, presets
from experiments.engine.store import absent


def register() -> None:
    """Register every node with Hydra; safe to call twice."""
    # The process has one store, which copies each node that it hands out. Yet Hydra copies the whole store, a hundred
    # times for --help, which took two of two and a half seconds.
    ConfigStore.__deepcopy__ = lambda itself, _: itself  # type: ignore[attr-defined]
    OmegaConf.clear_resolver("oc.deprecated")  # it only warns
    OmegaConf.register_new_resolver("names", _names, replace=True)  # used by --help
    store = ConfigStore.instance()
    for group, family in _stored_groups():
        for name in family.family.members:
            store.store(group=group, name=name, node=family.node(name))
    for name, cls in experiments().items():
        store.store(group="schema", name=name, node=node_of(cls), package="_global_")


def _stored_groups() -> Iterator[tuple[str, Choice]]:
    """Yield the groups whose members have no files in `configs`."""
    yield "schema/arms", ARMS
    yield "stopping", STOPPING
    yield "log", LOG
    for group in ("player1", "player2", "opponent"):  # the group player is configs/player
        yield group, PLAYER


def _names() -> str:
    """Return the names of every group, as --help prints them; four groups take players."""
    players, others = [group for group, family in _stored_groups() if family is PLAYER], groups()
    shown = {name: others[name] for name in ("experiment", "bandit", "arms", "delivery", "executor")}
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
    for group in ("arms", "bandit", "delivery", "executor", "experiment", "player"):
        names[group] = presets(group)
    return names


def completed(before: Sequence[str], last: str) -> list[str]:
    """Return what the last word of a command of `run` may become: names behind a sign =, else keys.

    Parameters
    ----------
    before : sequence of str
        The words before it, such as ["bandit=ucb"].
    last : str
        What is typed of it so far, such as "bandit.".

    Examples
    --------
    >>> completed([], "executor=")
    ['executor=dask', 'executor=processes', 'executor=serial', 'executor=slice', 'executor=threads']
    >>> completed(["bandit=ucb"], "bandit.")
    ['bandit.c=']
    """
    key, equals, typed = last.partition("=")
    if equals:
        done = typed[: typed.rfind(",") + 1]  # of a sweep
        return [f"{key}={done}{name}" for name in groups().get(key, ())]
    chosen = dict(word.split("=", 1) for word in before if "=" in word)
    cls = experiments().get(chosen.get("experiment", default_experiment()))
    if cls is None:
        return ["experiment="]
    fields = {field.name: field.metadata.get("group") for field in dataclasses.fields(cls)}
    group, dot, _ = key.partition(".")
    if not dot:
        return [f"{name}=" for name in ("experiment", *fields, *DRAWING)]
    choice: Choice | None = fields.get(group)
    if choice is None or chosen.get(group) not in choice.family.members:
        return []
    return [f"{group}.{field.name}=" for field in choice.parameters(chosen[group])]


def folder_of(hydra: Any) -> Path:
    """Return the folder of a run from the settings of Hydra; a folder's own name may hold signs such as ${x}."""
    runtime: Any = OmegaConf.to_container(hydra.runtime, resolve=False)
    return Path(runtime["output_dir"])


class NewFolders(Callback):
    """Before a run, note the folders that Hydra is about to create for it, to remove them if the run is refused."""

    planned: ClassVar[list[Path]] = []

    def on_run_start(self, config: DictConfig, **kwargs: Any) -> None:
        """Note the folders; Hydra does not yet know the names that their paths refer to."""
        hydra: Any = HydraConfig.instance()
        before, hydra.cfg = hydra.cfg, config
        try:
            NewFolders.planned = absent(Path(config.hydra.run.dir))
        except OmegaConfBaseException:  # the run will meet it too, and report it
            NewFolders.planned = []
        finally:
            hydra.cfg = before
