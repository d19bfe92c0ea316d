"""Tables in LaTeX: what stands between dollars is read by a parser of TeX, and the rest has no character that acts."""

from __future__ import annotations

import re

import pandas as pd
import pytest

from bandits import Policy
from experiments.catalogue import KINDS
from experiments.collect import sheet_of
from numerics.output import markup

CELLS = [
    ("a_b & c", r"a\_b \& c"),
    ("-0.5", "$-0.5$"),
    ("+1,234.5", "$+1{,}234.5$"),
    ("1,234.5", "1,234.5"),
    ("92.45 ± 3.36", r"$92.45 \pm 3.36$"),
    ("33.77 +8.11 −4.35", "$33.77^{+8.11}_{-4.35}$"),
    ("0.0 +0.1", "$0.0^{+0.1}$"),
    ("-4.1 (-20.1 to +12.4)", "$-4.1$ ($-20.1$ to $+12.4$)"),
    ("< 0.0001", "$< 0.0001$"),
    ("2.5e-07", r"$2.5 \times 10^{-7}$"),
    ("1e+06", r"$1 \times 10^{6}$"),
    ("73.1 %", r"73.1 \%"),
    ("7x6, 2-3 and 2026-11-25", "7x6, 2-3 and 2026-11-25"),
    ("stays at -1.", "stays at $-1$."),
    ("a|b ≤ c", r"a$|$b $\leq$ c"),
]


@pytest.mark.parametrize(("text", "expected"), CELLS)
def test_a_text_is_what_an_author_would_write(text: str, expected: str):
    assert _row(text) == expected
    _check(expected)


@pytest.mark.parametrize("name", sorted(Policy.members))
def test_formulas_are_mathematics_where_they_have_no_sentences(name: str):
    formula = dict(KINDS["policies"].card(name).about)["formula"]
    _check(_row(formula, head="formula"))


def test_a_formula_is_typeset():
    assert _row("m + sqrt(2) sqrt(ln t / n)", head="formula") == r"$m + \sqrt{2} \sqrt{\ln t / n}$"
    assert _row("each arm once, argmax m", head="formula") == "each arm once, argmax m"
    assert _row("m", head="policy") == "m"


def test_the_numbers_of_a_column_have_the_same_decimals():
    frame = pd.DataFrame(
        {"policy": ["a", "b", "c"], "c": [0.1, 2.0, None], "mean": [1.5, 10.25, -0.5], "seed": [1, 12345678, 3]}
        | {"p": [1.0, 2e-9, 0.5]}
    )
    (filled,) = sheet_of(frame, None, aligned=True).of(frame)
    rows = re.findall(r"^(.*) \\\\$", filled.latex(), flags=re.MULTILINE)[1:]
    assert rows == [
        "a & 0.1 & 1.50 & 1 & 1",
        r"b & 2.0 & 10.25 & 12345678 & $2 \times 10^{-9}$",
        "c &  & $-0.50$ & 3 & 0.5",
    ]


def _row(text: str, head: str = "text") -> str:
    """Return a cell of a table."""
    found = re.search(r"\\hline\n(.*) \\\\\n\\hline\n\\end", markup.latex("", [head], [False], [[text]]))
    assert found is not None
    return found.group(1)


def _check(cell: str) -> None:
    """Parse what is mathematics, and look for characters that LaTeX would act on, or not know, in the rest."""
    from matplotlib.mathtext import MathTextParser

    plain, *rest = re.split(r"(?<!\\)\$", cell)
    assert len(rest) % 2 == 0
    for inside, outside in zip(rest[::2], rest[1::2], strict=True):
        MathTextParser("path").parse(f"${inside}$")
        plain += outside
    left = re.sub(r"\\(textbackslash|textasciitilde|textasciicircum|ldots)\{\}|\\[&%$#_{}]", "", plain)
    assert not re.search(r"[&%$#_{}~^\\<>|]", left)
    assert left.isascii()
