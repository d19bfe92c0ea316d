"""bootstrap.py makes `.venv` once, repairs what was broken, and says in one sentence what a user can mend."""

import ast
import errno
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import tomllib
import types
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
sys.exit(bootstrap.prepare([]))
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
        assert bootstrap.prepare(extras) == status
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


# --- verbs ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def done(monkeypatch):
    """Remember the steps that would be carried out; a step that holds a word in `done.failing` has its status."""
    steps = Steps()
    monkeypatch.setattr(bootstrap, "prepare", lambda extras: steps.prepared.append(tuple(extras)) or 0)
    monkeypatch.setattr(bootstrap, "do", steps.do)
    monkeypatch.setattr(bootstrap.shutil, "rmtree", lambda path, **more: None)
    return steps


class Steps:
    def __init__(self):
        self.prepared, self.words, self.added, self.lasts, self.failing = [], [], [], [], {}

    def do(self, words, added, *, last):
        self.words.append(words)
        self.added.append(added)
        self.lasts.append(last)
        return next((status for word, status in self.failing.items() if word in words), 0)


def test_make_has_the_verbs_of_the_script_and_no_others():
    told = (ROOT / "Makefile").read_text(encoding="utf-8").replace("\\\n", "")
    assert re.search(r"(?m)^VERBS := (.+)$", told)[1].split() == [*bootstrap.VERBS]


def test_make_hands_words_on_as_they_are(tmp_path, program):
    make = program("make")
    shutil.copy(ROOT / "Makefile", tmp_path)
    (tmp_path / "bootstrap.py").write_text("import sys; print(sys.argv[1:])", encoding="utf-8")
    for words, said in (
        (["run", "ARGS=bandit=ucb 'bandit.c=[1,2]'"], ["run", "bandit=ucb", "bandit.c=[1,2]"]),
        (["calibrate", "CLAIMS=regret"], ["calibrate", "regret"]),
        (["docs"], ["docs"]),
        ([], ["help"]),
        (["test-jit"], ["test-jit"]),  # which is no verb: the script says so
    ):
        # `make test` runs this too, and a make inside a make prints the folders that it enters, unless bidden not to.
        command = [make, "--no-print-directory", f"PYTHON={sys.executable}", *words]
        printed = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        assert printed.stdout == f"{said}\n", printed.stderr


def test_a_verb_prepares_what_it_needs_and_hands_on_its_words(done, capsys, monkeypatch):
    monkeypatch.setattr(bootstrap, "program", lambda name: name)  # as if all were installed
    assert bootstrap.main(["run"]) == bootstrap.main(["run", "bandit=thompson"]) == 0
    python = str(bootstrap.PYTHON)
    assert done.words == [[python, "-m", "experiments.run", word] for word in ("bandit=ucb", "bandit=thompson")]
    assert done.prepared == [(), ()]
    assert done.lasts == [True, True]
    assert bootstrap.main(["test", "-k", "ucb"]) == 0
    assert done.prepared[-1] == ("dev",)
    assert done.words[-1][-2:] == ["-k", "ucb"]
    assert bootstrap.main([]) == 0
    assert len(capsys.readouterr().out.splitlines()) == len(bootstrap.VERBS)
    assert bootstrap.main(["tset"]) == 2
    said = capsys.readouterr().err
    assert "must be one of help, run, play" in said
    assert "`test-all`" not in said
    for gone in ("quick", "test-jit", "test-slow"):
        assert bootstrap.main([gone]) == 2
        assert capsys.readouterr().err.endswith(f"; got {gone!r}; the tests are `test` and `test-all`\n")
    for verb in bootstrap.VERBS:
        if verb != "clean":
            assert bootstrap.main([verb]) == 0


def test_all_lanes_run_to_the_end_and_checks_stop_at_the_first_fault(done, monkeypatch):
    monkeypatch.setenv("PROCESSES", "3")
    done.failing = {"--durations=40": 1}
    assert bootstrap.main(["test-all"]) == 1
    assert [sorted(added) for added in done.added] == [
        ["PYTHONPATH"],
        ["NUMBA_DISABLE_JIT", "PYTHONPATH"],
        ["NUMBA_BOUNDSCHECK", "NUMBA_CACHE_DIR", "PYTHONPATH"],
    ]
    assert done.lasts == [False] * 3, "the last would take the place of the process that knows of the failure"
    assert all("3" in words for words in done.words)
    done.words.clear()
    done.failing = {"darwin": 1}
    assert bootstrap.main(["check"]) == 1
    assert [words[2] for words in done.words] == ["ruff", "ruff", "mypy", "mypy"]


def test_a_selection_of_tests_need_not_reach_the_floor_of_coverage(done, monkeypatch):
    for words, options, floor in ([], "", 75), (["-k", "ucb"], "", 0), ([], "-k ucb", 0):
        monkeypatch.setenv("PYTEST_ADDOPTS", options)
        bootstrap.main(["test-all", *words])
        assert f"--cov-fail-under={floor}" in done.words[-2]


@pytest.mark.parametrize("last", [False, True])
def test_a_step_has_its_environment_and_its_status(last, tmp_path):
    """Where it is not the last, or there is no `exec`, it is a process of its own, for which Ctrl-C is waited."""
    script = "import os, sys; print('A' in os.environ, 'PYTHONHOME' in os.environ, os.environ['B']); sys.exit(7)"
    step = [sys.executable, "-c", script]
    start = f"import sys, bootstrap; sys.exit(bootstrap.do({step}, {{'A': None, 'B': 'b'}}, last={last}))"
    environment = {**os.environ, "A": "a", "PYTHONPATH": str(ROOT)}
    told = subprocess.run([sys.executable, "-c", start], env=environment, capture_output=True, text=True)
    assert (told.returncode, told.stdout) == (7, "False False b\n"), told.stderr


@pytest.mark.skipif(os.name == "nt", reason="Ctrl-C reaches a whole console there")
def test_ctrl_c_is_for_the_step_which_ends_in_its_own_way(monkeypatch):
    step = "import signal, sys, time; signal.signal(2, lambda *_: sys.exit(5)); print(flush=True); time.sleep(60)"
    start = f"import sys, bootstrap; sys.exit(bootstrap.do([{sys.executable!r}, '-c', {step!r}], {{}}, last=False))"
    words = [sys.executable, "-c", f"import signal; signal.signal(2, signal.default_int_handler); {start}"]
    told = subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
    told.stdout.readline()
    os.killpg(told.pid, signal.SIGINT)
    assert told.wait(30) == 5, told.stderr.read()
    told.communicate()


def test_ctrl_c_while_a_step_starts_is_for_the_step_too():
    script = f"""
import signal, subprocess, sys
import bootstrap

class Late(subprocess.Popen):
    def __init__(self, *words, **more):
        signal.raise_signal(signal.SIGINT)
        super().__init__(*words, **more)

signal.signal(signal.SIGINT, signal.default_int_handler)
subprocess.Popen = Late
status = bootstrap.do([{sys.executable!r}, "-c", "raise SystemExit(5)"], {{}}, last=False)
print(status, signal.getsignal(signal.SIGINT) is signal.default_int_handler)
"""
    told = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True)
    assert told.stdout == "5 True\n", told.stderr


def test_two_starts_on_windows_wait_for_each_other(tmp_path, monkeypatch):
    (tmp_path / "pyproject.toml").write_text("first", encoding="utf-8")
    monkeypatch.setattr(bootstrap, "INPUTS", [tmp_path / "pyproject.toml"])
    monkeypatch.setitem(sys.modules, "fcntl", None)
    asked = []

    def locking(descriptor, mode, count):
        asked.append(os.lseek(descriptor, 0, os.SEEK_CUR))
        if len(asked) < 3:
            raise OSError(errno.EDEADLOCK, "another has it")

    monkeypatch.setitem(sys.modules, "msvcrt", types.SimpleNamespace(LK_LOCK=1, locking=locking))
    with bootstrap.alone():
        assert asked == [2**30] * 3


def test_make_without_any_python_says_so_in_one_sentence(tmp_path, program):
    make = program("make")
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
