"""`python -m experiments.run`: one run or a sweep, from a configuration to a folder with tables and figures."""

from __future__ import annotations

import functools
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments.engine.errors import MISTAKE, guarded, leave, say, sentence
from numerics.output.progress import show_doing

if TYPE_CHECKING:
    from omegaconf import DictConfig


def _run(config: DictConfig, failures: list[Exception]) -> None:
    """Run one configuration. A refused one leaves no folder; in a sweep, whose other runs go on, it leaves a note.

    The failure of a single run goes into `failures`, because Hydra would print a preface to an exception.
    """
    from hydra.core.hydra_config import HydraConfig
    from hydra.types import RunMode
    from omegaconf import OmegaConf

    from experiments.engine import printing, runs
    from experiments.engine.store import remove_empty
    from experiments.engine.sweep import combine

    hydra = HydraConfig.get()
    runtime: Any = OmegaConf.to_container(hydra.runtime, resolve=False)  # a folder's name may hold ${x}
    folder, alone = Path(runtime["output_dir"]), hydra.mode == RunMode.RUN
    option, refusal = f"hydra.run.dir={folder}" if alone else f"hydra.sweep.dir={hydra.sweep.dir}", None
    named = any(word.startswith(option.partition("=")[0]) for word in hydra.overrides.hydra)
    try:
        values: Any = OmegaConf.to_container(config, resolve=True)
        if alone:
            runs.start(values, folder, named=named)
            return
        printing.say(f"[{hydra.job.num}] {' '.join(hydra.overrides.task)}")
        with printing.mute():
            runs.start(values, folder, named=named, figures=False)  # those of the sweep show all its runs
    except KeyboardInterrupt as stop:
        raise type(stop)("" if remove_empty(folder) and alone else option) from None
    except Exception as error:
        if alone:
            remove_empty(folder)
            failures.append(error)
            return
        refusal = sentence(error)
        if refusal is None:
            raise
        say(f"{' '.join(hydra.overrides.task)}: {refusal}")
    combine.note(folder, hydra, vectors=bool(config.get("vectors")), refusal=refusal)


def main() -> None:
    """Run what the command line says; a combination of a sweep that is refused fails the command at its end."""
    with show_doing("loading the libraries"):
        import hydra

        from experiments.engine import configuration

        configuration.register()
    failures: list[Exception] = []
    configuration.SweepFolder.path = None
    os.environ["HYDRA_FULL_ERROR"] = "1"  # exceptions come to us, who make a sentence of them
    run = functools.partial(_run, failures=failures)
    hydra.main(version_base="1.3", config_path="pkg://configs", config_name="config")(run)()
    if failures:
        raise failures[0]
    if configuration.SweepFolder.path is not None:
        from experiments.engine.sweep import combine

        if not combine.put_together(configuration.SweepFolder.path):
            raise SystemExit(MISTAKE)  # each refusal has been said


if __name__ == "__main__":
    os.environ.setdefault("MPLBACKEND", "agg")  # commands show no window; to look for one loads pyplot
    leave(guarded(main))
