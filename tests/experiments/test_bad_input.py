"""A mistake on the command line is one sentence with the argument, the value and what is allowed; exit status 2."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import pytest

from experiments.engine import errors
from numerics.kernels.compiling import PHASE
from tests.experiments.mistakes import FILES, MISTAKES


@pytest.mark.parametrize(
    ("door", "words", "parts"),
    [
        pytest.param(door, words, parts, id=f"{door} {' '.join(words)}"[:80])
        for door, cases in MISTAKES.items()
        for words, parts in cases
    ],
)
def test_a_mistake_is_one_sentence_and_leaves_nothing_behind(command, tmp_path, door, words, parts):
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    module, *first = door.split()
    command(*first, *words, module=module).assert_refused(parts)
    assert {path.name for path in tmp_path.iterdir()} <= {*FILES, "results"}
    assert "-m" in words or not list(tmp_path.glob("results/*/*"))


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
def test_a_folder_that_cannot_be_made_is_said(command, tmp_path, place):
    (tmp_path / "file").write_text("")
    said = command("runs=2", "horizon=20", f"hydra.run.dir={place}")
    assert said.status == 2
    assert len(_sentences(said.err)) == 1
    assert "hydra.run.dir" in said.err


def test_a_folder_with_other_files_is_refused_untouched(command, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").write_text("years of work")
    said = command("runs=2", "horizon=20", "hydra.run.dir=mine")
    assert said.status == 2
    assert "thesis.tex" in said.err
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["thesis.tex"]


def test_a_refused_run_leaves_no_folder_and_a_refused_combination_its_sentence(command, tmp_path):
    assert command("bandit.c=-1", "hydra.run.dir=mine").status == 2
    assert not (tmp_path / "mine").exists()
    said = command("-m", "bandit.c=-1,-2", "hydra.sweep.dir=mine")
    assert said.status == 2
    notes = [json.loads((tmp_path / "mine" / name / "combination.json").read_text()) for name in "01"]
    assert [note["overrides"] for note in notes] == [{"bandit.c": "-1"}, {"bandit.c": "-2"}]
    assert all(note["refusal"] in said.err for note in notes)


def test_a_full_disk_is_said_and_leaves_no_half_table(command, tmp_path, monkeypatch):
    import pyarrow.parquet

    written = []

    def full(table, place, **options):
        place.write(b"half") if hasattr(place, "write") else place.write_bytes(b"half")  # of pandas, or ours
        written.append(place)
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(pyarrow.parquet, "write_table", full)
    said = command("runs=2", "horizon=20", "hydra.run.dir=run")
    assert said.status == 2
    assert len(_sentences(said.err)) == 1
    assert "No space left" in said.err
    assert written
    assert not list((tmp_path / "run").rglob("*curves.parquet*"))
    assert not list((tmp_path / "run").rglob("*.half"))


def test_a_full_disk_under_a_sweep_names_its_folder_and_its_key(command, tmp_path, monkeypatch):
    write = Path.write_text

    def full(path, text, **options):
        if "sweep.json" in path.name:
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(path, text, **options)

    monkeypatch.setattr(Path, "write_text", full)
    said = command("-m", "bandit.c=1,2", "runs=2", "horizon=20", "hydra.sweep.dir=swept")
    assert said.status == 2
    assert len(_sentences(said.err)) == 1
    assert "swept/sweep.json: No space left" in said.err
    assert "hydra.sweep.dir" in said.err


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
    assert said.startswith("executor: a worker process has died")
    assert "hydra.run.dir" in said


def test_a_bug_of_ours_is_no_sentence():
    assert errors.sentence(KeyError("x")) is None
    assert errors.sentence(TypeError("x")) is None


def test_an_unknown_option_of_the_plot_command_exits_with_2(command):
    assert command("--nonsense", module="plot").status == 2
    assert command("--help", module="plot").status == 0


@pytest.mark.parametrize(("arguments", "part"), [(["nowhere"], "no such folder"), (["."], "manifest.json")])
def test_plotting_what_is_no_run_is_one_sentence(command, arguments, part):
    said = command(*arguments, module="plot")
    assert said.status == 2
    assert part in said.err
    assert len(_sentences(said.err)) == 1


def test_an_unknown_kind_in_the_catalogue_is_one_sentence(command):
    said = command("recipes", module="catalogue")
    assert said.status == 2
    assert "'recipes'" in said.err


def test_several_values_without_m_say_so(command):
    said = command("bandit=ucb,thompson")
    assert said.status == 2
    assert "-m" in said.err
    assert len(_sentences(said.err)) == 1


@pytest.mark.parametrize(
    ("text", "part"),
    [("from bandits import nothing_here\n", "ImportError"), ("1 / 0\n", "line 1"), ("x = undefined\n", "NameError")],
)
def test_a_rule_file_that_fails_is_one_sentence(command, tmp_path, monkeypatch, text, part):
    name = f"failing_{part.replace(' ', '')}"
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / f"{name}.py").write_text(text)
    said = command("bandit=custom", f"bandit.rule={name}.rule")
    assert said.status == 2
    assert part in said.err
    assert len(_sentences(said.err)) == 1
