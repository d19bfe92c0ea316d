"""Tables of plain texts as Markdown and LaTeX."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

_LATEX = str.maketrans(
    {sign: f"\\{sign}" for sign in "&%$#_{}"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "−": "$-$", "±": r"$\pm$"}
    | {"<": "$<$", ">": "$>$", "…": r"\ldots{}"}
)
_MINUS = re.compile(r"(?<![\w.-])-(?=\d)")  # before a number, not within a word or a range such as 2-3


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
    r"""Return a table in LaTeX, which needs no package; parameters as those of `markdown`.

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
    head, *body = (" & ".join(map(_latex, line)) + r" \\" for line in (heads, *rows))
    ruled = [row + r" \hline" * (index in lines) for index, row in enumerate(body)]
    caption = [rf"\caption{{{_latex(title)}}}"] if title else []
    inside = [rf"\begin{{tabular}}{{{sides}}}", r"\hline", head, r"\hline", *ruled, r"\hline", r"\end{tabular}"]
    return "\n".join([r"\begin{table}", *caption, *inside, r"\end{table}"])


def _latex(text: str) -> str:
    """Return a text as LaTeX; the hyphen of a negative number becomes a minus sign."""
    return _MINUS.sub("−", text).translate(_LATEX)
