"""`python -m experiments.run`: one run or a sweep, from a configuration to a folder with tables and figures."""

from __future__ import annotations

import contextlib
import dataclasses
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments.failures import SaidAlready, guarded, leave

if TYPE_CHECKING:
    from omegaconf import DictConfig


def _check_kind(values: Mapping[str, Any]) -> None:
    """Refuse a kind that was overridden to one whose keys are not there."""
    from experiments.schema import EXPERIMENTS

    kind = values["kind"]
    keys = {one.name for one in dataclasses.fields(EXPERIMENTS[kind])} if kind in EXPERIMENTS else {""}
    if not keys <= set(values):
        raise ValueError(f"kind must stay as its experiment says; choose another with experiment=NAME; got {kind!r}")


def _task(config: DictConfig) -> Exception | None:
    """Run one configuration; Hydra would print a preface to an exception, so that it is handed back instead."""
    from hydra.core.hydra_config import HydraConfig
    from hydra.types import RunMode
    from omegaconf import OmegaConf

    from experiments import kinds, report, sweep

    job = HydraConfig.get()
    folder = Path(job.runtime.output_dir)
    try:
        values: Any = OmegaConf.to_container(config, resolve=True, throw_on_missing=True)
        _check_kind(values)
        with report.muted() if job.mode == RunMode.MULTIRUN else contextlib.nullcontext():
            kinds.runner(values["kind"])(values, folder)
    except KeyboardInterrupt:
        place = f"run.dir={folder}" if job.mode == RunMode.RUN else f"sweep.dir={folder.parent}"
        raise KeyboardInterrupt(f"hydra.{place}") from None
    except Exception as error:
        if isinstance(error, OSError) and error.filename is None:
            error.filename = str(folder)
        sweep.outcome.error = error
        with contextlib.suppress(OSError):
            folder.rmdir()  # Hydra made it; nothing is in it when the mistake was found before any work
        return error
    return None


def main() -> None:
    """Run what the command line says; a failed combination of a sweep, already reported, still fails the command.

    All that takes time to import is imported here, so that Ctrl-C is a sentence from the first moment.
    """
    import hydra

    from experiments import schema, sweep

    os.environ["HYDRA_FULL_ERROR"] = "1"  # exceptions come to us, who make a sentence of them
    sweep.outcome.reset()
    schema.register()
    hydra.main(version_base="1.3", config_path="pkg://configs", config_name="config")(_task)()
    sweep.outcome.raise_errors(SaidAlready)


if __name__ == "__main__":
    leave(guarded(main))
