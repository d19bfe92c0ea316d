"""bootstrap.py decides rightly what `.venv` needs, and says in one sentence what a user can mend; no network here."""

import ast
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import bootstrap
from bootstrap import Failure, Interpreter

ROOT = Path(bootstrap.__file__).resolve().parent
GOOD = Interpreter("/good/python3.13", (3, 13, 0), "cpython", True)
BARE = Interpreter("/bare/python3", (3, 11, 2), "cpython", False)
OLD = Interpreter("/old/python3", (3, 8, 18), "cpython", True)


@pytest.fixture
def project(tmp_path, monkeypatch):
    """Return an empty project with a space in its path, in which `run` records the commands instead of running them."""
    root = tmp_path / "a b"
    root.mkdir()
    inputs = (root / "pyproject.toml", root / "constraints.txt")
    for path in inputs:
        path.write_text("first")
    monkeypatch.setattr(bootstrap, "ROOT", root)
    monkeypatch.setattr(bootstrap, "INPUTS", inputs)
    monkeypatch.setattr(bootstrap, "VENV", root / ".venv")
    monkeypatch.setattr(bootstrap, "STAMP", root / ".venv" / "bootstrap.json")
    monkeypatch.setattr(bootstrap, "VENV_PYTHON", root / ".venv" / "bin" / "python")
    monkeypatch.delenv("PYTHON", raising=False)
    return FakeTools(root, monkeypatch)


class FakeTools:
    """In place of venv, pip and uv: remembers what was asked of them, and fails where `broken` says so."""

    def __init__(self, root, monkeypatch):
        self.root, self.commands, self.broken = root, [], {}
        self.uv = None
        monkeypatch.setattr(bootstrap, "run", self.run)
        monkeypatch.setattr(bootstrap, "probe", lambda command: GOOD)
        monkeypatch.setattr(bootstrap.shutil, "which", lambda command: self.uv)

    def run(self, *command, show=False):
        words = [str(word) for word in command]
        tool = "uv" if words[0] == self.uv else "pip" if "pip" in words else "venv"
        step = f"{tool} {words[-1]}" if "install" in words else "pip?" if tool == "pip" else f"{tool} makes"
        self.commands.append(step)
        if step.endswith("makes"):
            python = self.root / ".venv" / "bin" / "python"
            python.parent.mkdir(parents=True, exist_ok=True)
            if not python.exists():
                python.symlink_to(sys.executable)
        if error := next((text for what, text in self.broken.items() if what in step), None):
            if isinstance(error, BaseException):
                raise error
            return 1, error
        return 0, ""

    def after(self, *extras, asked=""):
        """Call the bootstrap; return what it made the tools do."""
        self.commands.clear()
        bootstrap.ensure(extras, asked)
        return self.commands


# --- Interpreters -----------------------------------------------------------------------------------------------------


def test_the_script_parses_as_python_3_6():
    ast.parse((ROOT / "bootstrap.py").read_text(encoding="utf-8"), feature_version=(3, 6))


def test_the_supported_versions_are_those_of_the_project():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    oldest, newest = ("{}.{}".format(*bootstrap.SUPPORTED[i]) for i in (-1, 0))
    assert project["requires-python"] == f">={oldest}"
    assert f"{oldest} to {newest}" in bootstrap.NEEDED
    assert list(bootstrap.SUPPORTED) == sorted(bootstrap.SUPPORTED, reverse=True)


@pytest.mark.parametrize(
    ("version", "name", "fits"),
    [
        ((3, 10, 13), "cpython", False),
        ((3, 11, 0), "cpython", True),
        ((3, 14, 2), "cpython", True),
        ((3, 15, 0), "cpython", False),
        ((3, 11, 7), "pypy", False),
    ],
)
def test_only_supported_cpythons_fit(version, name, fits):
    assert Interpreter("python", version, name, True).fits is fits


def find(monkeypatch, **found):
    """Let `probe` find these interpreters by name; `this` is the one that runs."""
    names = {sys.executable: found.get("this"), **{name.replace("_", "."): python for name, python in found.items()}}
    monkeypatch.setattr(bootstrap, "probe", names.get)


def test_too_old_a_python_looks_for_a_newer_one(monkeypatch):
    find(monkeypatch, this=OLD, python3_13=GOOD)
    assert bootstrap.choose("", need_ensurepip=True) == GOOD


def test_too_old_a_python_alone_is_one_sentence(monkeypatch, project, capsys):
    find(monkeypatch, this=OLD)
    assert bootstrap.main([]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "found Python 3.8.18 (/old/python3)" in said
    assert "3.11 to 3.14" in said
    assert not bootstrap.VENV.exists()


def test_missing_ensurepip_names_the_package(monkeypatch, project, capsys):
    find(monkeypatch, this=BARE, python3_11=BARE)
    assert bootstrap.main(["dev"]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "apt install python3.11-venv" in said
    assert not bootstrap.VENV.exists()


def test_missing_ensurepip_does_not_matter_to_uv_or_beside_another_python(monkeypatch):
    find(monkeypatch, this=BARE, python3_13=GOOD)
    assert bootstrap.choose("", need_ensurepip=False) == BARE
    assert bootstrap.choose("", need_ensurepip=True) == GOOD


def test_the_python_asked_for_is_taken_or_refused(monkeypatch):
    find(monkeypatch, this=GOOD, mine=BARE, old=OLD)
    assert bootstrap.choose("mine", need_ensurepip=False) == BARE
    with pytest.raises(Failure, match=re.escape("found Python 3.8.18")):
        bootstrap.choose("old", need_ensurepip=False)
    with pytest.raises(Failure, match="PYTHON=absent starts no Python 3"):
        bootstrap.choose("absent", need_ensurepip=False)


def test_a_probe_tells_of_this_python_and_bears_a_misleading_environment(monkeypatch, tmp_path):
    (tmp_path / "json.py").write_text("raise SystemExit('the wrong json')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("PYTHONHOME", str(tmp_path))
    python = bootstrap.probe(sys.executable)
    assert (tuple(python.version), python.fits) == (sys.version_info[:3], True)
    assert bootstrap.probe("no-such-python") is None


# --- The stamp --------------------------------------------------------------------------------------------------------


def test_each_call_does_only_what_lacks(project):
    assert project.after() == ["venv makes", "pip ."]
    assert project.after() == []
    assert project.after("dev") == ["pip?", "pip .[dev]"]
    assert project.after("dev") == []
    assert project.after() == []


@pytest.mark.parametrize("index", [0, 1])
def test_changed_requirements_are_installed_with_all_extras_that_were(project, index):
    project.after("dev")
    bootstrap.INPUTS[index].write_text("second")
    assert project.after() == ["pip?", "pip .[dev]"]


def test_an_environment_made_by_hand_is_adopted(project):
    project.run("venv")
    assert project.after("dev") == ["pip?", "pip .[dev]"]
    assert project.after("dev") == []


@pytest.mark.parametrize("damage", ["killed", "half a stamp", "dangling", "moved", "no folder", "a file"])
def test_a_broken_environment_is_made_anew(project, damage):
    project.after()
    stamp, python = bootstrap.STAMP, bootstrap.VENV_PYTHON
    if damage == "killed":
        project.broken["pip ."] = KeyboardInterrupt()
        assert bootstrap.main(["dev"]) == 130
        project.broken.clear()
    elif damage == "half a stamp":
        stamp.write_text(stamp.read_text()[:20])
    elif damage == "dangling":
        python.unlink()
        python.symlink_to(project.root / "gone")
    elif damage == "moved":
        told = json.loads(stamp.read_text())
        stamp.write_text(json.dumps({**told, "place": ["/elsewhere/.venv", told["place"][1]]}))
    else:
        bootstrap.remove()
        if damage == "a file":
            bootstrap.VENV.write_text("")
    assert project.after("dev") == ["venv makes", "pip .[dev]"]
    assert project.after("dev") == []


def test_another_python_asked_for_makes_it_anew_but_only_then(project, monkeypatch):
    project.after()
    assert project.after(asked="python3.13") == []
    monkeypatch.setattr(bootstrap, "probe", lambda command: BARE if command == "mine" else GOOD)
    project.uv = "/bin/uv"
    assert project.after(asked="mine") == ["uv makes", "uv ."]


# --- Failures ---------------------------------------------------------------------------------------------------------


def test_a_failed_venv_leaves_nothing_behind(project, capsys):
    project.broken["venv"] = "The virtual environment was not created because ensurepip is not available."
    assert bootstrap.main([]) == 2
    assert "apt install python3.13-venv" in capsys.readouterr().err
    assert not bootstrap.VENV.exists()


def test_a_failed_installation_says_why_and_the_next_call_goes_on(project, capsys):
    project.broken["pip"] = "Collecting numpy\n    OSError: no readme\nerror: metadata-generation-failed\nnote: a note"
    assert bootstrap.main([]) == 2
    said = capsys.readouterr().err
    assert "pip could not install ." in said
    assert said.endswith("\n    OSError: no readme\n    error: metadata-generation-failed\n")
    project.broken.clear()
    assert project.after() == ["pip?", "pip ."]


def test_a_failed_addition_leaves_ready_what_was(project):
    project.after()
    project.broken["pip ."] = "error: no network"
    assert bootstrap.main(["dev"]) == 2
    assert project.after() == []


def test_pip_is_tried_where_uv_fails(project, capsys):
    project.uv = "/bin/uv"
    project.broken["uv ."] = "error: Request failed\n  cause: dns error"
    project.broken["pip?"] = "No module named pip"  # uv makes environments without it
    assert project.after() == ["uv makes", "uv .", "pip?", "venv makes", "pip ."]
    assert "    cause: dns error\n" in capsys.readouterr().err


def test_of_a_lost_network_the_reason_is_told():
    retry = "WARNING: Retrying (total={}) after connection broken by 'NewConnectionError('<x at 0x7f>: no route')': "
    output = "\n".join([retry.format(1), retry.format(0), "ERROR: no matching distribution"])
    assert bootstrap.last_errors(output).splitlines()[1:] == [
        "    ERROR: no matching distribution",
        "    NewConnectionError('no route')",
    ]


def test_a_folder_that_cannot_be_written_is_one_sentence(project, monkeypatch, capsys):
    def refuse(*_):
        raise PermissionError(13, "Permission denied", "/x/.venv")

    monkeypatch.setattr(bootstrap, "create", refuse)
    assert bootstrap.main([]) == 2
    assert capsys.readouterr().err.endswith("cannot make .venv: [Errno 13] Permission denied: '/x/.venv'\n")


def test_tools_are_run_without_variables_that_lead_astray(monkeypatch):
    for name in bootstrap.ASTRAY - {"__PYVENV_LAUNCHER__"}:
        monkeypatch.setenv(name, "/astray")
    status, output = bootstrap.run(sys.executable, "-c", "import os; print(dict(os.environ))")
    assert status == 0
    assert "/astray" not in output
    assert os.environ["PIP_TARGET"] == "/astray"


@pytest.mark.parametrize("asked", ["", "PYTHON=/no/such/python"])
def test_make_without_any_python_says_so_in_one_sentence(tmp_path, asked):
    make = shutil.which("make")
    if make is None:
        pytest.skip("make is not installed")
    shutil.copy(ROOT / "Makefile", tmp_path)
    given = {"PATH": str(tmp_path), "HOME": str(tmp_path)}
    said = subprocess.run(
        [make, "run", *asked.split()], cwd=tmp_path, env=given, capture_output=True, text=True, check=False
    )
    assert said.returncode == 2
    sentence, *of_make = said.stderr.splitlines()
    oldest, newest = ("{}.{}".format(*bootstrap.SUPPORTED[i]) for i in (-1, 0))
    assert sentence.startswith(f"PYTHON must start a Python, {oldest} to {newest}, as there is no python3 on PATH")
    assert sentence.endswith(f"got '{asked.partition('=')[2]}'")
    assert all(line.startswith("make: ***") for line in of_make)


# --- constraints.txt --------------------------------------------------------------------------------------------------


def test_constraints_are_exact_versions_and_name_no_address():
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = [line for line in lines if not line.startswith("#")]
    assert all(re.fullmatch(r"[a-z0-9-]+==[0-9][^ ;]*( ; .+)?", pin) for pin in pins)
    assert "://" not in "\n".join(lines)


def test_constraints_cover_what_the_project_asks_for():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = project["dependencies"] + project["optional-dependencies"]["dev"]
    pinned = set(re.findall(r"(?m)^([a-z0-9-]+)==", (ROOT / "constraints.txt").read_text(encoding="utf-8")))
    assert {re.match("[A-Za-z0-9-]+", name)[0].lower() for name in wanted} <= pinned
