"""The configuration of Hydra besides the files of `configs/`."""

from __future__ import annotations

import argparse
import sys
import textwrap
from pathlib import Path
from typing import Any, ClassVar

from hydra.core.config_store import ConfigStore
from hydra.experimental.callback import Callback
from omegaconf import DictConfig, OmegaConf

from experiments.engine.presets import OF_PLAYERS, presets


def register() -> None:
    """Give the groups that take a player its names; safe to call twice."""
    OmegaConf.register_new_resolver("names", _names, replace=True)  # used by --help
    store = ConfigStore.instance()
    # For --help Hydra copies every node a hundred times, half a second; that of the default experiment needs none.
    for group in () if sys.argv[1:] in (["--help"], ["-h"]) else OF_PLAYERS:
        for name in presets(group):
            store.store(group=group, name=name, node={"defaults": [f"/player/{name}@_here_"]})
    argparse.ArgumentParser._check_help = _hide_help_that_is_no_text  # type: ignore[attr-defined]


def _hide_help_that_is_no_text(_parser: argparse.ArgumentParser, action: argparse.Action) -> None:
    """Leave out of --help what Hydra would make when it is printed.

    Python 3.14 looks at the text of every option at once: https://github.com/facebookresearch/hydra/issues/3121.
    """
    if action.help is not None and not isinstance(action.help, str):
        action.help = argparse.SUPPRESS


def _names() -> str:
    """Return the names of every group, as --help prints them."""
    groups = ("experiment", "bandit", "arms", "delivery", "game", "process", "executor")
    shown = {group: presets(group) for group in groups}
    shown["player1"] = [*presets("player"), f"and the same names for {', '.join(OF_PLAYERS[1:])} and player"]
    return "\n".join(
        textwrap.fill(", ".join(names), 80, initial_indent=f"{group:12}", subsequent_indent=12 * " ")
        for group, names in shown.items()
    )


class SweepFolder(Callback):
    """Stores the folder of a finished sweep, whose runs are then combined."""

    path: ClassVar[Path | None] = None

    def on_multirun_end(self, config: DictConfig, **kwargs: Any) -> None:
        """Note the folder."""
        SweepFolder.path = Path(config.hydra.sweep.dir)
