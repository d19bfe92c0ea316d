"""The configuration of Hydra besides the files of `configs/`."""

from __future__ import annotations

import argparse
import sys
import textwrap
from pathlib import Path
from typing import Any, ClassVar

from hydra.core.config_store import ConfigStore
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import ValueType
from hydra.experimental.callback import Callback
from omegaconf import DictConfig, OmegaConf

from experiments.engine.presets import OF_PLAYERS, presets
from numerics.exits import MISTAKE, say


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


def shown_value(word: str) -> str:
    """Return the value of a word KEY=VALUE as tables show it: a text without quotes, a number with 12 digits.

    Examples
    --------
    >>> shown_value("c=1e-1"), shown_value("rule='a b'"), shown_value("bandits=[ucb,ts]")
    ('0.1', 'a b', '[ucb,ts]')
    """
    value = OverridesParser.create().parse_override(word).value()
    if isinstance(value, float):
        return f"{value:.12g}"
    return value if isinstance(value, str) else word.partition("=")[2]


class SweepFolder(Callback):
    """Stores the folder of a finished sweep, whose runs are then combined; refuses a value that is given twice."""

    path: ClassVar[Path | None] = None

    def on_multirun_start(self, config: DictConfig, **kwargs: Any) -> None:
        """Leave with a sentence where two runs would be one row of the table; Hydra keeps exceptions to itself."""
        for word in OverridesParser.create().parse_overrides(list(config.hydra.overrides.task)):
            if word.is_choice_sweep() and word.value_type != ValueType.GLOB_CHOICE_SWEEP:
                key = word.get_key_element()
                values = [shown_value(f"{key}={value}") for value in word.sweep_string_iterator()]
                if twice := [value for value in values if values.count(value) > 1]:
                    say(f"{key.lstrip('+')} must have different values in a sweep; got {twice[0]} more than once")
                    raise SystemExit(MISTAKE)

    def on_multirun_end(self, config: DictConfig, **kwargs: Any) -> None:
        """Note the folder."""
        SweepFolder.path = Path(config.hydra.sweep.dir)
