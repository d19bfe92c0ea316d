"""A sweep of runs: what became of each, and, when it ends, their tables and figures put together."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hydra.core.hydra_config import HydraConfig
from hydra.experimental.callback import Callback
from omegaconf import DictConfig
from omegaconf.errors import OmegaConfBaseException

from experiments import kinds
from experiments.failures import locate
from experiments.store import absent, read_config


@dataclass
class Job:
    """One finished combination: its overrides as key and value, in the order of the command line, and its folder."""

    overrides: dict[str, str]
    folder: Path


@dataclass
class Outcome:
    """What became of a sweep; Hydra hands neither results nor a callback's exception back, so that they wait here."""

    jobs: list[Job] = field(default_factory=list)
    varied: list[str] = field(default_factory=list)  # the keys that were swept
    refused: int = 0
    error: Exception | None = None  # of the run that is not yet dealt with, or of the drawing
    new: list[Path] = field(default_factory=list)  # the folder of a single run and its parents that were not there

    def reset(self) -> None:
        """Forget everything, for a new command in the same process."""
        self.jobs, self.varied, self.refused, self.error, self.new = [], [], 0, None, []

    def raise_errors(self, said: type[Exception]) -> None:
        """Raise what went wrong in a single run or while drawing, or `said` where a combination was refused."""
        if self.error is not None:
            raise self.error
        if self.refused:
            raise said


outcome = Outcome()


class DrawSweep(Callback):
    """When a sweep ends, draw its good combinations in one figure with one table; before a run, look what is there."""

    def on_run_start(self, config: DictConfig, **kwargs: Any) -> None:
        """Note which folders Hydra is about to make; it does not yet know the names in them that it is asked for."""
        hydra: Any = HydraConfig.instance()
        before, hydra.cfg = hydra.cfg, config
        try:
            with contextlib.suppress(OmegaConfBaseException):  # which the run itself will meet, and say
                outcome.new = absent(Path(config.hydra.run.dir))
        finally:
            hydra.cfg = before

    def on_multirun_end(self, config: DictConfig, **kwargs: Any) -> None:
        """Draw; Hydra would swallow an exception, so that it is kept for the entry point."""
        folder = Path(config.hydra.sweep.dir).absolute()
        try:
            put_together(outcome.jobs, outcome.varied, folder)
        except Exception as error:
            locate(error, str(folder))
            outcome.error = error


def put_together(jobs: Sequence[Job], varied: Sequence[str], folder: Path) -> None:
    """Hand the finished jobs of a sweep to what draws their kind; jobs of several kinds are drawn kind by kind."""
    by_kind: dict[str, list[Job]] = {}
    for job in jobs:
        config = job.folder / "config.yaml"
        if config.exists():
            by_kind.setdefault(str(read_config(config).get("kind")), []).append(job)
    for kind, own in by_kind.items():
        draw = kinds.together(kind)
        if draw is not None:
            draw(own, varied, folder if len(by_kind) == 1 else folder / kind)
