"""The results of a sweep: combine the tables and figures of its runs, by the notes in their folders."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from experiments.engine import report, results
from experiments.engine.configuration import shown_value
from experiments.engine.experiment import Experiment, check_options
from experiments.engine.manifest import require_finished
from experiments.engine.printing import mute, say
from experiments.engine.store import COMBINATION, read_config, write_text
from experiments.engine.sweep.quantity_figures import figures_of
from experiments.engine.sweep.table import TABLE, Job, Setting, Sweep, settings_of
from numerics.output import style, tables
from numerics.output.figures import Facts, draw_figures
from numerics.output.progress import show_doing

if TYPE_CHECKING:
    import pandas as pd


class Combination(NamedTuple):
    """The note of a sweep in the folder of each run: the values by their keys, and the reason of a refusal."""

    run: Path
    number: int
    overrides: dict[str, str]
    vectors: bool
    refusal: str | None


def note(folder: Path, hydra: Any, *, vectors: bool, refusal: str | None = None) -> None:
    """Note in the folder of a run which combination of a sweep it is, and why it was refused if it was."""
    words = {word.partition("=")[0].lstrip("+"): shown_value(word) for word in hydra.overrides.task}
    facts = {
        "sweep": Path(os.path.relpath(hydra.sweep.dir, folder)).as_posix(),
        "number": hydra.job.num,
        "overrides": words,
        "vectors": vectors,
        "refusal": refusal,
    }
    write_text(folder / COMBINATION, json.dumps(facts, ensure_ascii=False) + "\n")


def put_together(folder: Path) -> bool:
    """Combine the runs in the folder of a sweep; return whether no combination was refused.

    Raises
    ------
    ValueError
        `read_sweep` refuses the folder.
    """
    cls, facts = read_sweep(folder)
    folder = folder.absolute()
    finished = sum((job.folder / "manifest.json").exists() for job in facts["jobs"])
    if finished < len(facts["jobs"]):
        say(f"{finished:,} of {len(facts['jobs']):,} runs are finished; the others still lack parts")
        return True
    if cls is not None and cls.sweep is not None:
        with show_doing("making the tables and figures of the sweep"), style.vectors(facts["vectors"]):
            settings = settings_of(facts)
            table = cls.sweep.table(settings)
            tables.write(table, folder / TABLE)
            _draw(cls.sweep, table, settings, facts, folder)
            report.of_sweep(folder, cls, facts)
        results.say_sweep(cls, folder, facts)
    return not facts["failed"]


def read_sweep(folder: Path) -> tuple[type[Experiment] | None, Facts]:
    """Return the experiment of a sweep's runs, None where all were refused, and its facts.

    These are the `jobs` that were not refused, the keys that `varied`, why others `failed`, and `vectors`.

    Raises
    ------
    ValueError
        There is no combination, a damaged note, or the folder holds runs of two sweeps or of several experiments.
    """
    notes = sorted(_notes(folder), key=lambda note: note.number)
    if not notes:
        raise ValueError("a sweep must have at least one combination of values; got none")
    keys = list(notes[0].overrides)
    if any(set(note.overrides) != set(keys) for note in notes):
        raise ValueError(f"hydra.sweep.dir {str(folder)!r} holds runs of two sweeps; give each sweep its own folder")
    varied = [key for key in keys if len({note.overrides[key] for note in notes}) > 1]
    failed = {
        " ".join(f"{key}={note.overrides[key]}" for key in varied or keys): note.refusal
        for note in notes
        if note.refusal
    }
    jobs = [Job(note.overrides, note.run) for note in notes if not note.refusal]
    kinds = sorted({str(read_config(job.folder / "config.yaml").get("kind")) for job in jobs})
    if len(kinds) > 1:
        raise ValueError(f"a sweep must have a single experiment; {str(folder)!r} holds runs of {', '.join(kinds)}")
    vectors = any(note.vectors for note in notes)
    cls = Experiment.members[kinds[0]] if kinds else None
    return cls, {"jobs": jobs, "varied": varied, "failed": failed, "vectors": vectors}


def _notes(folder: Path) -> Iterator[Combination]:
    """Yield what is noted in the folders of the runs of a sweep; other sweeps may lie below its folder."""
    for file in folder.rglob(COMBINATION):
        try:
            facts = json.loads(file.read_text(encoding="utf-8"))
            is_of_this = os.path.realpath(file.parent / facts.pop("sweep")) == os.path.realpath(folder)
            combination = Combination(run=file.parent, **facts)
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise ValueError(f"{file} is damaged; remove it and start the sweep again") from error
        if is_of_this:
            yield combination


def _draw(
    sweep: Sweep, table: pd.DataFrame, settings: Sequence[Setting], facts: Facts, folder: Path, **options: Any
) -> list[Path]:
    """Draw the figures of a sweep, or those that options choose; return them."""
    if options and sweep.more:
        return sweep.more(table, settings, folder, **options)
    drawn = sweep.more(table, settings, folder) if sweep.more else []
    shown = {"keys": facts["varied"], "title": sweep.title(table, settings)}
    return [*drawn, *draw_figures(figures_of(sweep), folder / "figures", {TABLE: table}.get, shown)]


def draw_again(folder: Path, options: Mapping[str, Any]) -> list[Path]:
    """Draw the figures of a finished sweep again, or those that options choose; return the figures.

    Raises
    ------
    ValueError
        No finished sweep, or an option that its experiment does not take.
    """
    cls, facts = read_finished_sweep(folder)
    check_options(cls.name, options, folder)
    assert cls.sweep is not None
    settings = settings_of(facts)
    with mute():
        drawn = _draw(cls.sweep, cls.sweep.table(settings), settings, facts, folder, **options)
        report.of_sweep(folder, cls, facts)
    return drawn if options else sorted((folder / "figures").iterdir())


def read_finished_sweep(folder: Path) -> tuple[type[Experiment], Facts]:
    """Return what `read_sweep` does, after checking the manifests and tables of the runs.

    Raises
    ------
    ValueError
        A file of the sweep or of one of its runs is gone or damaged.
    """
    cls, facts = read_sweep(folder)
    if cls is None:
        raise ValueError(f"folder {str(folder)!r}: all combinations of this sweep were rejected")
    for job in facts["jobs"]:
        require_finished(job.folder)
    return cls, facts
