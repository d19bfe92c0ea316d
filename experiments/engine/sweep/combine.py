"""A sweep of runs: combine their tables and figures, and store in the folder what repeats this later."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from hydra.core.override_parser.overrides_parser import OverridesParser

from experiments.engine import report, results
from experiments.engine.experiment import Experiment, check_options
from experiments.engine.manifest import read_finished
from experiments.engine.printing import mute, say
from experiments.engine.store import COMBINATION, read_config, write_text
from experiments.engine.sweep.quantity_figures import figures_of
from experiments.engine.sweep.table import TABLE, Job, Sweep, settings_of
from numerics.output import style, tables
from numerics.output.figures import Facts, draw_figures
from numerics.output.progress import show_doing

NAME = "sweep.json"


def note(folder: Path, hydra: Any, *, vectors: bool, refusal: str | None = None) -> None:
    """Note in the folder of a run which combination of a sweep it is, and why it was refused if it was."""
    words = {}
    for word in hydra.overrides.task:  # as tables show a value: a text without quotes, a number with 12 digits
        key, _, text = word.partition("=")
        value = OverridesParser.create().parse_override(word).value()
        words[key.lstrip("+")] = (
            f"{value:.12g}" if isinstance(value, float) else value if isinstance(value, str) else text
        )
    facts = {
        "sweep": Path(os.path.relpath(hydra.sweep.dir, folder)).as_posix(),
        "number": hydra.job.num,
        "overrides": words,
        "vectors": vectors,
        "refusal": refusal,
    }
    write_text(folder / COMBINATION, json.dumps(facts, ensure_ascii=False) + "\n")


def put_together(folder: Path) -> bool:
    """Combine the runs in the folder of a sweep, in one folder per kind; return whether no combination was refused.

    Raises
    ------
    ValueError
        There is no combination, or the folder holds runs of two sweeps.
    """
    notes = sorted(_notes(folder), key=lambda pair: pair[1]["number"])
    combinations = [facts["overrides"] for _, facts in notes]
    if not combinations:
        raise ValueError("a sweep must have at least one combination of values; got none")
    if len({tuple(sorted(overrides)) for overrides in combinations}) > 1:
        raise ValueError(f"hydra.sweep.dir {str(folder)!r} holds runs of two sweeps; run each in a folder of its own")
    varied = [key for key in combinations[0] if len({overrides[key] for overrides in combinations}) > 1]
    refused = {
        " ".join(f"{key}={facts['overrides'][key]}" for key in varied or facts["overrides"]): facts["refusal"]
        for _, facts in notes
        if facts["refusal"]
    }
    jobs = [Job(facts["overrides"], run) for run, facts in notes if not facts["refusal"]]
    finished = sum((job.folder / "manifest.json").exists() for job in jobs)
    if finished < len(jobs):
        say(f"{finished:,} of {len(jobs):,} runs are finished; parts of the others are missing")
        return True
    with style.vectors(any(facts["vectors"] for _, facts in notes)):
        combine_runs(jobs, varied, folder.absolute(), refused)
    return not refused


def _notes(folder: Path) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Yield the folders of the runs of a sweep, and what is noted there; other sweeps may lie below its folder."""
    for file in folder.rglob(COMBINATION):
        try:
            facts = json.loads(file.read_text(encoding="utf-8"))
            is_of_this = os.path.realpath(file.parent / facts["sweep"]) == os.path.realpath(folder)
        except (ValueError, TypeError, KeyError) as error:
            raise ValueError(f"{file} is not what a sweep leaves; remove it and start again") from error
        if is_of_this:
            yield file.parent, facts


def combine_runs(jobs: Sequence[Job], varied: Sequence[str], folder: Path, refused: Mapping[str, str]) -> None:
    """Combine finished runs, which may be of several kinds; `refused` has the refused combinations, and why."""
    by_kind: dict[str, list[Job]] = {}
    for job in jobs:
        by_kind.setdefault(str(read_config(job.folder / "config.yaml").get("kind")), []).append(job)
    for kind, jobs_of_kind in by_kind.items():
        cls, target = Experiment.members.get(kind), folder if len(by_kind) == 1 else folder / kind
        if cls is not None and cls.sweep is not None:
            _check_none_is_lost(jobs_of_kind, target)
            runs = [
                {"folder": Path(os.path.relpath(job.folder, target)).as_posix(), "overrides": job.overrides}
                for job in jobs_of_kind
            ]
            target.mkdir(parents=True, exist_ok=True)
            record = {"kind": kind, "varied": list(varied), "runs": runs, "failed": dict(refused)}
            write_text(target / NAME, json.dumps(record, indent=2, ensure_ascii=False) + "\n")
            facts = {"jobs": jobs_of_kind, "varied": varied, "failed": refused}
            with show_doing("making the tables and figures of all runs together"):
                _write(cls.sweep, facts, target)
                report.of_sweep(target, kind, jobs_of_kind, varied, refused)
            results.say_sweep(cls, target, facts)


def _write(sweep: Sweep, facts: Facts, folder: Path, **options: Any) -> list[Path]:
    """Write the table and the figures of a sweep, or draw what options choose; return the figures."""
    settings = settings_of(facts)
    table = sweep.table(settings)
    if options and sweep.more:
        return sweep.more(table, settings, folder, **options)
    tables.write(table, folder / TABLE)
    drawn = sweep.more(table, settings, folder) if sweep.more else []
    shown = {"keys": facts["varied"], "title": sweep.title(table, settings)}
    return [*drawn, *draw_figures(figures_of(sweep), folder / "figures", {TABLE: table}.get, shown)]


def draw_again(folder: Path, options: Mapping[str, Any]) -> list[Path]:
    """Combine the runs of a finished sweep again, or draw the figures that options choose; return the figures.

    Raises
    ------
    ValueError
        No finished sweep, or an option that its experiment does not take.
    """
    record = read_finished_sweep(folder)
    check_options(record.kind, options, folder)
    sweep = Experiment.members[record.kind].sweep
    assert sweep is not None
    with mute():
        drawn = _write(sweep, record._asdict(), folder, **options)
        report.of_sweep(folder, *record)
    return drawn if options else sorted((folder / "figures").iterdir())


def read_finished_sweep(folder: Path) -> Recorded:
    """Return what is `read_record` of a sweep, after checking the manifests and tables of its runs.

    Raises
    ------
    ValueError
        A file of the sweep or of one of its runs is gone or damaged.
    """
    record = read_record(folder)
    for job in record.jobs:
        if read_finished(job.folder) is None:
            raise ValueError(
                f"{job.folder}: no manifest.json of a finished run, but the sweep has one there; "
                "run the sweep in a new folder"
            )
    return record


def _check_none_is_lost(jobs: Sequence[Job], folder: Path) -> None:
    """Refuse to combine tables without a run that the folder's tables already hold."""
    if not (folder / NAME).exists():
        return
    now = {job.folder.resolve() for job in jobs}
    lost = sum(job.folder.resolve() not in now for job in read_record(folder).jobs)
    if lost:
        raise ValueError(
            f"{folder}: the tables and figures of the sweep stay as they were, since {lost} "
            f"of the runs in them {'is' if lost == 1 else 'are'} refused now; run the sweep in a new folder"
        )


class Recorded(NamedTuple):
    """A finished sweep: its kind, its runs, the swept keys, and why other combinations failed, by their overrides."""

    kind: str
    jobs: list[Job]
    varied: list[str]
    failed: dict[str, str]


def read_record(folder: Path) -> Recorded:
    """Return what a finished sweep has recorded of itself.

    Raises
    ------
    ValueError
        Its file is gone or damaged.
    """
    file = folder / NAME
    try:
        facts = json.loads(file.read_text(encoding="utf-8"))
        jobs = [Job(dict(run["overrides"]), folder / run["folder"]) for run in facts["runs"]]
        kind, varied = str(facts["kind"]), [str(key) for key in facts["varied"]]
        failed = {str(overrides): str(why) for overrides, why in facts["failed"].items()}
        if (
            not jobs
            or kind not in Experiment.members
            or Experiment.members[kind].sweep is None
            or any(key not in job.overrides for job in jobs for key in varied)
        ):
            raise ValueError("no sweep")
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        cure = "remove this file, and the same sweep in this folder makes it again"
        raise ValueError(f"{file} is not what a sweep leaves; {cure}") from error
    return Recorded(kind, jobs, varied, failed)
