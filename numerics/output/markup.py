"""Tables of plain texts as Markdown and LaTeX."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from numerics.output import formulas

_LATEX = str.maketrans(
    {sign: f"\\{sign}" for sign in "&%$#_{}"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "…": r"\ldots{}"}
    | {
        "−": "$-$",
        "±": r"$\pm$",
        "≤": r"$\leq$",
        "<": "$<$",
        ">": "$>$",
        "|": "$|$",
        "·": r"$\cdot$",
        "½": r"$\frac12$",
    }
)
_NUMBER = r"\d+(?:,\d{3})*(?:\.\d+)?(?:e[-+]?\d+)?"
# A number with its sign or error, not within a word or a range such as 2-3.
_SIGNED = re.compile(
    rf"(?<![\w.+−-])(?P<relation>[<>] )?(?P<sign>[-+−]?)(?P<number>{_NUMBER})"
    rf"(?: ± (?P<error>{_NUMBER})|(?P<up> \+{_NUMBER})?(?P<down> [-−]{_NUMBER})?)(?!\w|\.\d)"
)
_POWER = re.compile(r"e([-+]?)0*(\d+)")


def markdown(title: str, heads: Sequence[str], right: Sequence[bool], rows: Sequence[Sequence[str]]) -> str:
    r"""Return a title, if there is one, and below it a table in Markdown.

    Parameters
    ----------
    title : str
        The words above it; none if empty.
    heads : sequence of str
        The words above each column.
    right : sequence of bool
        Whether each column stands on the right.
    rows : sequence of sequences of str
        The texts of each row.

    Examples
    --------
    >>> print(markdown("", ["player", "score"], [False, True], [["a|b", "0.5"]]))
    | player | score |
    | --- | --: |
    | a\|b | 0.5 |
    """
    sides = ["--:" if side else "---" for side in right]
    lines = [" | ".join(cell.replace("|", "\\|") for cell in line) for line in (heads, sides, *rows)]
    return "\n".join([*([title, ""] if title else []), *(f"| {line} |" for line in lines)])


def latex(
    title: str,
    heads: Sequence[str],
    right: Sequence[bool],
    rows: Sequence[Sequence[str]],
    lines: Collection[int] = (),
) -> str:
    r"""Return a table in LaTeX; parameters as those of `markdown`.

    It needs no package but amsmath, for the policies' formulas in a column of this name.

    Parameters
    ----------
    lines : collection of int
        The indices of the rows below which a line stands.

    Examples
    --------
    >>> print(latex("50 % of all", ["player", "score"], [False, True], [["a_b", "0.5"]]))
    \begin{table}
    \caption{50 \% of all}
    \begin{tabular}{lr}
    \hline
    player & score \\
    \hline
    a\_b & 0.5 \\
    \hline
    \end{tabular}
    \end{table}
    """
    sides = "".join("r" if side else "l" for side in right)
    head, *body = (" & ".join(map(_cell, heads, line)) + r" \\" for line in (heads, *rows))
    ruled = [row + r" \hline" * (index in lines) for index, row in enumerate(body)]
    caption = [rf"\caption{{{_latex(title)}}}"] if title else []
    inside = [rf"\begin{{tabular}}{{{sides}}}", r"\hline", head, r"\hline", *ruled, r"\hline", r"\end{tabular}"]
    return "\n".join([r"\begin{table}", *caption, *inside, r"\end{table}"])


def _cell(head: str, text: str) -> str:
    """Return a cell as LaTeX: formulas without sentences, and numbers with signs, are mathematics."""
    typeset = formulas.tex(text) if head == "formula" != text else None
    return f"${typeset}$" if typeset else _latex(text)


def _latex(text: str) -> str:
    r"""Return a text as LaTeX.

    Examples
    --------
    >>> print(_latex("a_b -0.5, 1.0 ± 0.2, 3 +0.1 −0.2, < 0.001, 2e-07, 2-3"))
    a\_b $-0.5$, $1.0 \pm 0.2$, $3^{+0.1}_{-0.2}$, $< 0.001$, $2 \times 10^{-7}$, 2-3
    """
    written, end = "", 0
    for match in _SIGNED.finditer(text):
        written += text[end : match.start()].translate(_LATEX) + _number(match)
        end = match.end()
    return written + text[end:].translate(_LATEX)


def _number(match: re.Match[str]) -> str:
    """Return a number as LaTeX: a plain one as it is, any other as mathematics."""
    relation, sign, number, error, up, down = (part or "" for part in match.groups())
    if not any((relation, sign, error, up, down)) and "e" not in number:
        return number
    errors = (
        rf" \pm {error}"
        if error
        else "".join(f"{mark}{{{end.strip()}}}" for mark, end in (("^", up), ("_", down)) if end)
    )
    text = f"{relation}{sign}{number}{errors}".replace("−", "-").replace(",", "{,}")
    return f"${_POWER.sub(_power, text)}$"


def _power(match: re.Match[str]) -> str:
    return rf" \times 10^{{{match[1].replace('+', '')}{match[2]}}}"
