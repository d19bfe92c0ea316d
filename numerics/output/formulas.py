"""Formulas of policies as TeX, where they are mathematics from end to end; those with sentences in them stay text."""

from __future__ import annotations

import re

WORDS = {
    **{name: rf"\{name}" for name in ("ln", "max", "min", "exp", "theta")},
    **{name: rf"\operatorname{{{name}}}" for name in ("argmax", "kl", "Beta", "Gumbel")},
    "ln+": r"\ln^+",
    "else": r"\text{else }",
    "<=": r"\leq",
    "~": r"\sim",
    ":": r":\;",
}
TOKEN = re.compile(r"(?P<open>sqrt\(|\^\(|\()|(?P<word>ln\+|[A-Za-z]+|<=|[~:])|(?P<rest>[\d.]+|[-+/^=,)]|\s+)")


def tex(formula: str) -> str | None:
    r"""Return a formula as TeX, or None if it has other words than those of mathematics.

    Examples
    --------
    >>> tex("m + sqrt(2) sqrt(ln t / n)")
    'm + \\sqrt{2} \\sqrt{\\ln t / n}'
    >>> tex("any arm, probability 1 / K")
    """
    written, closing, at = "", [], 0
    while at < len(formula):
        match = TOKEN.match(formula, at)
        if match is None or (match["word"] and len(match["word"]) > 1 and match["word"] not in WORDS):
            return None
        at = match.end()
        token = match.group()
        if match["open"]:
            written += {"sqrt(": r"\sqrt{", "^(": "^{", "(": "("}[token]
            closing.append(")" if token == "(" else "}")
        elif token == ")":
            written += closing.pop()
        elif token == "," and not closing:
            written += r",\quad"
        else:
            written += WORDS.get(token, token)
    return written
