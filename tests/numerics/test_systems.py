"""What Windows does otherwise, pretended here, and sources that leave nothing to the system."""

from __future__ import annotations

import ast
import errno
import functools
import os
import signal
import sys
import types
from pathlib import Path

import pytest

from connect4 import Board, screen
from connect4.players import program
from mcts import clocks
from numerics import exits, systems
from numerics.output import files
from tests.internals import Processes, RunFolder, atomic_write, processes
from tests.internals import _folder_name as folder_name
from tests.test_architecture import PACKAGES

fcntl = pytest.importorskip("fcntl", reason="Windows need not be pretended")
ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.jit


@pytest.fixture
def windows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have our modules believe that they run on Windows, with no more of it than a test needs."""
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.delattr(signal, "pthread_sigmask")


def test_a_file_system_without_locks_is_used_without_one(tmp_path, monkeypatch):
    def refuse(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)
    with RunFolder.open(tmp_path, {"seed": 0}, "code"):
        pass


def test_a_backslash_of_a_command_line_separates_folders_on_windows(monkeypatch):
    lines = [r"C:\engines\my.exe --fast", "python 'my engine.py'", r"python my\ engine.py"]
    here = [["C:enginesmy.exe", "--fast"], ["python", "my engine.py"], ["python", "my engine.py"]]
    assert [systems.split(line) for line in lines] == here
    monkeypatch.setattr(sys, "platform", "win32")
    there = [[r"C:\engines\my.exe", "--fast"], ["python", "my engine.py"], ["python", "my\\", "engine.py"]]
    assert [systems.split(line) for line in lines] == there
    assert systems.split(r'"C:\my engines\a.exe" 1 # 2') == [r"C:\my engines\a.exe", "1", "#", "2"]
    with pytest.raises(ValueError, match="No closing quotation"):
        systems.split('python "a')


@pytest.mark.usefixtures("windows")
def test_a_rename_waits_for_a_reader_and_then_names_the_file_that_is_open(tmp_path, monkeypatch):
    refused, replace = [3], os.replace

    def busy(source, target):
        if refused[0]:
            refused[0] -= 1
            raise PermissionError(errno.EACCES, "Access is denied", str(source), None, str(target))
        replace(source, target)

    monkeypatch.setattr(os, "replace", busy)
    monkeypatch.setattr(files, "_PAUSES", (0.0,) * 3)
    with files.atomic_write(tmp_path / "a.csv") as beside:
        beside.write_text("1", encoding="utf-8")
    assert (tmp_path / "a.csv").read_text(encoding="utf-8") == "1"
    refused[0] = 9
    with pytest.raises(PermissionError) as caught, files.atomic_write(tmp_path / "a.csv") as beside:
        beside.write_text("2", encoding="utf-8")
    said = exits.explain_error(caught.value)
    assert said is not None
    assert said.startswith(f"{tmp_path / 'a.csv'}: Permission denied; ")
    assert [path.name for path in tmp_path.iterdir()] == ["a.csv"]


@pytest.mark.parametrize("name", ["nul", "CON", "com1", "lpt9.old"])
def test_no_folder_of_figures_is_called_as_a_device_of_windows_is(name):
    assert folder_name([name]) == f"%{ord(name[0]):02X}{name[1:]}"
    assert folder_name([f"my {name}"]) == f"my {name}"


def test_programs_that_start_while_the_clock_stands_still_are_told_apart(monkeypatch):
    noted = []
    monkeypatch.setattr(program, "_notify", noted.append)
    monkeypatch.setattr(program.time, "monotonic_ns", lambda: 1)
    pair = [program.Program("sleep 60", Board()) for _ in range(2)]
    for each in pair:
        each.kill()
    marks = [line.split()[2] for line in noted if line.startswith("+")]
    assert len(set(marks)) == 2, "the watcher would forget the first of them"


def _touch(path: Path) -> None:
    path.touch()


@pytest.mark.long
def test_processes_do_their_tasks_without_signals_that_can_be_held_back_and_never_more_than_61(tmp_path, monkeypatch):
    asked, pool = [], processes.ProcessPoolExecutor

    def few(workers, *more, **options):
        asked.append(workers)
        return pool(2, *more, **options)

    monkeypatch.setattr(processes, "ProcessPoolExecutor", few)
    monkeypatch.setattr(processes, "sys", types.SimpleNamespace(platform="win32", stderr=sys.stderr))
    monkeypatch.delattr(signal, "pthread_sigmask")
    tasks = [functools.partial(_touch, tmp_path / str(number)) for number in range(70)]
    assert len(list(Processes(workers=100).run(tasks))) == len(list(tmp_path.iterdir())) == 70
    assert asked == [61]


def test_colours_are_for_terminals_that_say_that_they_have_them(monkeypatch):
    terminal = types.SimpleNamespace(isatty=lambda: True)
    for name in ("NO_COLOR", "TERM", "WT_SESSION", "ANSICON"):
        monkeypatch.delenv(name, raising=False)
    assert screen.has_colour(terminal)
    monkeypatch.setattr(sys, "platform", "win32")
    assert not screen.has_colour(terminal)
    monkeypatch.setenv("WT_SESSION", "1")
    assert screen.has_colour(terminal)


def test_a_search_ends_in_time_by_a_clock_that_ticks_every_16_ms(monkeypatch):
    now = [0.0]
    ticking = types.SimpleNamespace(thread_time=lambda: now[0] // 0.015625 * 0.015625)
    monkeypatch.setattr(clocks, "time", ticking)
    budget, fits = clocks.Clocks(None, 0.1, 0.0, 0.0), 16
    while fits:
        now[0] += fits * 1e-6  # seconds of a simulation
        fits = budget.fitting(fits)
    assert 0.1 <= now[0] < 0.1 + 2 * 0.015625


# --- the same bytes everywhere --------------------------------------------------------------------------------------


def _writes_text(call: ast.Call) -> bool:
    """Whether a call writes a text file whose line ends the system would choose."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    given = {keyword.arg for keyword in call.keywords}
    if name == "write_text":
        return "encoding" in given and "newline" not in given  # without, it is `store.write_text`
    if name in ("open", "fdopen"):
        modes = [word.value for word in call.args if isinstance(word, ast.Constant) and isinstance(word.value, str)]
        text = any(set(mode) <= set("wax+t") and set(mode) & set("wax") for mode in modes)
        return text and "newline" not in given and "devnull" not in ast.dump(call)
    return False


def _leaves_the_encoding_open(call: ast.Call) -> bool:
    """Whether a call reads or writes text in an encoding that the system would choose."""
    given = {keyword.arg for keyword in call.keywords}
    name = getattr(call.func, "attr", None)
    text = (name == "read_text" and not call.args) or (name == "write_text" and len(call.args) == 1)
    is_a_process = getattr(getattr(call.func, "value", None), "id", "") == "subprocess"
    return "encoding" not in given and (text or bool(given & {"text", "universal_newlines"} and is_a_process))


CHANGING = {"add", "append", "clear", "discard", "extend", "insert", "pop", "popitem", "remove", "setdefault", "update"}


def _has_an_effect(node: ast.AST) -> bool:
    called = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in CHANGING
    return called or isinstance(node, ast.NamedExpr | ast.Await | ast.Yield)


def _calculates_with_an_index(node: ast.BinOp) -> bool:
    """`RangeIndex - 0.14` of pandas 3.1 is a wrong index where its assert does not stop it."""
    ends = [getattr(one, "attr", "") in ("index", "columns") for one in (node.left, node.right)]
    return any(ends) and "self" not in ast.unparse(node)


def test_no_source_leaves_line_ends_or_encodings_to_the_system_or_effects_to_asserts():
    """Ruff sees to calls of open (PLW1514), and to paths that it knows for paths."""
    wrong, asserts = [], 0
    for place in (*PACKAGES, "benchmarks", "docs", ".ci", "noxfile.py"):
        for file in [ROOT / place] if place.endswith(".py") else sorted((ROOT / place).rglob("*.py")):
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                bad = isinstance(node, ast.Call) and _leaves_the_encoding_open(node)
                bad |= isinstance(node, ast.Call) and ".ci" not in file.parts and _writes_text(node)
                if place in PACKAGES and isinstance(node, ast.Assert):
                    asserts += 1
                    bad = any(map(_has_an_effect, ast.walk(node)))
                if bad or (place in PACKAGES and isinstance(node, ast.BinOp) and _calculates_with_an_index(node)):
                    wrong.append(f"{file}:{node.lineno}")
    assert not wrong, "newline= or encoding= is missing, or python -O would do otherwise"
    assert asserts > 20


# --- files that are whole or not there, even after a loss of power ---


@pytest.fixture
def told(monkeypatch):
    """What is flushed to the disk, renamed and removed, in its order; a descriptor by the name of its file."""
    if not Path("/proc/self/fd").is_dir():
        pytest.skip("needs the names of open files")
    told = []

    def tell(name, word, of):
        carry_out = getattr(os, name)

        def call(*given, **more):
            told.append((word, Path(of(*given)).name))
            carry_out(*given, **more)

        monkeypatch.setattr(os, name, call)

    tell("fsync", "flushed", lambda descriptor: os.readlink(f"/proc/self/fd/{descriptor}"))
    tell("replace", "renamed", lambda source, target: target)
    tell("rmdir", "removed", lambda path: path)
    return told


def test_the_content_is_on_the_disk_before_the_name(tmp_path, told):
    with atomic_write(tmp_path / "table.csv") as beside:
        beside.write_text("a,b")
    assert told == [("flushed", beside.name), ("renamed", "table.csv")]


def test_the_manifest_is_there_before_the_shards_go(tmp_path, told):
    with RunFolder.open(tmp_path / "run", {"seed": 0}, "code") as folder:
        told.clear()
        folder.finish({})
    assert [one for one in told if not one[1].startswith(".")] == [("renamed", "manifest.json"), ("removed", "shards")]
