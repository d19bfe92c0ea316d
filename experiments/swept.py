"""What a sweep's folder remembers of its runs, so that their tables can be put together again later."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path

from experiments.store import read_finished, write_text
from experiments.sweep import Job

NAME = "sweep.json"


def remember(kind: str, jobs: Sequence[Job], varied: Sequence[str], folder: Path) -> None:
    """Write which runs a sweep has, what was overridden in each, and which keys were swept."""
    runs = [
        {"folder": Path(os.path.relpath(job.folder, folder)).as_posix(), "overrides": job.overrides} for job in jobs
    ]
    folder.mkdir(parents=True, exist_ok=True)
    facts = {"kind": kind, "varied": list(varied), "runs": runs}
    write_text(folder / NAME, json.dumps(facts, indent=2, ensure_ascii=False) + "\n")


def check_none_is_lost(jobs: Sequence[Job], folder: Path) -> None:
    """Refuse to put tables together without a run that is in those of the folder, such as one of other source code.

    Raises
    ------
    ValueError
        The folder's tables hold a run that is not among these.
    """
    if not (folder / NAME).exists():
        return
    now = {job.folder.resolve() for job in jobs}
    lost = sum(job.folder.resolve() not in now for job in _recorded(folder)[1])
    if lost:
        raise ValueError(
            f"{folder}: the tables and figures of the sweep stay as they were, since {lost} "
            f"of the runs in them {'is' if lost == 1 else 'are'} refused now; run the sweep in a new folder"
        )


def recall(folder: Path) -> tuple[str, list[Job], list[str]]:
    """Return the kind, the runs and the swept keys that `remember` wrote.

    Raises
    ------
    ValueError
        The file is not what `remember` writes, or a run's tables are gone.
    """
    kind, jobs, varied = _recorded(folder)
    for job in jobs:
        if read_finished(job.folder) is None:
            raise ValueError(
                f"{job.folder}: no manifest.json of a finished run, but the sweep has one there; "
                "run the sweep in a new folder"
            )
    return kind, jobs, varied


def _recorded(folder: Path) -> tuple[str, list[Job], list[str]]:
    """Return what the file says, without a look at the runs."""
    file = folder / NAME
    try:
        facts = json.loads(file.read_text(encoding="utf-8"))
        jobs = [Job(dict(run["overrides"]), folder / run["folder"]) for run in facts["runs"]]
        kind, varied = str(facts["kind"]), [str(key) for key in facts["varied"]]
    except (ValueError, KeyError, TypeError) as error:
        cure = "remove this file, and the same sweep in this folder makes it again"
        raise ValueError(f"{file} is not what a sweep leaves; {cure}") from error
    return kind, jobs, varied
