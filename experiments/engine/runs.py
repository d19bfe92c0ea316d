"""A run from its configuration to its end: it does what is missing, makes tables and figures, and prints results."""

from __future__ import annotations

import contextlib
import hashlib
import inspect
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from experiments.engine.console import is_muted, say
from experiments.engine.experiment import Experiment, Task, build, check_options, checked, drawing_of, experiments
from experiments.engine.store import RunFolder, read_config, read_finished
from numerics.kernels.sources import digest
from numerics.output import style
from numerics.output.progress import doing, progress


def run(given: Mapping[str, Any], folder: Path, *, figures: bool = True) -> None:
    """Run a configuration in a folder; what was done there before a stop is not done again.

    Parameters
    ----------
    given : mapping
    folder : Path
    figures : bool, default True
        Whether figures are drawn where the configuration does not say.

    Raises
    ------
    ValueError
        A mistake in the configuration, or a folder of another run.
    """
    drawing = drawing_of(given)
    wanted = drawing["figures"]
    with style.vectors(bool(drawing["vectors"])):
        perform(*build(checked(given)), folder, figures=figures if wanted is None else wanted)


def perform(experiment: Experiment, config: Mapping[str, Any], folder: Path, *, figures: bool = True) -> None:
    """Run an experiment in a folder that knows it by a configuration; what was done there is not done again."""
    stages = experiment.stages(folder)
    first = next(stages)
    with RunFolder.open(folder, config, source_digest(experiment, first)) as store:
        experiment.announce()
        facts = store.manifest
        if facts is None:
            facts = _complete(experiment, store, first, stages, figures=figures)
        else:
            store.drop_shards()
    experiment.console(folder, facts)


def _complete(
    experiment: Experiment, store: RunFolder, first: Sequence[Task], stages: Iterator[Sequence[Task]], *, figures: bool
) -> dict[str, Any]:
    """Do what is missing, make tables and figures, and finish the folder; return what its manifest says of the run."""
    unit = None if experiment.has_person else experiment.unit
    carry_out(first, experiment.execute, unit)
    for tasks in stages:
        carry_out(tasks, experiment.execute, unit)
    start = time.perf_counter()
    with doing("tables and figures"):
        facts = experiment.tables(store.path)
        if figures:
            experiment.figures(store.path, facts)
    seconds = {**facts["timings"], "tables_and_figures": round(time.perf_counter() - start, 3)}
    store.finish({**facts, "timings": seconds})
    return facts


def carry_out(tasks: Sequence[Task], execute: Callable[[Sequence[Task]], Iterator[None]], unit: str | None) -> None:
    """Do the tasks whose files are not there yet, and show how many units are done; of no unit, nothing."""
    missing = [task for task in tasks if not task.path.exists()]
    if len(missing) < len(tasks):
        say(f"{len(tasks) - len(missing)} of {len(tasks)} shards are there already")
    size = sum(task.size for task in missing)
    with progress(size, unit, len(missing), brief=is_muted()) if unit else contextlib.nullcontext(int) as advance:
        for _ in execute(missing):
            advance()


def source_digest(experiment: Experiment, tasks: Sequence[Task]) -> str:
    """Return a digest of all that the numbers of a run depend on besides its configuration: source and input data."""
    total = hashlib.sha256(experiment.stamp().encode())
    for file in sorted({str(inspect.getsourcefile(inspect.unwrap(task.function))) for task in tasks}):
        total.update(digest(file).encode())
    return total.hexdigest()[:16]


def draw_again(folder: Path, options: Mapping[str, Any]) -> list[Path]:
    """Draw the figures of a finished run again from its tables.

    Raises
    ------
    ValueError
        No finished run, or an option that its experiment has not.
    """
    facts = read_finished(folder)
    if facts is None or not (folder / "config.yaml").is_file():
        raise ValueError(f"folder {str(folder)!r}: no manifest.json of a finished run in it, nor sweep.json of a sweep")
    kind = str(read_config(folder / "config.yaml").get("kind"))
    cls = experiments().get(kind)
    if cls is None:
        raise ValueError(f"folder {str(folder)!r}: a run of kind {kind} cannot be drawn again; run it in a new folder")
    check_options(kind, options, folder)
    return cls.figures(folder, facts, **options)
