"""The lessons of the course: each is a notebook that runs from the top, and its cells draw its figures."""

from __future__ import annotations

import importlib.util
import json
import re
import sys
from pathlib import Path

import matplotlib
import pytest
from matplotlib import pyplot
from matplotlib.testing.compare import compare_images

from tests.pages import PAGES, ROOT, Page, run

pytestmark = pytest.mark.jit
LESSONS = [page for page in PAGES if re.fullmatch(r"course/[1-6]_\w+", page.name)]
SAVED = re.compile(r'savefig\("([\w.]+)"\)')


@pytest.fixture(scope="module")
def notebooks(tmp_path_factory):
    """The folder of notebooks that the script of the site writes."""
    folder = tmp_path_factory.mktemp("notebooks")
    spec = importlib.util.spec_from_file_location("notebooks", ROOT / "docs" / "notebooks.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    script.write_notebooks(folder)
    return folder


def cells(folder: Path, lesson: Page, kind: str) -> list[str]:
    notebook = json.loads((folder / f"{lesson.path.stem}.ipynb").read_text(encoding="utf-8"))
    return [cell["source"] for cell in notebook["cells"] if cell["cell_type"] == kind]


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
def test_a_notebook_has_the_code_and_the_words_of_its_lesson_and_no_link_to_a_file_that_it_lacks(notebooks, lesson):
    code = [re.sub(r"^%%writefile .*\n", "", cell) for cell in cells(notebooks, lesson, "code")]
    assert code == [block.text.strip() for block in lesson.python]
    words = "\n".join(cells(notebooks, lesson, "markdown"))
    assert all(head in words for head in re.findall(r"^##+ .*$", lesson.text, flags=re.MULTILINE))
    links = re.findall(r"\]\(([^)\s]+)\)", words)
    assert all("://" in link or (notebooks / link).is_file() for link in links)


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
def test_a_lesson_shows_the_figures_that_its_code_draws(lesson):
    drawn = {name for block in lesson.python for name in SAVED.findall(block.text)}
    assert drawn
    assert {link for link in lesson.links if link.endswith(".png")} == drawn
    assert all((lesson.path.parent / name).stat().st_size < 50_000 for name in drawn)


@pytest.mark.long
@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
def test_a_notebook_runs_and_draws_the_figures_of_its_lesson(notebooks, monkeypatch, tmp_path, lesson):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    matplotlib.use("Agg")
    names: dict[str, object] = {"__name__": "__main__"}
    for cell in cells(notebooks, lesson, "code"):
        written = re.match(r"%%writefile (\S+)\n", cell)
        if written:
            (tmp_path / written[1]).write_text(cell[written.end() :], encoding="utf-8")
        else:
            run(cell, names, lesson.name)
    pyplot.close("all")
    for name in lesson.files:
        sys.modules.pop(name.removesuffix(".py"), None)
    for name in {name for block in lesson.python for name in SAVED.findall(block.text)}:
        # Root mean square difference of pixel values: fonts move text by a little, other data moves the curves.
        assert compare_images(str(lesson.path.parent / name), str(tmp_path / name), tol=4.0) is None
