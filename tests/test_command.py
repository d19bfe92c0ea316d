"""`treebandit` starts every command by its name, and a Python without the libraries is answered."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from numerics import __version__, starting
from tests.refusals import assert_sentence
from treebandit.commands import COMMANDS

ROOT = Path(__file__).resolve().parents[1]
# The command itself, what makes data that comes along, a process that `player=program` starts, and a template.
NOT_OFFERED = {
    "treebandit",
    "experiments.exact_table",
    "experiments.graded_positions",
    "connect4.players.orphans",
    "connect4.templates.engine",
}


def process(*words: str, cwd: Path = ROOT, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *words], cwd=cwd, env=os.environ | environment, capture_output=True, text=True, timeout=300
    )


def test_every_command_of_the_project_is_offered():
    files = [
        path for room in ("connect4", "experiments", "numerics", "treebandit") for path in (ROOT / room).rglob("*.py")
    ]
    modules = {
        ".".join((path.parent if path.stem == "__main__" else path.with_suffix("")).relative_to(ROOT).parts)
        for path in files
        if path.stem == "__main__" or '\nif __name__ == "__main__":' in path.read_text(encoding="utf-8")
    }
    assert modules - NOT_OFFERED == {module for module, _ in COMMANDS.values()}


def test_help_has_a_line_for_each_command_and_loads_none():
    done = process("-X", "importtime", "-m", "treebandit")
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert all(len([line for line in lines if line.split()[:1] == [name]]) == 1 for name in COMMANDS)
    assert max(map(len, lines)) <= 90
    loaded = {line.rpartition("|")[2].strip().partition(".")[0] for line in done.stderr.splitlines()}
    assert "treebandit" in loaded
    assert not loaded & {"numpy", "experiments", "connect4", "hydra"}


def test_the_version_is_printed():
    assert process("-m", "treebandit", "--version").stdout == f"treebandit {__version__}\n"


@pytest.mark.parametrize(("word", "near"), [("slove", "solve"), ("--vresion", None)])
def test_an_unknown_command_is_one_sentence_with_the_nearest_name(word, near):
    done = process("-m", "treebandit", word, "bandit=ucb")
    assert (done.returncode, done.stdout) == (2, "")
    assert_sentence(
        done.stderr.removesuffix("\n"), "COMMAND", repr(word), ", ".join(COMMANDS), f"{near}?" if near else ""
    )


@pytest.mark.sampled(1)
@pytest.mark.jit
@pytest.mark.parametrize(
    ("words", "status", "part"),
    [
        (["solve", "1212121"], 2, "1212121"),
        (["sprt", "--help"], 0, "usage: treebandit sprt COUNTS [KEY=VALUE ...]"),
        (["sprt", "ello0=5"], 2, "treebandit sprt"),
        (["run", "bandit=ubc"], 2, "ucb?"),
    ],
)
def test_a_command_ends_as_its_module_does(words, status, part):
    done = process("-m", "treebandit", *words)
    assert done.returncode == status
    assert part in done.stdout + done.stderr


@pytest.mark.parametrize("words", [["-m", "experiments.run"], ["-m", "treebandit", "run", "bandit=ucb"]])
def test_a_python_without_our_libraries_is_answered_with_how_to_get_them(words):
    done = process("-S", *words, PYTHONPATH=str(ROOT))  # -S: without the environment's packages
    assert (done.returncode, done.stdout) == (2, "")
    assert_sentence(done.stderr.removesuffix("\n"), "numpy", sys.executable, "activate")


@pytest.mark.parametrize(
    ("platform", "how"),
    [
        ("linux", "source .venv/bin/activate"),
        ("win32", r".nox\run\Scripts\Activate.ps1"),
    ],
)
def test_an_environment_is_activated_as_the_system_does_it(platform, how, monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(sys, "platform", platform)
    with pytest.raises(ImportError, match=f"numpy .*{re.escape(how)}"):
        starting.refuse_bare_python()


def test_a_reader_that_has_left_ends_it_quietly():
    ours, theirs = os.pipe()
    os.close(ours)
    command = [sys.executable, "-m", "treebandit", "--help"]
    done = subprocess.run(command, cwd=ROOT, stdout=theirs, stderr=subprocess.PIPE, text=True, timeout=300)
    os.close(theirs)
    assert (done.returncode, done.stderr) == (2, "")
