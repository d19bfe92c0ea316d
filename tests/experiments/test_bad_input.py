"""A mistake on the command line is one sentence with the argument, the value and what is allowed; exit status 2."""

from __future__ import annotations

import errno
import math
import os
import subprocess
import sys
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import pytest

from experiments.engine import errors
from numerics.output import tables
from numerics.parameters import parameters
from tests.experiments.mistakes import FILES, mistakes
from tests.internals import PHASE, Experiment

LONG = [
    ("run", ["bandit.c=" + "a" * 2_000], ["bandit.c must be a number of at least 0; got 'aaaa", "aaa..."]),
    ("record", ["-o", f"{'a' * 300}.html"], ["--output must be a file"]),
]


@pytest.mark.parametrize(
    ("door", "words", "parts"),
    [pytest.param(*one, id=f"{one[0]} {' '.join(one[1])}"[:80]) for one in [*mistakes(), *LONG]],
)
def test_a_mistake_is_one_sentence_and_leaves_nothing_behind(attempt, tmp_path, door, words, parts):
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    module, *first = door.split()
    attempt(*first, *words, module=module).assert_refused(parts)
    assert {path.name for path in tmp_path.iterdir()} <= {*FILES, "results"}
    assert "-m" in words or not list(tmp_path.glob("results/*/*"))


BELOW = [
    (kind, one.name, one.metadata["range"].low - 1)
    for kind in sorted(set(Experiment.members) - {"annotation", "evaluate"})  # which need a folder, or a log
    for one in parameters(Experiment.members[kind])
    if one.metadata["range"].low > -math.inf
]


@pytest.mark.sampled(30)
@pytest.mark.parametrize(("kind", "name", "value"), BELOW)
def test_a_number_below_what_a_kind_of_experiment_declares_is_refused_by_its_name(attempt, kind, name, value):
    attempt(f"experiment={kind}", f"{name}={value}").assert_refused(["", name, f"{value}"])


EXTREMES = [
    ["arms.means=[1e-320,0]"],
    ["arms=random_means", "arms.a=1e6", "arms.b=1e-6"],
    ["arms=testbed", "arms.center=1e100"],
    ["arms=testbed", "arms.scale=1e-320"],
    ["arms=gaussian", "arms.means=[1e100,-1e100]"],
    ["arms=gaussian", "arms.means=[0,1e-320]"],
    ["bandit=ucb_v", "bandit.zeta=1e100", "bandit.c=1e100"],
    ["bandit=optimistic", "bandit.initial=-1e100", "bandit.prior_pulls=1e100"],
    ["bandit=softmax", "bandit.temperature=1e-320"],
    ["bandit=epsilon_greedy", "bandit.decay=1e-320"],
]


@pytest.mark.sampled(2)
@pytest.mark.drawn
@pytest.mark.parametrize("overrides", EXTREMES, ids=" ".join)
def test_the_largest_and_smallest_numbers_that_are_allowed_make_a_quiet_run(command, overrides):
    said = command(*overrides, "runs=3", "horizon=20")
    assert (said.status, said.complaint) == (0, "")


@pytest.mark.parametrize("place", ["file/below", "file"])
def test_a_folder_that_cannot_be_made_is_said(attempt, tmp_path, place):
    (tmp_path / "file").write_text("")
    attempt("runs=2", "horizon=20", f"hydra.run.dir={place}").assert_refused(["", "hydra.run.dir"])


@pytest.mark.parametrize("name", ["thesis.tex", ".notes.2026"])  # which looks like a leftover
def test_a_folder_with_other_files_is_refused_untouched(attempt, tmp_path, name):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / name).write_text("years of work")
    attempt("runs=2", "horizon=20", "hydra.run.dir=mine").assert_refused(["hydra.run.dir", name])
    assert [(path.name, path.read_text()) for path in (tmp_path / "mine").iterdir()] == [(name, "years of work")]


def test_a_full_disk_under_a_sweep_names_its_folder_and_its_key(attempt, tmp_path, monkeypatch):
    write = tables.write

    def full(table, path):
        if path.name == "sweep.csv":
            raise OSError(errno.ENOSPC, "No space left on device", str(path))
        write(table, path)

    monkeypatch.setattr(tables, "write", full)
    said = attempt("-m", "bandit.c=1,2", "runs=2", "horizon=20", "hydra.sweep.dir=swept")
    said.assert_refused(["", "swept/sweep.csv: No space left", "hydra.sweep.dir"])


def _sentences(err):
    """Return the lines of standard error but for those on what goes on, which a busy machine adds."""
    return [line for line in err.splitlines() if not line.startswith(PHASE)]


@pytest.mark.long
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("words", [pytest.param(["--help"], marks=pytest.mark.long), ["runs=2", "horizon=20"]])
def test_an_output_that_takes_nothing_more_is_named(tmp_path, words):
    with open("/dev/full", "w", encoding="utf-8") as full:
        said = run_apart(words, tmp_path, stdout=full)
    assert said.returncode == 2
    (sentence,) = _sentences(said.stderr)
    assert sentence.startswith("output: No space left on device; free some space")


@pytest.mark.long
@pytest.mark.parametrize("words", [["--help"], pytest.param(["runs=2", "horizon=20"], marks=pytest.mark.long)])
def test_a_reader_that_has_left_ends_the_command_quietly_with_2(tmp_path, words):
    ours, theirs = os.pipe()
    os.close(ours)
    said = run_apart(words, tmp_path, stdout=theirs)
    os.close(theirs)
    assert (said.returncode, _sentences(said.stderr)) == (2, [])


@pytest.mark.long
@pytest.mark.parametrize("closed", [*(pytest.param([one], marks=pytest.mark.long) for one in (1, 2)), [0, 1, 2]])
@pytest.mark.parametrize(
    ("words", "status"),
    [
        pytest.param(["--help"], 0, marks=pytest.mark.long),
        (["runs=2", "horizon=20"], 0),
        pytest.param(["runs=-2"], 2, marks=pytest.mark.long),
    ],
)
def test_a_closed_output_keeps_nothing_from_being_done(tmp_path, closed, words, status):
    said = run_apart(words, tmp_path, stdout=subprocess.DEVNULL, preexec_fn=lambda: [os.close(one) for one in closed])
    assert said.returncode == status
    assert "Traceback" not in said.stderr
    assert len(list(tmp_path.rglob("summary.csv"))) == (words[0] == "runs=2")


def run_apart(words, folder, stdout, **more):
    """Run a command in a process of its own."""
    project = Path(__file__).resolve().parents[2]
    return subprocess.run(
        [sys.executable, "-m", "experiments.run", *words],
        env={**os.environ, "PYTHONPATH": str(project)},
        cwd=folder,
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
        **more,
    )


def test_a_worker_that_dies_is_said():
    said = errors.sentence(BrokenProcessPool("exit codes {SIGKILL(-9)}"))
    assert said.startswith("executor: a worker process died")
    assert "hydra.run.dir" in said


def test_a_bug_of_ours_is_no_sentence():
    assert errors.sentence(KeyError("x")) is None
    assert errors.sentence(TypeError("x")) is None


def test_plotting_what_is_no_run_is_one_sentence(attempt):
    attempt(".", module="plot").assert_refused(["folder", "manifest.json"])


@pytest.mark.parametrize(
    ("text", "part"),
    [("from bandits import nothing_here\n", "ImportError"), ("1 / 0\n", "line 1"), ("x = undefined\n", "NameError")],
)
def test_a_rule_file_that_fails_is_one_sentence(attempt, tmp_path, monkeypatch, text, part):
    name = f"failing_{part.replace(' ', '')}"
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / f"{name}.py").write_text(text)
    attempt("bandit=custom", f"bandit.rule={name}.rule").assert_refused(["bandit.rule", part])
