"""Tables in Markdown and LaTeX: signs are mathematics, and no character of a text acts."""

from __future__ import annotations

import re

import pandas as pd
import pytest

from experiments.collect import sheet_of
from tests.internals import Sheet, word

CELLS = [
    ("a_b & c", r"a\_b \& c"),
    ("-0.5", "$-$0.5"),
    ("92.45 ± 3.36", r"92.45 $\pm$ 3.36"),
    ("33.77 +8.11 −4.35", "33.77 +8.11 $-$4.35"),
    ("-4.1 (-20.1 to +12.4)", "$-$4.1 ($-$20.1 to +12.4)"),
    ("< 0.0001", "$<$ 0.0001"),
    ("2.5e-07", "2.5e-07"),
    ("73.1 %", r"73.1 \%"),
    ("7x6, 2-3 and 2026-11-25", "7x6, 2-3 and 2026-11-25"),
    ("a|b ≤ c", r"a$|$b $\leq$ c"),
]


@pytest.mark.parametrize(("text", "expected"), CELLS)
def test_a_text_is_what_an_author_would_write(text: str, expected: str):
    (filled,) = Sheet("", "50 % of all", [word("text")]).of(pd.DataFrame({"text": [text]}))
    assert f"\\midrule\n{expected} \\\\\n\\bottomrule" in filled.latex()
    assert r"\caption{50 \% of all}" in filled.latex()


def test_an_upright_line_in_a_cell_of_markdown_is_no_edge():
    (filled,) = Sheet("", "", [word("text")]).of(pd.DataFrame({"text": ["a|b"]}))
    assert filled.markdown() == "| text |\n| --- |\n| a\\|b |"


def test_the_numbers_of_a_column_have_the_same_decimals():
    frame = pd.DataFrame(
        {"policy": ["a", "b", "c"], "c": [0.1, 2.0, None], "mean": [1.5, 10.25, -0.5], "seed": [1, 12345678, 3]}
        | {"p": [1.0, 2e-9, 0.5]}
    )
    (filled,) = sheet_of(frame, None, aligned=True).of(frame)
    rows = re.findall(r"^(.*) \\\\$", filled.latex(), flags=re.MULTILINE)[1:]
    assert rows == ["a & 0.1 & 1.50 & 1 & 1", "b & 2.0 & 10.25 & 12345678 & 2e-09", "c &  & $-$0.50 & 3 & 0.5"]
