"""The rows of how much of the project a command needs: modules imported, functions called, lines, seconds."""

from __future__ import annotations

import statistics
import subprocess
import tempfile
from collections.abc import Iterator

from benchmarks.processes import ROOT, printed_by, seconds_of, seconds_of_a_run
from benchmarks.row import Row, within

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
    modules, functions, files = _counted(DEFAULT)
    yield _at_most("modules imported by the default run", modules, 150)
    yield _at_most("modules imported by `import bandits`", _counted("import bandits")[0], 60)
    yield _at_most("modules imported by --help", _counted("experiments.run --help")[0], 60)
    yield _at_most("functions called by the default run", functions, 400)
    yield _at_most("files in which they stand", files, 95)
    yield within("--help", statistics.median(seconds_of("experiments.run", "--help") for _ in range(5)), 0.6)
    yield within("the default run, the second time", seconds_of_a_run("bandit=ucb"), 2.5)
    yield _at_most("lines of the packages", _lines("*.py", "!tests", "!benchmarks", "!docs", "!paper", "!.ci"), 58_000)
    yield _at_most("lines of the tests", _lines("tests/*.py"), 40_500)


def _counted(command: str) -> tuple[int, int, int]:
    """Return the project's modules that a command imports, the functions that it calls, and the files of these."""
    with tempfile.TemporaryDirectory() as folder:
        modules, functions, files = map(int, printed_by(_COUNT, str(ROOT), folder, command).split())
    return modules, functions, files


def _lines(*patterns: str) -> int:
    """Return the lines of the tracked files of some patterns, those behind a ! left out."""
    chosen = [f":(exclude){pattern[1:]}" if pattern.startswith("!") else pattern for pattern in patterns]
    names = subprocess.run(
        ["git", "ls-files", *chosen], cwd=ROOT, capture_output=True, encoding="utf-8", check=True
    ).stdout.split()
    return sum(len((ROOT / name).read_bytes().splitlines()) for name in names if (ROOT / name).exists())


def _at_most(what: str, count: int, limit: int) -> Row:
    return Row(what, f"{count:,}", f"limit {limit:,}", limit / count, 1.0, count <= limit)
