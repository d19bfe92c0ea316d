"""`python -m experiments.report FOLDER`: write `report.html` of a finished run or sweep again, or print its tables."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from experiments.engine import printing, report
from experiments.engine.errors import guarded, leave
from experiments.engine.experiment import Experiment
from experiments.engine.folders import existing, is_of_a_sweep
from experiments.engine.manifest import reading_runs, require_finished
from experiments.engine.results import of_run, of_sweep
from experiments.engine.store import read_config
from experiments.engine.sweep import combine
from numerics import checks
from numerics.commands import Command, word
from numerics.output.sheets import Filled
from numerics.parameters import parameter

__all__ = ["main", "sheets"]

HTML, MARKDOWN, LATEX = "html", "markdown", "latex"


class Report(Command, module="experiments.report"):
    """Which report."""

    folder: str = word(help="folder of a run or sweep, such as results/regret/latest")
    format: str = parameter(
        HTML, choices=(HTML, MARKDOWN, LATEX), help="html: write report.html; markdown, latex: print the tables"
    )


def main(words: Sequence[str] | None = None) -> None:
    """Read the command line, write the report and say where it lies, or print its tables."""
    given = Report.read(words)
    folder = existing(Path(given.folder))
    if given.format != HTML:
        shown = sheets(folder)
        printing.say("\n\n".join(sheet.markdown() if given.format == MARKDOWN else sheet.latex() for sheet in shown))
        return
    with reading_runs(folder):
        if is_of_a_sweep(folder):
            written = report.of_sweep(folder, *combine.read_finished_sweep(folder))
        else:
            written = report.of_run(folder, require_finished(folder))
    printing.say(str(written))


def sheets(folder: str | Path) -> list[Filled]:
    """Return the tables of a finished run or sweep as its report shows them.

    Each shows itself in a notebook; `print` writes it as Markdown, and `latex()` returns LaTeX.

    Parameters
    ----------
    folder : str or Path
        Of a run or a sweep; `results/regret/latest` is the newest in `results/regret`.

    Raises
    ------
    ValueError
        No such folder, no finished run or sweep in it, or a table that was changed after the run.

    Examples
    --------
    >>> sheets("nowhere")
    Traceback (most recent call last):
    ValueError: folder 'nowhere': no such folder; give the folder of a run or sweep
    """
    if not isinstance(folder, str | Path):
        raise ValueError(f"folder must be a path, such as 'results/regret/latest'; got {checks.show(folder)}")
    path = existing(Path(folder))
    with reading_runs(path):
        if is_of_a_sweep(path):
            cls, facts = combine.read_finished_sweep(path)
            return list(of_sweep(cls, path, facts).sheets)
        facts = require_finished(path)
        return list(of_run(Experiment.members[str(read_config(path / "config.yaml")["kind"])], path, facts).sheets)


if __name__ == "__main__":
    leave(guarded(main))
