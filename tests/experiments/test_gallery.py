"""The scripts of the gallery run, and their commands compose."""

from __future__ import annotations

import re

import matplotlib
import pytest
from matplotlib import pyplot

from tests.experiments.test_pages import combinations
from tests.pages import ROOT, Line

SCRIPTS = sorted((ROOT / "docs" / "gallery").glob("*.py"))
SMALL = {r"\bruns=[\d_]+": "runs=3", r"\bhorizon=[\d_]+": "horizon=60", r"\bgames=[\d_]+": "games=12"}
COMMANDS = [Line(line.strip()) for one in SCRIPTS for line in one.read_text().splitlines() if "python -m " in line]


@pytest.mark.sampled(4)
@pytest.mark.parametrize("line", COMMANDS, ids=lambda one: one.text[10:70])
def test_a_command_of_the_gallery_composes(command, line):
    words = line.words[1:]
    for overrides in combinations(words[1:]) if words[0] == "-m" else [words]:
        command(*overrides, "--cfg", "job")


@pytest.mark.sampled(1)
@pytest.mark.jit
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda one: one.stem)
def test_a_script_of_the_gallery_draws_its_figures(script, monkeypatch, tmp_path):
    """Small: `make docs` runs them whole."""
    matplotlib.use("Agg")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", [str(script)])
    text = script.read_text(encoding="utf-8")
    for pattern, less in SMALL.items():
        text = re.sub(pattern, less, text)
    exec(compile(text, str(script), "exec"), {"__name__": "__main__", "__file__": str(script)})
    assert pyplot.get_fignums()
    pyplot.close("all")
