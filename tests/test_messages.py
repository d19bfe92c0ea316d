"""What the program prints is in sentences of at most twenty words."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest

from tests.pages import ROOT

PACKAGES = ("bandits", "connect4", "experiments", "mcts", "numerics", "treebandit")
LEAST, LONGEST = 5, 20  # words of a message, shorter ones are names and labels; of a sentence
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


def strings(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield the outermost strings of a module with their lines, without its docstrings."""
    for child in ast.iter_child_nodes(tree):
        if isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant):
            continue  # a docstring
        text = text_of(child)
        if text is None:
            yield from strings(child)
        else:
            yield child.lineno, " ".join(text.split())  # type: ignore[attr-defined]


def is_message(text: str) -> bool:
    """Return whether a string is a sentence for readers, and not a label or code of another kind."""
    return len(WORD.findall(text)) >= LEAST and " " in text.strip() and not any(code.match(text) for code in CODE)


def longest_sentence(message: str) -> int:
    """Return the number of words of the longest sentence of a message, without numbers and symbols of a formula."""
    return max(len(re.findall(r"\S*[^\W\d_]{2}\S*|\{\.\.\.\}\S*", part)) for part in SENTENCES.split(message))


@pytest.mark.parametrize("package", PACKAGES)
def test_no_sentence_is_long(package: str):
    paths = sorted((ROOT / package).rglob("*.py"))
    found = [(path, *one) for path in paths for one in strings(ast.parse(path.read_text(encoding="utf-8")))]
    messages = [(path, line, text) for path, line, text in found if is_message(text)]
    assert len(messages) > len(paths) / 8
    assert [one for one in messages if longest_sentence(one[-1]) > LONGEST] == []


def test_every_sentence_of_a_message_counts_and_code_is_none():
    ((_, text),) = strings(ast.parse('raise ValueError(f"c must be at least {low}; " + f"got {c}. Leave it out.")'))
    assert text == "c must be at least {...}; got {...}. Leave it out."
    assert is_message(text)
    assert longest_sentence(text) == 5
    for code in (
        "void(int64[::1], int64, uint64[:, ::1], float64, boolean)",
        '<text x="{...}" font-family="DejaVu Sans, Verdana, Arial, sans-serif">',
        "table.sheet td { text-align: right; padding: 0 1em; }",
        "SELECT name, policy, arms, features FROM agents WHERE name = ?",
        "a short label",
    ):
        assert not is_message(code)
