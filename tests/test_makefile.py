"""The Makefile makes `.venv` once, repairs what was broken, and says in one sentence what a user can mend."""

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
VERBS = {*re.findall(r"(?m)^([a-z-]+):.*## ", MAKEFILE)}
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
MINORS = [int(minor) for minor in re.findall(r"Python :: 3\.(\d+)", "\n".join(PROJECT["classifiers"]))]
STAND_IN = """#!/bin/sh
case "$*" in "-c "*) exit 0;; esac
echo "$*" >> log
case "$*" in
    *"$(cat failing)"*) exit 1;;
    *" venv .venv") mkdir -p .venv/bin && cp python .venv/bin/python;;
esac
"""
BASE, DEV = (
    "-m pip install --quiet --disable-pip-version-check -c constraints.txt -e " + what for what in (".", ".[dev]")
)
VENV, RUN = "-m venv .venv", "-m experiments.run bandit=ucb"


class Project:
    """A project in a folder with a space in its path, with a stand-in for Python that logs what it is asked."""

    def __init__(self, folder: Path, make: str):
        self.folder, self.make = folder, make
        folder.mkdir()
        shutil.copy(ROOT / "Makefile", folder)
        for name in ("pyproject.toml", "constraints.txt"):
            (folder / name).write_text("", encoding="utf-8")
        (folder / "python").write_text(STAND_IN, encoding="utf-8")
        (folder / "python").chmod(0o755)
        self.fail_at("nothing fails")

    def fail_at(self, part: str) -> None:
        (self.folder / "failing").write_text(part, encoding="utf-8")

    def call(self, *words: str, status: int = 0, env: dict[str, str] | None = None) -> list[str]:
        """Call make; return what Python was asked."""
        log = self.folder / "log"
        log.write_text("", encoding="utf-8")
        command = [self.make, "--no-print-directory", "PYTHON=./python", *words]
        done = subprocess.run(command, cwd=self.folder, env=env, capture_output=True, text=True, check=False)
        assert done.returncode == status, done.stderr
        self.said = done.stderr
        return log.read_text(encoding="utf-8").splitlines()


@pytest.fixture
def project(tmp_path, program):
    return Project(tmp_path / "a b", program("make"))


def test_each_call_does_only_what_lacks(project):
    assert project.call("run") == [VENV, BASE, RUN]
    assert project.call("run", "ARGS=bandit=ucb 'bandit.c=[1,2]'") == ["-m experiments.run bandit=ucb bandit.c=[1,2]"]
    assert project.call("dev") == [DEV]
    assert project.call("base", "web", "dev") == []
    (project.folder / "pyproject.toml").touch()
    assert project.call("dev") == [DEV]
    assert project.call("run") == [RUN], "dev has what running needs"


@pytest.mark.parametrize(
    "damage", ["rm .venv/whole", "rm .venv/bin/python", "echo /moved > .venv/whole", "rm -r .venv; touch .venv"]
)
def test_a_broken_environment_is_made_again(project, damage):
    project.call("dev")
    subprocess.run(damage, shell=True, cwd=project.folder, check=True)
    assert project.call("dev") == [VENV, DEV]
    assert project.call("dev") == []


@pytest.mark.parametrize("part", ["venv", "pip"])
def test_after_a_failure_the_next_call_goes_on(project, part):
    project.fail_at(part)
    project.call("dev", status=2)
    project.fail_at("nothing fails")
    assert project.call("dev")[-1] == DEV
    assert project.call("run") == [RUN]


def test_all_lanes_run_to_the_end_and_checks_stop_at_the_first_fault(project):
    project.call("dev")
    project.fail_at("--durations=20")
    lanes = project.call("test-all", "PROCESSES=3", status=2)
    assert all(line.startswith("-m pytest -n 3 --dist worksteal -rfEs ") for line in lanes)
    assert len(lanes) == 4
    assert "--cov-fail-under=75" in lanes[2]
    project.fail_at("darwin")
    assert [line.split()[1] for line in project.call("check", status=2)] == ["ruff", "ruff", "mypy", "mypy"]


@pytest.mark.parametrize("words", [["ARGS=-k ucb"], ["PYTEST_ADDOPTS=-k ucb"]])
def test_a_selection_of_tests_need_not_reach_the_floor_of_coverage(project, words):
    assert any("--cov-fail-under=0" in line for line in project.call("test-all", *words))


@pytest.mark.parametrize(
    ("before", "said"),
    [
        ("sys.version_info = (3, 8, 1)", r"Python 3\.8 .*3\.11 to 3\.14"),
        ("sys.modules['ensurepip'] = None", r"ensurepip.*`apt install python3.\d+-venv`"),
    ],
)
def test_a_python_that_cannot_make_the_environment_is_refused_in_one_sentence(before, said):
    check = MAKEFILE.partition("define CHECK\n")[2].partition("\nendef")[0]
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; {before}\n{check}"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert re.search(said, done.stderr), done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_make_without_any_python_says_so_in_one_sentence(project):
    project.call("run", "PYTHON=python3", status=2, env={"PATH": str(project.folder / "nowhere")})
    assert "no python3 on PATH" in project.said
    assert "PYTHON=/path/to/python3\n" in project.said


def test_the_versions_of_python_are_the_same_everywhere():
    oldest, newest = MINORS[0], MINORS[-1]
    assert PROJECT["requires-python"] == f">=3.{oldest}"
    assert f"(3, {oldest}) <= sys.version_info < (3, {newest + 1})" in MAKEFILE


# --- constraints.txt --------------------------------------------------------------------------------------------------


def test_constraints_are_exact_versions_and_name_no_address():
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = [line for line in lines if not line.startswith("#")]
    assert all(re.fullmatch(r"[a-z0-9-]+==[0-9][^ ;]*( ; .+)?", pin) for pin in pins)
    assert "://" not in "\n".join(lines)


def test_constraints_cover_what_the_project_asks_for():
    extras = PROJECT["optional-dependencies"]
    (own,) = (one for one in extras["dev"] if one.startswith("treebandit["))
    wanted = [*PROJECT["dependencies"], *extras["dev"]]
    wanted += [one for extra in own[11:-1].split(",") for one in extras[extra]]
    pinned = set(re.findall(r"(?m)^([a-z0-9-]+)==", (ROOT / "constraints.txt").read_text(encoding="utf-8")))
    assert {re.match("[A-Za-z0-9-]+", name)[0].lower() for name in wanted if name != own} <= pinned
