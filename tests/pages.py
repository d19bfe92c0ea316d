"""Pages for people, README.md and docs/, as tests read them: their snippets, commands, outputs and links.

What a page's author has to know:

- A block without a language holds commands, a line each, or what they print: `python -m experiments.run ...`, or the
  same as `treebandit run ...`.
- A command runs with small numbers (`SMALL` in tests/experiments/test_pages.py), unless the block below shows what it
  prints. One of more than ten seconds says how long it takes, `# 20 seconds` or `# 3 minutes` at its end: it is small
  in any case, and of what the page shows of it all but the numbers must be printed.
- A block of `python` runs in the order of the page, with the names of the blocks before it. `# 2 minutes` in its first
  line makes it small too. If the first line is `# my_rules.py`, the block is of that file of the user's, and
  other blocks import what they use of it.
- A block of `diff` changes a copy of the project, in which the page's commands run (tests/test_extend.py).
- An expression with a comment that is a Python literal, such as `board.legal_moves()[0]  # 0`, must have that value,
  and print as it: `int(result.visits.sum())` is `# 2000`, without it `# np.int64(2000)`.
"""

from __future__ import annotations

import ast
import re
import shlex
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from treebandit.commands import COMMANDS

ROOT = Path(__file__).resolve().parents[1]
FENCE = re.compile(r"^(?P<fence>```+)(?P<kind>[^\n`]*)\n(?P<text>.*?)^(?P=fence)[ ]*$", flags=re.DOTALL | re.MULTILINE)
TIME = re.compile(r"#.*\b(?:second|minute|hour)s?\b")


@dataclass(frozen=True)
class Line:
    """A command as a page prints it."""

    text: str

    @property
    def words(self) -> list[str]:
        """The words after `python -m`; those of `treebandit run` begin with `experiments.run`."""
        first, *words = shlex.split(self.text, comments=True)
        if first != "treebandit":
            return words[1:]
        return [COMMANDS[words[0]][0], *words[1:]] if words[0] in COMMANDS else [first, *words]

    @property
    def module(self) -> str:
        return self.words[0]

    @property
    def time(self) -> str:
        """What the page says of how long it takes: `3 minutes`, or nothing."""
        found = TIME.search(self.text)
        return found.group()[1:].strip() if found else ""


@dataclass(frozen=True)
class Block:
    """A fenced block of a page."""

    kind: str
    text: str

    @property
    def lines(self) -> list[Line]:
        """The commands in it."""
        starts = ("python -m ", "treebandit ")
        return [Line(line) for line in self.text.splitlines() if not self.kind and line.startswith(starts)]

    @property
    def file(self) -> str | None:
        """The user's file that this block is of."""
        named = re.match(r"# (\w+\.py)\b", self.text)
        return named.group(1) if named and self.kind == "python" else None

    @property
    def slow(self) -> bool:
        return TIME.search(self.text.partition("\n")[0]) is not None

    @property
    def is_output(self) -> bool:
        """Whether it is what commands print."""
        return not self.kind and not re.search(
            r"^(python|make|pip|source|treebandit|sbatch|array=|eval)", self.text, re.M
        )


@dataclass(frozen=True)
class Page:
    """One page."""

    path: Path

    @property
    def name(self) -> str:
        """Its name in docs/, as guides/own_rules."""
        return self.path.relative_to(ROOT).as_posix().removeprefix("docs/").removesuffix(".md")

    @cached_property
    def text(self) -> str:
        return self.path.read_text(encoding="utf-8")

    @cached_property
    def blocks(self) -> list[Block]:
        return [Block(one["kind"].strip(), one["text"]) for one in FENCE.finditer(self.text)]

    @property
    def lines(self) -> list[Line]:
        return [line for block in self.blocks for line in block.lines]

    @property
    def links(self) -> list[str]:
        """Where its links and pictures lead, but for other people's sites."""
        found = re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`\n]*`", "", FENCE.sub("", self.text)))
        return [link for link in found if "://" not in link]

    @cached_property
    def anchors(self) -> set[str]:
        """What a link can have behind its #."""
        heads = re.findall(r"^#+ (.*)$", FENCE.sub("", self.text), flags=re.MULTILINE)
        return {re.sub(r"[^\w\- ]", "", head.lower()).strip().replace(" ", "-") for head in heads}

    @property
    def python(self) -> list[Block]:
        return [block for block in self.blocks if block.kind == "python"]

    @property
    def files(self) -> dict[str, str]:
        """The user's files that the page shows, by their names."""
        files: dict[str, str] = {}
        for block in self.python:
            if block.file:
                files[block.file] = f"{files.get(block.file, '')}{block.text}\n\n"
        return files

    @property
    def has_diffs(self) -> bool:
        """Whether its commands need the project changed as its diffs say: tests/test_extend.py runs those."""
        return any(block.kind == "diff" for block in self.blocks)

    def write_files(self, folder: Path) -> None:
        """Write the page's files."""
        for name, text in self.files.items():
            (folder / name).write_text(text, encoding="utf-8")


def page(name: str) -> Page:
    """Return the page of a name: README, or a path in docs/ without its end, as guides/own_rules."""
    return Page(ROOT / "README.md" if name == "README" else ROOT / "docs" / f"{name}.md")


PAGES = [
    Page(path) for path in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))] if "generated" not in path.parts
]
ROWS = [(one, line) for one in PAGES if not one.has_diffs for line in one.lines]


def run(text: str, names: dict[str, object], place: str) -> None:
    """Run a snippet, a statement at a time; assert the values that its comments state."""
    lines = text.splitlines()
    for node in ast.parse(text).body:
        last = lines[(node.end_lineno or node.lineno) - 1]
        if not isinstance(node, ast.Expr):
            exec(compile(ast.Module([node], []), place, "exec"), names)
            continue
        value = eval(compile(ast.Expression(node.value), place, "eval"), names)
        comment = last[node.end_col_offset :].partition("#")[2].strip()
        try:
            stated = ast.literal_eval(comment)
        except (SyntaxError, ValueError):
            continue
        assert (value, repr(value)) == (stated, repr(stated)), f"{place}: {last}"
