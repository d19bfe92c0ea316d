"""Parts of a run, each by a command of its own in one folder: the same bytes, whoever comes first."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.experiments.commands import split_words
from tests.pages import ROOT

ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}
TOURNAMENT = split_words("experiment=tournament players=[random,level_2,level_3] games=4 board=4x3 connect=3 seed=3")
GRADE = split_words("experiment=grade player=random rates=[0,1] rounds=1 games=32 simulations=5 board=4x3 connect=3")
TABLES = ("games.parquet", "standings.csv", "pairs.csv", "crosstable.csv")


def slice_of(part, of, *words):
    return (*words, "executor=slice", f"executor.part={part}", f"executor.of={of}")


def assert_same(folder, tables=TABLES):
    for name in tables:
        assert (folder / "parts" / name).read_bytes() == (folder / "whole" / name).read_bytes(), name


def test_parts_in_any_order_and_one_command_more_leave_the_bytes_of_one_run(command, finished, tmp_path):
    finished(*TOURNAMENT, "hydra.run.dir=whole")
    run = (*TOURNAMENT, "hydra.run.dir=parts")
    for part in (4, 1):
        said = command(*slice_of(part, 4, *run))
        assert "done: 3 of 12 tasks" in said.out
        assert not (tmp_path / "parts" / "standings.csv").exists()
    assert "6 of 12 tasks" in command(*run).out  # and does what is missing
    assert_same(tmp_path)
    assert not (tmp_path / "parts" / "shards").exists()


@pytest.mark.long
def test_parts_at_the_same_time_do_not_disturb_each_other(command, finished, tmp_path):
    finished(*TOURNAMENT, "hydra.run.dir=whole")
    run = [sys.executable, "-m", "experiments.run", *TOURNAMENT, f"hydra.run.dir={tmp_path / 'parts'}"]
    jobs = [
        subprocess.Popen(slice_of(part, 2, *run), env=ENVIRONMENT, cwd=tmp_path, stderr=subprocess.PIPE)
        for part in (1, 2)
    ]
    for job in jobs:
        _, said = job.communicate(timeout=300)
        assert job.returncode == 0, said.decode()
    command(*TOURNAMENT, "hydra.run.dir=parts")
    assert_same(tmp_path)


@pytest.mark.long
def test_rounds_that_depend_on_earlier_ones_are_played_by_sending_the_array_again(command, tmp_path):
    command(*GRADE, "hydra.run.dir=whole")
    run = (*GRADE, "hydra.run.dir=parts")
    command(*slice_of(1, 2, *run))
    for part in (2, 1, 2, 1, 2):  # the second part finds the first round whole, and begins the next
        command(*slice_of(part, 2, *run))
    command(*run)
    assert_same(tmp_path, ("games.parquet", "rates.csv", "grade.csv"))


@pytest.mark.long
def test_a_sweep_in_parts(command, tmp_path):
    sweep = ("-m", "bandit.c=0.5,1", "horizon=50", "runs=600")
    command(*sweep, "hydra.sweep.dir=whole")
    run = (*sweep, "hydra.sweep.dir=parts")
    for part in (1, 2):
        command(*slice_of(part, 2, *run))
    command(*run)
    assert_same(tmp_path, ("sweep.csv",))


def test_mistakes_are_one_sentence_and_leave_nothing(attempt, tmp_path):
    attempt(*slice_of(1, 3)).assert_refused(["hydra.run.dir", "executor=slice"], tmp_path)
    attempt(*slice_of(4, 3, "hydra.run.dir=parts")).assert_refused(["executor.part", "of=3", "got 4"], tmp_path)
    assert not (tmp_path / "parts").exists()
