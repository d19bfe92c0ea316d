"""`python -m experiments.run`: one run or a sweep, from a configuration to a folder with tables and figures."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import hydra
from hydra.core.hydra_config import HydraConfig
from hydra.types import RunMode
from omegaconf import DictConfig, OmegaConf

from experiments import report, schema, sweep
from experiments.failures import SaidAlready, guarded, leave

Runner = Callable[[Mapping[str, Any], Path], None]


def runner(kind: str) -> Runner:
    """Return the function that runs one kind of experiment; its module is imported only then."""
    if kind in ("regret", "comparison"):
        from experiments import regret

        return {"regret": regret.run_regret, "comparison": regret.run_comparison}[kind]
    if kind == "trace":
        from experiments.trace import run_trace

        return run_trace
    raise ValueError(f"kind must be one of {', '.join(schema.EXPERIMENTS)}; got {kind!r}")


@hydra.main(version_base="1.3", config_path="pkg://configs", config_name="config")
def _task(config: DictConfig) -> Exception | None:
    """Run one configuration; Hydra would print a preface to an exception, so that it is handed back instead."""
    try:
        folder = Path(HydraConfig.get().runtime.output_dir)
        values: Any = OmegaConf.to_container(config, resolve=True, throw_on_missing=True)
        in_sweep = HydraConfig.get().mode == RunMode.MULTIRUN
        with report.muted() if in_sweep else contextlib.nullcontext():
            runner(values["kind"])(values, folder)
    except Exception as error:
        sweep.outcome.error = error
        with contextlib.suppress(OSError):
            folder.rmdir()  # Hydra made it; nothing is in it when the mistake was found before any work
        return error
    return None


def main() -> None:
    """Run what the command line says; a failed combination of a sweep, already reported, still fails the command."""
    os.environ["HYDRA_FULL_ERROR"] = "1"  # exceptions come to us, who make a sentence of them
    sweep.outcome.reset()
    schema.register()
    _task()
    sweep.outcome.raise_errors(SaidAlready)


if __name__ == "__main__":
    leave(guarded(main))
