"""The scripts of the gallery run, and the pictures of the pages are what the commands beside them draw."""

from __future__ import annotations

import re

import matplotlib
import pytest
from matplotlib import pyplot
from matplotlib.testing.compare import compare_images

from tests.experiments.test_pages import combinations
from tests.pages import ROOT, Line, page

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
@pytest.mark.parametrize("whole", [False, pytest.param(True, marks=pytest.mark.long)], ids=["small", "whole"])
def test_a_script_of_the_gallery_draws_its_figures(script, whole, monkeypatch, tmp_path):
    matplotlib.use("Agg")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", [str(script)])
    text = script.read_text(encoding="utf-8")
    for pattern, less in [] if whole else SMALL.items():
        text = re.sub(pattern, less, text)
    exec(compile(text, str(script), "exec"), {"__name__": "__main__", "__file__": str(script)})
    assert pyplot.get_fignums()
    pyplot.close("all")


@pytest.mark.jit
@pytest.mark.long
@pytest.mark.figures
@pytest.mark.parametrize(
    ("name", "part", "figure", "kept"),
    [("questions/why_ucb_loses", "horizon=100000", "regret_quantiles_log.png", "why_ucb_loses.png")],
)
def test_the_pictures_of_a_page_are_what_its_command_draws(command, tmp_path, name, part, figure, kept):
    (line,) = (line for line in page(name).lines if part in line.text)
    command(*line.words[1:], "hydra.run.dir=out")
    # Root mean square difference of pixel values: fonts and colours kept in few bits move it by a little, data by more.
    kept_path, drawn = page(name).path.parent / kept, tmp_path / "out" / "figures" / figure
    assert compare_images(str(kept_path), str(drawn), tol=4.0) is None
