"""Run the command line inside the test process: status, standard output, standard error."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from experiments.failures import guarded


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


Command = Callable[..., Said]


def make_command(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path) -> Command:
    """Return a function that runs `python -m experiments.MODULE ARGUMENTS` in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def command(*arguments: str, module: str = "run") -> Said:
        main = importlib.import_module(f"experiments.{module}").main
        monkeypatch.setattr(sys, "argv", [f"experiments/{module}.py", *arguments])
        capfd.readouterr()
        status = guarded(main)
        out, err = capfd.readouterr()
        return Said(status, out, err)

    return command
