"""`python -m benchmarks.calibration`: simulate experiments and count how often printed intervals hold what they say.

Every claim is simulated 2,000 times at the sizes that people use, and looked at in a family of other settings for the
one in which it holds least. A command that was killed goes on where it was, what was measured before is not measured
again unless its source has changed, and any number of workers finds the same numbers. Exit status 1 if a claim does not
hold.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.calibration import page
from benchmarks.calibration.claim import RUNS
from benchmarks.calibration.claims import claims
from benchmarks.calibration.measure import NO, searches, tasks
from experiments.engine import printing
from experiments.engine.errors import guarded, leave
from experiments.engine.executors.processes import Processes
from experiments.engine.runs import carry_out
from numerics.commands import Command, word
from numerics.output import tables
from numerics.parameters import parameter

FAILED = 1
MEASUREMENTS = {page.SHEET: tasks, page.FAMILIES: searches}


class Calibration(Command, module="benchmarks.calibration"):
    """Which claims are measured, and how often."""

    names: list[str] = word([], help="parts of names of claims; all when left out")
    runs: int = parameter(RUNS, low=2, help="simulated experiments of each claim and size")
    seed: int = parameter(0, low=0, help="of all random numbers")
    workers: int | None = parameter(None, low=1, help="processes; one a core unless given")
    folder: str = parameter("results/calibration", help="where files are kept")
    page: str | None = parameter(None, help="a page to fill, such as docs/measured/calibration.md")


def main(words: Sequence[str] | None = None) -> None:
    """Read the command line, measure, print the table, and say whether every claim holds."""
    given = Calibration.read(words)
    folder, path = Path(given.folder), Path(given.page) if given.page else None
    known = claims()
    for part in given.names:
        if not any(part.lower() in name.lower() for name in known):
            raise ValueError(f"names must be a part of one of {'; '.join(known)}; got {part!r}")
    names = [name for name in known if not given.names or any(part.lower() in name.lower() for part in given.names)]
    if path is not None:
        page.lines_of(path)
    folder.mkdir(parents=True, exist_ok=True)
    wanted = {sheet: make(names, given.runs, given.seed, folder) for sheet, make in MEASUREMENTS.items()}
    carry_out([task for of_sheet in wanted.values() for task in of_sheet], Processes(given.workers).run, "experiments")
    failed = 0
    for sheet, done in wanted.items():
        if not done:
            continue
        rows = tables.join_tables([tables.read(task.path) for task in done])
        for filled in sheet.of(rows):
            printing.show(filled)
        if path is not None:
            page.update(path, sheet, rows)
        failed += int((rows["verdict"] == NO).sum())
    counts = f"{len(wanted[page.SHEET]):,} rows and {len(wanted[page.FAMILIES]):,} families of {len(names)} claims"
    printing.say(f"{counts}: {f'{failed} do not hold' if failed else 'all hold'}")
    if failed:
        sys.exit(FAILED)


if __name__ == "__main__":
    leave(guarded(main))
