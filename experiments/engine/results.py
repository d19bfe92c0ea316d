"""The results of a finished run or sweep for readers: caveats, sheets, notes, and the paths of the files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from experiments.engine.experiment import Experiment, Facts
from experiments.engine.printing import say, show
from numerics.output.sheets import Filled

REPORT = "report.html"  # the file that shows all of a run or sweep


class Shown(NamedTuple):
    """What a terminal and a report show of a run or a sweep."""

    caveats: Sequence[str]
    sheets: Sequence[Filled]
    notes: Sequence[str]


def of_run(cls: type[Experiment], folder: Path, facts: Facts) -> Shown:
    """Return what is shown of a run."""
    return Shown(
        cls.caveats(folder, facts),
        [filled for sheet in cls.sheets for filled in sheet.of_folder(folder, facts)],
        cls.notes(folder, facts),
    )


def of_sweep(cls: type[Experiment], folder: Path, facts: Facts) -> Shown:
    """Return what is shown of a sweep; first the combinations that failed, which no table has."""
    failed = [
        f"{overrides} failed and is missing from all tables: {why}"
        for overrides, why in facts.get("failed", {}).items()
    ]
    assert cls.sweep is not None
    choices = len(facts["jobs"])
    best = (
        f"The best of {choices} choices is selected by the same results that score it. Its result is biased upwards. "
        "Run it again with another seed before you quote it."
    )
    caveats = [*failed, *([best] if choices > 2 else []), *cls.sweep.caveats(folder, facts)]
    return Shown(
        caveats,
        [filled for sheet in cls.sweep.sheets for filled in sheet.of_folder(folder, facts)],
        cls.sweep.notes(folder, facts),
    )


def say_run(cls: type[Experiment], folder: Path, facts: Facts) -> None:
    """Print the results of a run, and where its files lie."""
    _say(of_run(cls, folder, facts), folder, f"tables: {folder}")
    if cls.hint:
        say(cls.hint.format(folder=folder))


def say_sweep(cls: type[Experiment], folder: Path, facts: Facts) -> None:
    """Print the results of a sweep, and where its files lie."""
    _say(of_sweep(cls, folder, facts), folder, f"table: {folder / 'sweep.csv'}")


def _say(shown: Shown, folder: Path, place: str) -> None:
    if shown.caveats:
        say("read with care:")
    for sentence in shown.caveats:
        say(f"- {sentence}")
    for sheet in shown.sheets:
        show(sheet)
    for sentence in shown.notes:
        say(sentence)
    say(place)
    figures = folder / "figures"
    say(f"figures: {figures if figures.is_dir() else f'not drawn; to draw them: python -m experiments.plot {folder}'}")
    if (folder / REPORT).exists():
        say(f"report: {folder / REPORT}")
