"""A run from its configuration to its end: do the missing tasks, make tables and figures, and print the results."""

from __future__ import annotations

import contextlib
import hashlib
import inspect
import itertools
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from experiments.engine import report, results
from experiments.engine.experiment import Experiment, build, check_options, drawing_of
from experiments.engine.manifest import read_finished, require_finished
from experiments.engine.printing import say
from experiments.engine.store import RunFolder, read_config
from experiments.engine.tasks import Task
from numerics.kernels.sources import digest
from numerics.output import style
from numerics.output.progress import progress, show_doing


def start(given: Mapping[str, Any], folder: Path, *, figures: bool = True, named: bool = True) -> None:
    """Run a configuration in a folder; tasks that a former run finished there are not repeated.

    Parameters
    ----------
    given : mapping
    folder : Path
    figures : bool, default True
        Whether figures are drawn where the configuration does not say.
    named : bool, default True
        Whether the user has named the folder, which processes that share the work must.

    Raises
    ------
    ValueError
        A mistake in the configuration, or a folder of another run.
    """
    drawing = drawing_of(given)
    wanted = figures if drawing["figures"] is None else bool(drawing["figures"])
    with show_doing("checking the settings"):
        stored = folder / "config.yaml"
        experiment, config = build(given, read_config(stored) if stored.is_file() else None)
    if not (named or experiment.executor_used.alone):
        name = experiment.executor_used.name
        raise ValueError(
            f"hydra.run.dir (in a sweep hydra.sweep.dir) must be given with executor={name}, the same for all parts"
        )
    perform(experiment, config, folder, figures=wanted, vectors=bool(drawing["vectors"]))


def perform(
    experiment: Experiment, config: Mapping[str, Any], folder: Path, *, figures: bool = True, vectors: bool = False
) -> None:
    """Run an experiment in a folder, under a configuration; finished tasks are not repeated."""
    stages, executor = experiment.stages(folder), experiment.executor_used
    with show_doing("preparing the run"):
        executor.ready()
        first = next(stages)
        source = source_digest(experiment, first)
    with RunFolder.open(folder, config, source, alone=executor.alone) as store:
        experiment.announce()
        facts = read_finished(folder)
        if facts is not None:
            shutil.rmtree(store.shards, ignore_errors=True)  # which a kill between manifest and removal leaves
        elif _carry_out_stages(experiment, itertools.chain([first], stages)):
            start = time.perf_counter()
            with show_doing("making the tables"):
                facts = experiment.tables(folder)
            if figures:
                with style.vectors(vectors):
                    _draw(type(experiment), folder, facts)
            seconds = {**facts["timings"], "tables_and_figures": round(time.perf_counter() - start, 3)}
            with show_doing("writing the report"):
                report.of_run(folder, store.finish({**facts, "timings": seconds}))
    if facts is not None:
        results.say_run(type(experiment), folder, facts)


def _carry_out_stages(experiment: Experiment, stages: Iterable[Sequence[Task]]) -> bool:
    """Do the missing tasks of the executor's share; return whether it may make the tables, having done all tasks."""
    unit, executor = None if experiment.has_person else experiment.unit, experiment.executor_used
    for number, tasks in enumerate(stages):
        if number and all(task.path.exists() for task in tasks):
            continue
        share = executor.share(tasks)
        workers = getattr(executor, "workers", None)
        if workers is not None and workers > len(share):
            counted = f"{len(share)} task{'s' * (len(share) > 1)}"
            say(f"executor.workers={workers}, but the run has only {counted}: the other workers stay idle")
        carry_out(share, executor.run, unit, experiment.watch() if executor.alone else None)
        if not executor.alone:
            missing = sum(not task.path.exists() for task in tasks)
            say(f"done: {len(share):,} of {len(tasks):,} tasks; {missing:,} tasks of other parts are not done yet")
            if missing:
                return False
    if not executor.alone:
        say("all tasks are done; repeat the command without executor to make the tables and figures")
    return executor.alone


def carry_out(
    tasks: Sequence[Task],
    execute: Callable[[Sequence[Task]], Iterator[None]],
    unit: str | None,
    watch: Callable[[Task], str] | None = None,
) -> None:
    """Do the tasks whose files are missing, and show how many units are done; show nothing if there is no unit.

    The words of `watch` on the results so far are shown too, and once more if the work is interrupted.
    """
    missing = [task for task in tasks if not task.path.exists()]
    if len(missing) < len(tasks):
        say(f"resuming: {len(tasks) - len(missing)} of {len(tasks)} tasks are done")
    size = sum(task.size for task in missing)
    looked, words = 0, ""
    try:
        with progress(size, unit, len(missing)) if unit else contextlib.nullcontext(str) as advance:
            for _ in execute(missing):
                while watch and looked < len(tasks) and tasks[looked].path.exists():
                    words = watch(tasks[looked])
                    looked += 1
                advance(words)
    except KeyboardInterrupt:
        if words:
            say(f"so far: {words}")
        raise


def source_digest(experiment: Experiment, tasks: Sequence[Task]) -> str:
    """Return a digest of the source and input data on which a run's numbers depend besides its configuration."""
    total = hashlib.sha256(experiment.source_fingerprint().encode())
    for file in sorted({str(inspect.getsourcefile(inspect.unwrap(task.function))) for task in tasks}):
        total.update(digest(file).encode())
    return total.hexdigest()[:16]


def draw_again(folder: Path, options: Mapping[str, Any]) -> list[Path]:
    """Draw the figures of a finished run again from its tables.

    Raises
    ------
    ValueError
        No finished run, or an option that its experiment does not take.
    """
    facts = require_finished(folder)
    kind = str(read_config(folder / "config.yaml").get("kind"))
    cls = Experiment.members.get(kind)
    if cls is None:
        raise ValueError(
            f"folder {str(folder)!r}: the experiment {kind} is unknown to this version, so its figures cannot be drawn"
        )
    check_options(kind, options, folder)
    drawn = _draw(cls, folder, facts, **options)
    report.of_run(folder, facts)
    return drawn


def _draw(cls: type[Experiment], folder: Path, facts: Mapping[str, Any], **options: Any) -> list[Path]:
    with show_doing("drawing the figures"):
        return cls.draw(folder, {**facts, "settings": read_config(folder / "config.yaml")}, **options)
