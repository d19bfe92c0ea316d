"""`python -m experiments.run`: one run or a sweep, from a configuration to a folder with tables and figures."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments.engine.errors import guarded, leave, locate
from numerics.output.progress import doing

if TYPE_CHECKING:
    from omegaconf import DictConfig


def _attempt(config: DictConfig) -> Iterator[Exception | None]:
    """Run one configuration: yield None when its tasks have begun, and in the end what went wrong, or None.

    Nothing is raised but Ctrl-C, because Hydra would print a preface to an exception.
    """
    from hydra.core.hydra_config import HydraConfig
    from hydra.types import RunMode
    from omegaconf import OmegaConf

    from experiments.engine import runs
    from experiments.engine.configuration import NewFolders, folder_of

    job = HydraConfig.get()
    alone = job.mode == RunMode.RUN
    folder = folder_of(job)
    new = NewFolders.planned if alone else [folder]
    try:
        values: Any = OmegaConf.to_container(config, resolve=True)
        for _ in runs.start(values, folder, figures=alone):  # those of a sweep show all its runs
            yield None
    except KeyboardInterrupt as stop:
        if _is_left_empty(folder, new) and alone:
            raise
        option = f"run.dir={folder}" if alone else f"sweep.dir={folder.parent}"
        raise type(stop)(f"hydra.{option}") from None
    except Exception as error:
        locate(error, str(folder))
        _is_left_empty(folder, new)
        yield error


def _is_left_empty(folder: Path, new: Sequence[Path]) -> bool:
    """Tell whether a run ended before any work; then what Hydra made for it goes, and what was there before stays."""
    from experiments.engine.store import remove_empty

    with contextlib.suppress(OSError):
        if any(folder.iterdir()):
            return False
        remove_empty(new)
        return True
    return False


def _hide_help_that_is_no_text(_parser: argparse.ArgumentParser, action: argparse.Action) -> None:
    """Leave out of --help what Hydra would make when it is printed: argparse of Python 3.14 refuses it at once."""
    if action.help is not None and not isinstance(action.help, str):
        action.help = argparse.SUPPRESS


def main() -> None:
    """Run what the command line says; a failed combination of a sweep, already reported, still fails the command."""
    with doing("loading the libraries"):
        import hydra
        from hydra.core.hydra_config import HydraConfig
        from hydra.types import RunMode

        from experiments.engine import arguments, configuration, printing

        configuration.register()

    failures: list[Exception] = []

    def task(config: DictConfig) -> tuple[Exception | None, Iterator[Exception | None]]:
        steps = _attempt(config)
        if HydraConfig.get().mode == RunMode.RUN:
            failures.extend(filter(None, steps))
            return None, steps
        with printing.muted():
            return next(steps, None), steps  # the sweeper goes on with it

    os.environ["HYDRA_FULL_ERROR"] = "1"  # exceptions come to us, who make a sentence of them
    sys.argv[1:] = arguments.accepted(sys.argv[1:])
    argparse.ArgumentParser._check_help = _hide_help_that_is_no_text  # type: ignore[attr-defined]
    hydra.main(version_base="1.3", config_path="pkg://configs", config_name="config")(task)()
    if failures:  # of a single run; a sweep has said its own
        raise failures[0]


if __name__ == "__main__":
    leave(guarded(main))
