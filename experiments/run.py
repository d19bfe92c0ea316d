"""`python -m experiments.run`: one run or a sweep, from a configuration to a folder with tables and figures."""

from __future__ import annotations

import contextlib
import dataclasses
import gc
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from experiments.failures import SaidAlready, guarded, leave, locate, removed, unknown, unreadable
from experiments.interrupts import raise_lost

if TYPE_CHECKING:
    from omegaconf import DictConfig

_GROUPS = {"bandit": "ucb", "arms": "two_close", "executor": "serial", "experiment": "regret"}
_MOST_DIGITS = 300  # more are no float


def _check_keys(config: DictConfig, overrides: Sequence[str]) -> None:
    """Refuse keys that were taken away, another kind than that of the keys, and unknown keys."""
    from omegaconf import OmegaConf

    from experiments.schema import EXPERIMENTS

    for override in overrides:
        if override.startswith("~") and (key := override[1:].partition("=")[0]) not in config:
            raise ValueError(removed(key, override))
    kind = config["kind"]
    keys = {one.name for one in dataclasses.fields(EXPERIMENTS[kind])} if kind in EXPERIMENTS else {""}
    if not keys <= set(config):
        raise ValueError(f"kind must stay as its experiment says; choose another with experiment=NAME; got {kind!r}")
    _check_unknown(config, EXPERIMENTS[kind], "")
    for name in keys:
        if not OmegaConf.is_missing(config, name) and dataclasses.is_dataclass(
            node := OmegaConf.get_type(config, name)
        ):
            _check_unknown(config[name], node, name)


def _check_unknown(given: DictConfig, node: Any, place: str) -> None:
    """Refuse what `+` or `++` added to a node beside the keys that it has."""
    known = [one.name for one in dataclasses.fields(node)]
    for key in map(str, given):
        if key not in known:
            raise ValueError(unknown(f"{place}.{key}" if place else key, known))


def _check_options() -> None:
    """Refuse, in a sentence, options that Hydra does not know, and overrides that an option separates.

    Raises
    ------
    ValueError
        What argparse would say below a usage of seven lines.
    """
    from hydra._internal.utils import get_args_parser

    def refuse(message: str) -> NoReturn:
        raise ValueError(f"{message.removeprefix('argument ')}; see python -m experiments.run --help")

    parser = get_args_parser()
    parser.error = refuse  # type: ignore[method-assign]
    known, others = parser.parse_known_args()
    for override in known.overrides:
        if override.startswith("="):
            raise ValueError(unreadable(override))
        key, _, value = override.partition("=")
        if key in _GROUPS and value.startswith("["):
            raise ValueError(
                f"{key} must be one name, such as {key}={_GROUPS[key]}; got {value} (several: -m {key}=a,b runs each)"
            )
        if digits := re.search(rf"\d{{{_MOST_DIGITS + 1},}}", value):
            count = len(digits[0])
            raise ValueError(f"{key} must be a number of at most {_MOST_DIGITS} digits; got {count}, {value[:20]}...")
    for word in others:
        if word.startswith("-"):
            raise ValueError(f"{word} is no option; options are -m for a sweep and those of --help")
        raise ValueError(f"{word} stands behind an option; options such as -m come before all overrides")


def _task(config: DictConfig) -> Exception | None:
    """Run one configuration; Hydra would print a preface to an exception, so that it is handed back instead."""
    from hydra.core.hydra_config import HydraConfig
    from hydra.types import RunMode
    from omegaconf import OmegaConf

    from experiments import sweep

    job = HydraConfig.get()
    folder = Path(job.runtime.output_dir)
    new = sweep.outcome.new if job.mode == RunMode.RUN else [folder]
    try:
        from experiments import kinds, report  # here, so that Ctrl-C while these load leaves no folder either

        raise_lost()
        overrides: Any = OmegaConf.to_container(job.overrides.task)  # as they were written
        _check_keys(config, overrides)
        values: Any = OmegaConf.to_container(config, resolve=True, throw_on_missing=True)
        with report.muted() if job.mode == RunMode.MULTIRUN else contextlib.nullcontext():
            kinds.runner(values["kind"])(values, folder)
    except KeyboardInterrupt:
        if _is_left_empty(folder, new) and job.mode == RunMode.RUN:
            raise
        place = f"run.dir={folder}" if job.mode == RunMode.RUN else f"sweep.dir={folder.parent}"
        raise KeyboardInterrupt(f"hydra.{place}") from None
    except Exception as error:
        locate(error, str(folder))
        sweep.outcome.error = error
        _is_left_empty(folder, new)
        return error
    return None


def _is_left_empty(folder: Path, new: Sequence[Path]) -> bool:
    """Tell whether a run ended before any work; then what Hydra made for it goes, and what was there before stays."""
    from experiments.store import remove_empty

    try:
        if any(folder.iterdir()):
            return False
    except OSError:
        return False
    remove_empty(new)
    return True


def main() -> None:
    """Run what the command line says; a failed combination of a sweep, already reported, still fails the command.

    All that takes time to import is imported here, so that Ctrl-C is a sentence from the first moment.
    """
    gc.set_threshold(100_000)  # what is imported stays: looking through it for garbage took a twentieth of a short run
    import hydra

    from experiments import schema, sweep

    os.environ["HYDRA_FULL_ERROR"] = "1"  # exceptions come to us, who make a sentence of them
    sweep.outcome.reset()
    _check_options()
    schema.register()
    hydra.main(version_base="1.3", config_path="pkg://configs", config_name="config")(_task)()
    sweep.outcome.raise_errors(SaidAlready)


if __name__ == "__main__":
    leave(guarded(main))
