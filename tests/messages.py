"""The sentences that the program prints, in a table for readers: tests/data/messages.txt.

`python -m tests.messages` writes the table again after a message has changed. Values stand as `{...}`. The table has
only strings of at least five words, because shorter ones are names and labels.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TABLE = ROOT / "tests" / "data" / "messages.txt"
PACKAGES = ("bandits", "connect4", "experiments", "mcts", "numerics", "treebandit")
WORDS = 5
LONGEST = 20  # words of a sentence
SENTENCES = re.compile(r"(?<=[.!?;])\s+")  # "; got 3" counts as a sentence
WORD = re.compile(r"[^\W\d_]{2,}")
CODE = (
    re.compile(r"[\w{][\w{}., ()]*\(.*(int64|float64|uint64|boolean)\b.*\)$"),  # a kernel's signature
    re.compile(r"(\{\.\.\.\})*\s*<[a-z!/]"),  # HTML and SVG
    re.compile(r"[^{]*[\w\])*]\s*\{[^{}]*[\w-]+:[^{}]*;"),  # CSS
    re.compile(r"(display|width|height|margin|padding|border|color)[a-z-]*: [^;:]+;"),  # the style of an element
    re.compile(r"(default-src|\s*(const|let) \w+ =|function\s*\w*\()"),  # a policy of content, and JavaScript
    re.compile(r"\s*(SELECT|INSERT|CREATE|UPDATE|DELETE|ALTER|DROP|PRAGMA|BEGIN)\s"),  # SQL
    re.compile(r"\s*(def \w+\(|(import|from) \w+(\.\w+)*( import|,|;|\n))"),  # Python for another process
)


def text_of(node: ast.AST) -> str | None:
    """Return a string with its values as `{...}`, also one joined of parts; None for other code."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.JoinedStr):
        return "".join(text_of(part) or "{...}" for part in node.values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        parts = text_of(node.left), text_of(node.right)
        return None if parts == (None, None) else "".join(part or "{...}" for part in parts)
    return None


def strings(tree: ast.AST) -> Iterator[str]:
    """Yield the outermost strings of a module, without its docstrings."""
    for child in ast.iter_child_nodes(tree):
        if isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant):
            continue  # a docstring
        text = text_of(child)
        if text is None:
            yield from strings(child)
        else:
            yield text


def is_message(text: str) -> bool:
    """Return whether a string is a sentence for readers, and not a label or code of another kind."""
    return len(WORD.findall(text)) >= WORDS and " " in text.strip() and not any(code.match(text) for code in CODE)


def messages() -> list[str]:
    """Return the lines of the table, module and sentence, in the order of the source."""
    lines = []
    for path in sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py")):
        name = path.relative_to(ROOT).as_posix()
        found = strings(ast.parse(path.read_text(encoding="utf-8")))
        lines += [f"{name}: {' '.join(text.split())}" for text in found if is_message(text)]
    return lines


def longest_sentence(message: str) -> int:
    """Return the number of words of the longest sentence of a message, without numbers and symbols of a formula.

    Examples
    --------
    >>> longest_sentence("c must be at least 0; got -1. Leave it out.")
    4
    """
    return max(len(re.findall(r"\S*[^\W\d_]{2}\S*|\{\.\.\.\}\S*", part)) for part in SENTENCES.split(message))


if __name__ == "__main__":
    TABLE.write_text("".join(f"{line}\n" for line in messages()), encoding="utf-8")
