"""Run the command line inside the test process: status, standard output, standard error.

Most of a small run's time goes into its figures and its report, at which most tests do not look: a run draws none, and
its report is empty. For a test with the marker `drawn` it draws them, and their files hold what is drawn, as text; with
`figures` they are rendered; with one of these or `reported` the report is written.
"""

from __future__ import annotations

import hashlib
import importlib
import logging
import shlex
import signal
import sys
import time
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hydra._internal.hydra import Hydra
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator

from experiments.engine import report, runs
from numerics.output import style
from tests.internals import PHASE, Experiment, atomic_write, draw_figures, drawing_of, guarded

OF_EVERY_RUN = {"config.yaml", "figures", "manifest.json", "report.html", "source.digest", "timings.parquet"}


@dataclass
class Said:
    """What a command left behind."""

    status: int
    out: str
    err: str

    @property
    def folder(self) -> Path:
        """The folder that the command named as the place of its tables."""
        (line,) = [line for line in self.out.splitlines() if line.startswith(("tables: ", "steps: "))]
        return Path(line.split(": ", 1)[1])

    @property
    def complaint(self) -> str:
        """What was said on standard error, but for the lines on what goes on, which a slow machine calls for."""
        return "".join(line for line in self.err.splitlines(keepends=True) if not line.startswith(PHASE))

    def assert_refused(self, parts: Sequence[str], folder: Path | None = None) -> None:
        """Assert that the command ended with status 2 and one sentence, and left no result in a folder.

        The sentence begins with the first of the parts and holds all of them.
        """
        assert self.status == 2
        said = self.complaint
        assert len(said.strip().splitlines()) == 1, said
        assert said.startswith(parts[0])
        for part in parts:
            assert part in said
        if folder is not None:
            assert not [path for path in (folder / "results").rglob("*") if path.is_file()]


Command = Callable[..., Said]


def sketch(figure: Figure, place: str | Path) -> list[Path]:
    """Write, in place of a figure's two files, its texts and a digest of its lines."""
    parts = [figure, *figure.subfigs]
    legends = [legend for part in parts for legend in part.legends]
    legends += [legend for axes in figure.axes if (legend := axes.get_legend())]
    drawn = [
        *(text for part in parts for text in part.texts),
        *(text for legend in legends for text in (legend.get_title(), *legend.get_texts())),
    ]
    texts, lines = [text.get_text() for text in drawn], []
    for axes in figure.axes:  # `findobj` would make every tick
        texts += [axes.get_title(loc) for loc in ("left", "center", "right")]
        texts += [text.get_text() for text in (axes.xaxis.label, axes.yaxis.label, *axes.texts)]
        for axis in (axes.xaxis, axes.yaxis):
            texts.append(axis.get_scale())
            if isinstance(axis.get_major_locator(), FixedLocator):  # names in place of numbers
                texts += [label.get_text() for label in axis.get_ticklabels()]
        lines += [np.array([*axes.get_xlim(), *axes.get_ylim()]), *(line.get_xydata() for line in axes.lines)]
    digest = hashlib.sha256(b"".join(np.asarray(line, float).tobytes() for line in lines)).hexdigest()
    paths = style.files(place)
    paths[0].parent.mkdir(parents=True, exist_ok=True)
    for path in paths:
        with atomic_write(path) as beside:
            beside.write_text("\n".join([*texts, digest]))
    return paths


def _none_unless_asked_for(values: Mapping[str, Any]) -> dict[str, bool | None]:
    """Return what a configuration says of its figures; where it says nothing, that there are none."""
    drawing = drawing_of(values)
    return {**drawing, "figures": bool(drawing["figures"])}


def _undrawn(figures: Sequence[Any], place: Path, read: Callable[[str], Any], facts: Mapping[str, Any]) -> list[Path]:
    """Leave empty files in the place of the figures that would be drawn."""
    drawn = []
    for one in figures:
        frames = [read(name) for name in ([one.tables] if isinstance(one.tables, str) else one.tables)]
        if frames[0] is not None and not frames[0].empty and (one.when is None or one.when(*frames, facts)):
            drawn += style.files(place / one.name)
    for path in drawn:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    return drawn


def _empty_report(folder: Path, *_: Any) -> Path:
    """Leave an empty file in the place of a report."""
    place = folder / report.NAME
    place.touch()
    return place


MARKS = ("drawn", "figures", "reported")


def make_command(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path, marks: Container[str] = ()
) -> Command:
    """Return a function that runs `python -m experiments.MODULE ARGUMENTS` in an empty folder."""
    monkeypatch.chdir(tmp_path)
    # Hydra composes the configuration once more to read hydra.mode: a third of the time of a small run.
    monkeypatch.setattr(Hydra, "get_mode", lambda *_, **__: None)
    if "figures" not in marks:
        monkeypatch.setattr(style, "save", sketch)
    if not ("drawn" in marks or "figures" in marks):
        monkeypatch.setattr(runs, "drawing_of", _none_unless_asked_for)
        list(Experiment.members.values())  # imports all
        for module in [one for name, one in sys.modules.items() if name.startswith(("bandits.", "experiments."))]:
            if getattr(module, "draw_figures", None) is draw_figures:  # sweeps draw whatever their runs do
                monkeypatch.setattr(module, "draw_figures", _undrawn)
        if "reported" not in marks:
            monkeypatch.setattr(report, "of_run", _empty_report)
            monkeypatch.setattr(report, "of_sweep", _empty_report)

    def command(*arguments: str, module: str = "run") -> Said:
        main = importlib.import_module(module if "." in module else f"experiments.{module}").main
        monkeypatch.setattr(sys, "argv", [f"experiments/{module}.py", *arguments])
        capfd.readouterr()
        log = logging.getLogger()
        handlers, level = log.handlers[:], log.level  # --info writes Hydra's log to the streams of this command
        status = guarded(main)
        log.handlers[:] = handlers
        log.setLevel(level)
        out, err = capfd.readouterr()
        return Said(status, out, err)

    return command


def split_words(line: str) -> list[str]:
    """Return the words of a command line, as a shell reads them."""
    return shlex.split(line)


def until(condition: Callable[[], object], seconds: float = 20.0) -> bool:
    """Wait until something holds; fail if it does not in time."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.005)
    return True


def hear_interrupts() -> None:
    """Undo what a shell does to a test run in the background: children of it would not hear Ctrl-C at all."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
