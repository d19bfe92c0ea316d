"""Figures drawn again: of a trace, of a sweep, of some policies, and what is said where that cannot be."""

from __future__ import annotations

import errno
import os
import shutil

import pandas as pd
import pytest

pytestmark = pytest.mark.drawn
SMALL = ("horizon=60", "runs=7", "arms.means=[0.2,0.4,0.6]")


def files_of(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_trace_is_drawn_again_with_the_same_bytes(command, tmp_path):
    (tmp_path / "log.csv").write_text("item,click\nred,0\nblue,1\nblue,0\n")
    run = ("experiment=trace", "bandit=ucb", "arms=from_log", "arms.path=log.csv", "horizon=30", "run=2")
    command(*run, "hydra.run.dir=run")
    drawn = files_of(tmp_path / "run")
    shutil.rmtree("run/figures")
    (tmp_path / "log.csv").unlink()
    said = command("run", module="plot")
    assert said.out.splitlines() == ["run/figures/trace.png"]
    assert files_of(tmp_path / "run") == drawn


@pytest.mark.long
def test_a_sweep_is_drawn_again_with_the_same_bytes_wherever_its_folder_lies(command, tmp_path):
    command("-m", "experiment=comparison", "bandits=[ucb,moss]", *SMALL, "seed=0,1", "hydra.sweep.dir=made")
    drawn = files_of(tmp_path / "made")
    shutil.move("made", "moved")
    shutil.rmtree("moved/figures")
    said = command("moved", module="plot")
    figures = sorted(name for name in drawn if name.startswith("figures/"))
    assert figures
    assert said.out.splitlines() == [f"moved/{name}" for name in figures]
    assert files_of(tmp_path / "moved") == drawn


@pytest.fixture
def run(finished, tmp_path):
    finished(
        "experiment=comparison", 'bandits=[ucb,moss,{name: ucb, c: 0.5, label: "a,b/c"}]', *SMALL, "hydra.run.dir=run"
    )
    return tmp_path / "run"


@pytest.mark.parametrize(
    ("options", "folder"),
    [(["policies=ucb", "policies=moss"], "ucb+moss"), (['policies=[moss,"a,b/c"]'], "moss+a,b%2Fc")],
)
def test_some_policies_are_drawn_in_a_folder_of_their_own(command, run, options, folder):
    before = files_of(run)
    said = command("run", *options, module="plot")
    after = files_of(run)
    assert {name: after[name] for name in before} == before
    new = {
        f"figures/{folder}/{name}.png" for name in ("regret", "regret_log", "simple_regret", "pulls", "final_regret")
    }
    assert set(after) - set(before) == new
    assert set(said.out.split()) == {f"run/{name}" for name in new}
    chosen = [name.replace("%2F", "/") for name in folder.split("+")]
    means = pd.read_csv(run / "summary.csv").set_index("policy")["pseudo_regret_mean"][chosen].sort_values()
    drawn = (run / "figures" / folder / "final_regret.png").read_text().splitlines()
    assert [line for line in drawn if line in chosen] == list(means.index)  # the best first


def test_log_draws_nothing_but_regret_on_a_logarithmic_axis(command, run):
    before = files_of(run)
    shutil.rmtree("run/figures")
    names = ["figures/regret_log.png"]
    assert command("run", "log=true", module="plot").out.splitlines() == [f"run/{name}" for name in names]
    assert {name: data for name, data in files_of(run).items() if name.startswith("figures")} == {
        name: before[name] for name in names
    }
    assert command("run", "log=true", "policies=moss", module="plot").out.split() == ["run/figures/moss/regret_log.png"]


@pytest.mark.parametrize("given", ["", "ucb,", "ucb,nope"])
def test_policies_that_the_run_has_not_are_refused_with_those_that_it_has(attempt, run, given):
    before = files_of(run)
    attempt("run", f"policies={given}", module="plot").assert_refused(
        ["policies", "ucb, moss, a,b/c", repr(given.rpartition(",")[2])]
    )
    assert files_of(run) == before


def test_options_choose_figures_of_a_sweep_too_and_keep_the_others(command, tmp_path):
    command("-m", "bandit=ucb,moss", *SMALL, "hydra.sweep.dir=made")
    before = files_of(tmp_path / "made")
    said = command("made", "log=true", "policies=moss", module="plot")
    assert said.out.split() == ["made/figures/moss/regret_log.png"]
    after = files_of(tmp_path / "made")
    assert {name: after[name] for name in before} == before


def figures_of(folder):
    return sorted(path.name for path in folder.rglob("figures/*"))


def test_a_run_without_figures_has_its_tables_and_is_drawn_afterwards(command, tmp_path):
    said = command("bandit=ucb", *SMALL, "figures=false", "hydra.run.dir=run")
    assert f"python -m experiments.plot {tmp_path / 'run'}" in said.out
    assert (tmp_path / "run" / "report.html").is_file()
    assert not (tmp_path / "run" / "figures").exists()
    assert command("bandit=ucb", *SMALL, "hydra.run.dir=run").status == 0  # the same run
    command("run", module="plot")
    assert len(figures_of(tmp_path / "run")) == 5


@pytest.mark.long
def test_a_sweep_draws_its_own_figures_and_those_of_its_runs_only_when_asked(command, tmp_path):
    sweep = ("-m", "bandit=ucb", "bandit.c=0.5,1", *SMALL)
    for given, folder, drawn in ([], "plain", 0), (["vectors=true"], "plain", 0), (["figures=true"], "asked", 2):
        command(*sweep, *given, f"hydra.sweep.dir={folder}")  # the second time put together again
        assert f"final_regret.{'svg' if given == ['vectors=true'] else 'png'}" in figures_of(tmp_path / folder)
        assert len(list((tmp_path / folder).glob("[0-9]/figures"))) == drawn


def test_a_finished_run_on_a_disk_that_is_only_read_is_told_but_not_drawn(command, attempt, tmp_path, monkeypatch):
    """Root may write where permissions forbid it."""

    def refuse(*_, **__):
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    run = ("bandit=ucb", *SMALL, "figures=false", "hydra.run.dir=run")
    told = command(*run).out
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)
    for name in ("replace", "unlink", "rmdir", "mkdir"):
        monkeypatch.setattr(os, name, refuse)
    said = command(*run)
    assert said.out == told
    attempt("run", module="plot").assert_refused(["folder 'run'", "writable"])
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == before
