"""The rows of the house: what a command needs of it, and how many ideas and lines it has."""

from __future__ import annotations

import ast
import re
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator
from functools import cache

from benchmarks.processes import ROOT, printed_by
from benchmarks.row import Row

PACKAGES = ("treebandit", "numerics", "bandits", "connect4", "mcts", "configs", "experiments")
_PARTICIPLE = re.compile(
    "[a-z]+ed|begun|built|chosen|done|drawn|found|given|gone|held|hidden|kept|known|left|lent|lost|made|met|said|seen|sent|"
    "shown|spent|spoken|taken|thought|told|torn|understood|won|written"
)
_NO_PARTICIPLES = frozenset(("bed", "exceed", "feed", "imed", "need", "seed", "speed"))
DEFAULT = "experiments.run bandit=ucb hydra.run.dir=FOLDER"

# Counts what one command does: functions are those called outside of imports, also in threads.
_COUNT = """
import contextlib, io, os, runpy, sys, threading
root, folder = sys.argv[1] + os.sep, sys.argv[2]
command = sys.argv[3].replace("FOLDER", folder + os.sep + "run").split()
called, importing = set(), 0

def is_ours(file):
    return bool(file) and file.startswith(root) and os.sep + ".venv" not in file

def watch(frame, event, argument):
    global importing
    code = frame.f_code
    if code.co_name == "_find_and_load" and code.co_filename.startswith("<frozen"):
        importing += {"call": 1, "return": -1}.get(event, 0)
    elif event == "call" and not importing and is_ours(code.co_filename) and code.co_name[0] != "<":
        called.add((code.co_filename, code.co_firstlineno))

said = io.StringIO()
with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
    if command[0] == "import":
        __import__(command[1])
    else:
        sys.argv = command
        threading.setprofile(watch)
        sys.setprofile(watch)
        try:
            runpy.run_module(command[0], run_name="__main__", alter_sys=True)
        except SystemExit as ended:
            assert ended.code in (0, None), said.getvalue()
        sys.setprofile(None)
modules = sum(is_ours(getattr(module, "__file__", None)) for module in list(sys.modules.values()))
print(modules, len(called), len({file for file, _ in called}))
"""


def rows() -> Iterator[Row]:
    """Return a line for each measure of the house."""
    _counted(DEFAULT)  # compiles what the next one finds on disk
    modules, functions, files = _counted(DEFAULT)
    yield _at_most("modules imported by the default run", modules, 150)
    yield _at_most("modules imported by `import bandits`", _counted("import bandits")[0], 60)
    yield _at_most("modules imported by --help", _counted("experiments.run --help")[0], 60)
    yield _at_most("functions called by the default run", functions, 260)
    yield _at_most("files in which they stand", files, 60)
    yield _at_most("lines of the packages", _lines(PACKAGES), 58_000)
    yield _at_most("lines of the tests", _lines(["tests"]), 40_500)
    yield _at_most("functions whose name is a bare participle", len(_named(is_participle)), 0)
    yield _at_most("functions called play", len(_named("play".__eq__)), 3)
    yield _at_most("functions that pool seeds", len(_named(lambda name: name.startswith("pool"))), 1)
    yield _at_most("functions that draw whiskers", len(_users("errorbar")), 1)
    yield _at_most("functions that draw a heat map", len(_users("heatmap", "imshow", "pcolormesh")), 1)
    yield _at_most("functions that make an axis logarithmic", len(_users("set_xscale", "set_yscale")), 1)
    yield _at_most("sentences of docstrings with more than 35 words", len(long_sentences(35)), 0)


def _counted(command: str) -> tuple[int, int, int]:
    """Return the project's modules that a command imports, the functions that it calls, and the files of these."""
    with tempfile.TemporaryDirectory() as folder:
        modules, functions, files = map(int, printed_by(_COUNT, str(ROOT), folder, command).split())
    return modules, functions, files


def _lines(folders: Iterable[str]) -> int:
    """Return the lines of the tracked Python files of some folders."""
    return sum(len((ROOT / name).read_bytes().splitlines()) for name in _tracked(*folders))


@cache
def _tracked(*folders: str) -> list[str]:
    command = ["git", "ls-files", *(f"{folder}/*.py" for folder in folders)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=True)
    return [name for name in done.stdout.split() if (ROOT / name).exists()]


@cache
def _trees() -> dict[str, ast.Module]:
    """Return the syntax trees of the packages by the paths of their files."""
    return {name: ast.parse((ROOT / name).read_text(encoding="utf-8")) for name in _tracked(*PACKAGES)}


def is_participle(name: str) -> bool:
    """Return whether a name is one word, a participle: it leaves open whether it checks, changes or returns.

    Examples
    --------
    >>> [name for name in ("shown", "joined", "_kept", "show", "need", "joined_rows") if is_participle(name)]
    ['shown', 'joined', '_kept']
    """
    word = name.strip("_")
    return _PARTICIPLE.fullmatch(word) is not None and word not in _NO_PARTICIPLES


def _named(is_meant: Callable[[str], bool]) -> list[str]:
    """Return the functions of modules whose names are meant, as file:name."""
    functions = ((file, node) for file, tree in _trees().items() for node in tree.body)
    return [
        f"{file}:{node.name}" for file, node in functions if isinstance(node, ast.FunctionDef) and is_meant(node.name)
    ]


def _users(*methods: str) -> set[str]:
    """Return the functions that name one of some methods of axes, as file:name."""
    return {
        f"{file}:{function.name}"
        for file, tree in _trees().items()
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.Attribute) and node.attr in methods
    }


def long_sentences(words: int) -> list[str]:
    """Return the sentences of docstrings that have more than some words; examples and formulas are none."""
    nodes = (node for tree in _trees().values() for node in ast.walk(tree))
    texts = (ast.get_docstring(node) for node in nodes if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef))
    sentences = (sentence for text in texts for block in _prose(text or "") for sentence in _SENTENCE_END.split(block))
    return [sentence for sentence in sentences if len(sentence.split()) > words]


_SENTENCE_END = re.compile(r"(?<=[.:;?!])\s")


def _prose(text: str) -> Iterator[str]:
    """Yield the paragraphs of a docstring, and what its sections say of each item."""
    for paragraph in re.split(r"\n\s*\n", text.partition("Examples\n---")[0]):
        head, line, items = paragraph.partition("\n---")
        if line:
            yield from re.split(r"\n(?=\S)", items.partition("\n")[2].replace("\n    ", " "))
        elif not paragraph.startswith((" ", ">>>")):
            yield head


def _at_most(what: str, count: int, limit: int) -> Row:
    return Row(what, f"{count:,}", f"limit {limit:,}", (limit + 1) / (count + 1), 1.0, count <= limit)
