"""`python -m experiments.report FOLDER`: write `report.html` of a finished run or sweep again."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from experiments.engine import console, report, sweep
from experiments.engine.errors import guarded, leave
from experiments.engine.folders import existing
from experiments.engine.store import read_finished
from numerics.commands import Command, word


class Report(Command, module="experiments.report"):
    """Which report."""

    folder: str = word(help="of a run or a sweep, such as results/regret/latest")


def main(words: Sequence[str] | None = None) -> None:
    """Read the command line, write the report, and say where it lies."""
    folder = existing(Path(Report.read(words).folder))
    if (folder / sweep.NAME).is_file():
        console.say(str(sweep.report_again(folder)))
        return
    read_finished(folder)  # refuses tables that are not those of the run
    console.say(str(report.of_run(folder)))


if __name__ == "__main__":
    leave(guarded(main))
