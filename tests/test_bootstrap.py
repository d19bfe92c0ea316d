"""bootstrap.py makes `.venv` once, repairs what was broken, and says in one sentence what a user can mend."""

import ast
import json
import os
import re
import shutil
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import pytest

import bootstrap

ROOT = Path(bootstrap.__file__).resolve().parent
UV = """#!/bin/sh
echo begun >> "$LOG"; sleep "$SECONDS_TO_INSTALL"; echo "$@" >> "$LOG"
"""
START = """
import sys, bootstrap
def create():
    bootstrap.PYTHON.parent.mkdir(parents=True, exist_ok=True)
    bootstrap.PYTHON.exists() or bootstrap.PYTHON.symlink_to(sys.executable)
bootstrap.create = create  # the real one takes many seconds
sys.exit(bootstrap.main([]))
"""


@pytest.fixture
def project(tmp_path, monkeypatch):
    """Return an empty project, with a space in its path, in which the tools only remember what they were asked."""
    return FakeTools(tmp_path / "a b", monkeypatch)


class FakeTools:
    """In place of venv and pip; `failing` maps a part of a command to the output with which that fails."""

    def __init__(self, root, monkeypatch):
        self.commands, self.failing = [], {}
        root.mkdir()
        monkeypatch.setattr(bootstrap, "ROOT", root)
        monkeypatch.setattr(bootstrap, "INPUTS", [root / "pyproject.toml", root / "constraints.txt"])
        monkeypatch.setattr(bootstrap, "VENV", root / ".venv")
        monkeypatch.setattr(bootstrap, "STAMP", root / ".venv" / "bootstrap.json")
        monkeypatch.setattr(bootstrap, "PYTHON", root / ".venv" / "bin" / "python")
        monkeypatch.setattr(bootstrap, "run", self.run)
        monkeypatch.setattr(bootstrap.shutil, "which", lambda name: None if name == "uv" else name)
        for path in bootstrap.INPUTS:
            path.write_text("first")

    def run(self, *command):
        words = " ".join(map(str, command))
        for part, output in self.failing.items():
            if part in words:
                if isinstance(output, BaseException):
                    raise output
                return output
        if "-m venv" in words:
            bootstrap.PYTHON.parent.mkdir(parents=True)
            bootstrap.PYTHON.symlink_to(sys.executable)
        if "-m" in command:
            self.commands.append("venv" if "venv" in command else command[-1])
        return 0, "3.11"

    def after(self, *extras, status=0):
        """Call the bootstrap; return what it made the tools do."""
        self.commands.clear()
        assert bootstrap.main(extras) == status
        return self.commands


def test_the_script_parses_as_python_3_6_and_knows_the_versions_of_the_project():
    ast.parse((ROOT / "bootstrap.py").read_text(encoding="utf-8"), feature_version=(3, 6))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["requires-python"] == f">=3.{bootstrap.OLDEST}"
    assert bootstrap.OLDEST <= sys.version_info.minor <= bootstrap.NEWEST


def test_each_call_does_only_what_lacks(project):
    assert project.after() == ["venv", "."]
    assert project.after() == []
    assert project.after("dev") == [".[dev]"]
    assert project.after() == []
    for path in bootstrap.INPUTS:
        path.write_text("second")
        assert project.after() == [".[dev]"], "an extra that is there stays"


@pytest.mark.parametrize("damage", ["killed", "half a stamp", "no stamp", "python gone", "moved", "a file"])
def test_a_broken_environment_is_made_again(project, damage):
    project.after()
    stamp, python = bootstrap.STAMP, bootstrap.PYTHON
    if damage == "killed":
        project.failing["-m pip"] = KeyboardInterrupt()
        project.after("dev", status=130)
        project.failing.clear()
    elif damage == "half a stamp":
        stamp.write_text(stamp.read_text()[:20])
    elif damage == "no stamp":
        stamp.unlink()
    elif damage == "python gone":
        python.unlink()
        python.symlink_to(bootstrap.ROOT / "gone")
    elif damage == "moved":
        told = json.loads(stamp.read_text())
        stamp.write_text(json.dumps({**told, "place": ["/elsewhere/.venv", told["place"][1]]}))
    else:
        shutil.rmtree(bootstrap.VENV)
        bootstrap.VENV.write_text("")
    assert project.after("dev") == ["venv", ".[dev]"]
    assert project.after("dev") == []


@pytest.mark.parametrize(
    ("failing", "said"),
    [
        ({"-c": (1, "3.8")}, r"found Python [0-9.]+ \(.+\), but the project needs CPython 3.11 to 3.14: install one"),
        ({"-c": (3, "3.11")}, r"lacks ensurepip: on Debian or Ubuntu, `apt install python3.11-venv` as root\.\n$"),
        ({"-m venv": (1, "disk full")}, r"-m venv failed:\n    disk full\n$"),
        ({"-m pip": (1, "Looking\n" * 9 + "ERROR: no route")}, r"\.\[dev\] failed(.|\n)+\n    ERROR: no route\n$"),
        ({"-m venv": PermissionError(13, "Denied")}, r"cannot make .venv: \[Errno 13\] Denied\n$"),
    ],
    ids=["too old", "venv missing", "venv fails", "pip fails", "not allowed"],
)
def test_what_a_user_can_mend_is_a_sentence_and_the_next_call_starts_afresh(project, capsys, failing, said):
    project.failing.update(failing)
    project.after("dev", status=2)
    assert re.search(said, capsys.readouterr().err)
    project.failing.clear()
    assert project.after("dev") == ["venv", ".[dev]"]


def test_a_newer_python_on_path_is_found_and_what_was_installed_survives_a_failed_addition(project):
    project.failing[sys.executable] = project.failing[getattr(sys, "_base_executable", "-")] = (1, "3.8")
    assert bootstrap.choose() == f"python3.{bootstrap.NEWEST}"
    project.failing.clear()
    project.after()
    project.failing["-m pip"] = (1, "ERROR: no route")
    project.after("dev", status=2)
    assert project.after() == []


@pytest.mark.skipif(os.name == "nt", reason="the stand-in for uv is a shell script")
def test_two_starts_at_once_install_once_and_a_killed_one_is_repaired(tmp_path):
    """Real processes, and a stand-in for uv, which is asked before pip."""
    for name in ("bootstrap.py", "pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, tmp_path)
    (tmp_path / "uv").write_text(UV)
    (tmp_path / "uv").chmod(0o755)

    def start(log, seconds):
        added = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "LOG": str(log), "SECONDS_TO_INSTALL": str(seconds)}
        return subprocess.Popen([sys.executable, "-c", START], cwd=tmp_path, env={**os.environ, **added})

    killed, log = start(tmp_path / "killed", 1.5), tmp_path / "log"
    while not (tmp_path / "killed").exists():
        time.sleep(0.05)
    killed.kill()
    killed.wait()
    assert not (tmp_path / ".venv" / "bootstrap.json").exists()
    assert [process.wait() for process in [start(log, 0.5), start(log, 0.5)]] == [0, 0]
    assert (tmp_path / "killed").read_text().count("install") == 1, "the orphan had ended before another began"
    assert log.read_text().count("install") == 1


def test_make_without_any_python_says_so_in_one_sentence(tmp_path):
    if (make := shutil.which("make")) is None:
        pytest.skip("make is not installed")
    shutil.copy(ROOT / "Makefile", tmp_path)
    environment = {"PATH": str(tmp_path), "HOME": str(tmp_path)}
    done = subprocess.run([make, "run"], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("no python3 on PATH: install Python 3.11 to 3.14, or give PYTHON=/path/to/python3\n")


# --- constraints.txt --------------------------------------------------------------------------------------------------


def test_constraints_are_exact_versions_and_name_no_address():
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = [line for line in lines if not line.startswith("#")]
    assert all(re.fullmatch(r"[a-z0-9-]+==[0-9][^ ;]*( ; .+)?", pin) for pin in pins)
    assert "://" not in "\n".join(lines)


def test_constraints_cover_what_the_project_asks_for():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    (own,) = (one for one in extras["dev"] if one.startswith("treebandit["))
    wanted = [*project["dependencies"], *extras["dev"]]
    wanted += [one for extra in own[11:-1].split(",") for one in extras[extra]]
    pinned = set(re.findall(r"(?m)^([a-z0-9-]+)==", (ROOT / "constraints.txt").read_text(encoding="utf-8")))
    assert {re.match("[A-Za-z0-9-]+", name)[0].lower() for name in wanted if name != own} <= pinned
