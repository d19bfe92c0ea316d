"""Each number of the paper stands on a page of the documentation, beside the command that prints it."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
TEXT = (ROOT / "paper" / "paper.md").read_text(encoding="utf-8")
BODY = TEXT.split("---\n", 2)[2]
BIBLIOGRAPHY = (ROOT / "paper" / "paper.bib").read_text(encoding="utf-8")
NUMBER = r"(?<![\w.,])\d+(?:,\d{3})*(?:\.\d+)?(?![\w,]*\d)"
ROWS = re.findall(
    r"^\| ([\d.,]+) \| (\S+) \| `(.+)` \|$", (ROOT / "paper" / "numbers.md").read_text(encoding="utf-8"), re.MULTILINE
)

pytestmark = pytest.mark.jit


def numbers(text: str) -> set[str]:
    return set(re.findall(NUMBER, text))


def measured(body: str) -> set[str]:
    """Return the numbers of the paper, but for those in names and links, and those of its own tables and figures."""
    return numbers(re.sub(r"`[^`]*`|\]\([^)]*\)|\[@[^\]]*\]|Connect 4|(?:Table|Figure) \d", " ", body))


def test_every_number_of_the_paper_has_a_row_and_every_row_a_number():
    assert len(ROWS) > 30
    assert measured(BODY) == {number for number, _, _ in ROWS}


@pytest.mark.parametrize(("number", "page", "command"), ROWS)
def test_a_number_stands_on_its_page_beside_its_command(number, page, command):
    text = (ROOT / page).read_text(encoding="utf-8")
    assert command in text
    prose = "\n".join(line for line in text.splitlines() if not line.startswith("python -m "))
    assert number in numbers(prose)


def test_the_numbers_are_told_from_names():
    text = "UCB1 in `a 3` [@auer2002finite] of Connect 4 (Figure 2): 1,480, 0.66; 91.3 to 92.8 %, 75 %."
    assert measured(text) == {"1,480", "0.66", "91.3", "92.8", "75"}


def test_the_paper_is_in_the_form_of_the_journal():
    for key in ("title:", "tags:", "authors:", "affiliations:", "date:", "bibliography: paper.bib"):
        assert f"\n{key}" in TEXT
    heads = re.findall(r"^# (.+)$", BODY, flags=re.MULTILINE)
    wanted = {"Summary", "Statement of need", "State of the field", "Software design", "Research impact statement"}
    assert wanted | {"AI usage disclosure", "Acknowledgements"} <= {*heads}
    assert heads[-1] == "References"
    assert 750 <= len(BODY.split()) <= 1_250


def test_every_source_is_cited_and_every_figure_is_there():
    entries = re.findall(r"^@\w+\{(\w+),", BIBLIOGRAPHY, flags=re.MULTILINE)
    assert len(entries) == len({*entries})
    assert {*re.findall(r"@(\w+)", BODY)} == {*entries}
    for figure in re.findall(r"!\[[^\]]*\]\(([^)]+)\)", BODY):
        assert (ROOT / "paper" / figure).is_file()


def test_the_paper_is_built_with_its_sources_and_figures(tmp_path, program):
    program("pandoc")
    for name in ("Makefile", "pyproject.toml", "constraints.txt", "paper", "docs/questions", "docs/measured"):
        target = tmp_path / name
        target.parent.mkdir(exist_ok=True)
        shutil.copytree(ROOT / name, target) if (ROOT / name).is_dir() else shutil.copy(ROOT / name, target)
    subprocess.run([program("make"), "paper"], cwd=tmp_path, check=True, timeout=300, capture_output=True)
    page = (tmp_path / "build" / "paper" / "paper.html").read_text(encoding="utf-8")
    assert page.count("data:image/png") == 2
    assert "The treebandit developers" in page
    assert "Kocsis" in page.rpartition("References")[2]
    assert 'content: "Figure " counter(figure)' in page  # the text names figures by number
    pdf = tmp_path / "build" / "paper" / "paper.pdf"
    assert not pdf.exists() or pdf.read_bytes().startswith(b"%PDF")  # with xelatex or chromium
