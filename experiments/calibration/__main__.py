"""`python -m experiments.calibration`: simulate experiments and count how often printed intervals hold what they say.

Every claim is simulated 2,000 times at the sizes that people use. A command that was killed goes on where it was, what
was measured before is not measured again unless its source has changed, and any number of workers finds the same
numbers. Exit status 1 if a claim does not hold.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from experiments.calibration import page
from experiments.calibration.claim import RUNS
from experiments.calibration.claims import claims
from experiments.calibration.measure import NO, tasks, together
from experiments.engine import console
from experiments.engine.errors import guarded, leave
from experiments.engine.executors.processes import Processes
from experiments.engine.runs import carry_out
from numerics import checks

FAILED = 1


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line, measure, print the table, and say whether every claim holds."""
    parser = argparse.ArgumentParser(prog="python -m experiments.calibration", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="CLAIM", help="parts of names of claims; all when left out")
    parser.add_argument("--runs", type=int, default=RUNS, help="simulated experiments of each claim and size")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, help="processes; one a core unless given")
    parser.add_argument("--folder", type=Path, default=Path("results", "calibration"), help="where files are kept")
    parser.add_argument("--page", type=Path, help="a page to fill, such as docs/measured/calibration.md")
    given = parser.parse_args(arguments)
    runs = checks.whole("--runs", given.runs, 2)
    seed = checks.whole("--seed", given.seed, 0)
    if given.workers is not None:
        checks.whole("--workers", given.workers, 1)
    known = claims()
    for part in given.names:
        if not any(part.lower() in name.lower() for name in known):
            raise ValueError(f"CLAIM must be a part of one of {'; '.join(known)}; got {part!r}")
    names = [name for name in known if not given.names or any(part.lower() in name.lower() for part in given.names)]
    if given.page is not None:
        page.lines_of(given.page)
    given.folder.mkdir(parents=True, exist_ok=True)
    wanted = tasks(names, runs, seed, given.folder)
    carry_out(wanted, Processes(workers=given.workers).run, "experiments")
    rows = together([task.path for task in wanted])
    console.console().print(page.printed(rows))
    if given.page is not None:
        page.update(given.page, rows)
    failed = int((rows["verdict"] == NO).sum())
    console.say(f"{len(rows):,} rows of {len(names)} claims: {f'{failed} do not hold' if failed else 'all hold'}")
    if failed:
        sys.exit(FAILED)


if __name__ == "__main__":
    leave(guarded(main))
