"""Each number of the paper stands on a page of the documentation, beside the command that prints it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
TEXT = (ROOT / "paper" / "paper.md").read_text(encoding="utf-8")
BODY = TEXT.split("---\n", 2)[2]


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
