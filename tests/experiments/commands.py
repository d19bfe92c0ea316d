"""Run the command line inside the test process: status, standard output, standard error.

Most of a small run's time goes into its figures, at which most tests do not look: a run draws none. For a test with the
marker `drawn` it draws them, and their files hold what is drawn, as text; with `figures` they are rendered.
"""

from __future__ import annotations

import functools
import hashlib
import importlib
import logging
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.text import Text

from experiments.engine import runs
from experiments.engine.errors import guarded
from experiments.engine.experiment import drawing_of
from numerics.kernels.compiling import NOTICE
from numerics.output import captions, line_ends, style
from numerics.output.files import atomic_write
from tests.experiments.remembered import remember

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
        """What was said on standard error, but for the line on kernels that a cold cache calls for."""
        return self.err.replace(f"{NOTICE}\n", "")

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
    texts = [text.get_text() for text in figure.findobj(Text)]
    lines = [line.get_xydata() for line in figure.findobj(Line2D)]
    digest = hashlib.sha256(b"".join(np.asarray(line, float).tobytes() for line in lines)).hexdigest()
    paths = style.files(place)
    paths[0].parent.mkdir(parents=True, exist_ok=True)
    for path in paths:
        with atomic_write(path) as beside:
            beside.write_text("\n".join([*texts, digest]))
    return paths


_measured = functools.cache(style.measured)


def _none_unless_asked_for(values: Mapping[str, Any]) -> dict[str, bool | None]:
    """Return what a configuration says of its figures; where it says nothing, that there are none."""
    drawing = drawing_of(values)
    return {**drawing, "figures": bool(drawing["figures"])}


def make_command(
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    tmp_path: Path,
    *,
    drawn: bool = False,
    figures: bool = False,
) -> Command:
    """Return a function that runs `python -m experiments.MODULE ARGUMENTS` in an empty folder."""
    monkeypatch.chdir(tmp_path)
    remember(monkeypatch)
    if not figures:
        monkeypatch.setattr(style, "save", sketch)
        for module in (style, captions, line_ends):  # which measure the same words for every figure
            monkeypatch.setattr(module, "measured", _measured)
    if not (drawn or figures):
        monkeypatch.setattr(runs, "drawing_of", _none_unless_asked_for)

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


def hear_interrupts() -> None:
    """Undo what a shell does to a test run in the background: children of it would not hear Ctrl-C at all."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
