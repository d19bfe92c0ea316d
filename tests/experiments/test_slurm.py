"""The job array of docs/guides/cluster.md on a real SLURM: its parts and its merging job leave the bytes of one run."""

from __future__ import annotations

import os
import random
import re
import sys
import time

import pytest

from tests.experiments import slurm
from tests.experiments.commands import split_words, until
from tests.pages import ROOT, page

TOURNAMENT = split_words(
    "experiment=tournament players=[random,level_3,level_4,monte_carlo,uct] games=4 board=5x4 connect=3 seed=3"
)
TABLES = ("games.parquet", "standings.csv", "pairs.csv", "crosstable.csv")
KILLS = 20  # of each kind


def scripts(folder, words):
    """Write the two scripts of the documentation, for a run of these words in the folder's `parts`; say where."""
    array, merge = (block.text for block in page("guides/cluster").blocks if block.kind == "bash")
    place = folder / "slurm"
    place.mkdir()
    typed = f"{sys.executable} -m experiments.run {' '.join(map(repr, words))} hydra.run.dir={folder / 'parts'}"
    for name, script in (("array.sh", array), ("merge.sh", merge)):
        assert 'python -m experiments.run "${RUN[@]}"' in script
        (place / name).write_text(
            re.sub(r"^RUN=.*$", "", script, flags=re.MULTILINE)
            .replace('python -m experiments.run "${RUN[@]}"', typed)
            .replace("--array=1-50", "--array=1-4")
        )
    return place


@pytest.fixture
def its_programs(program):
    """The programs of SLURM, which of one machine only root can start."""
    for name in slurm.PROGRAMS:
        program(name)
    if os.geteuid() != 0:
        pytest.skip("a SLURM of one machine is started by root")


def settings(environment, place):
    return {**environment, "PYTHONPATH": str(ROOT), "SBATCH_OUTPUT": str(place / "job-%j.txt")}


@pytest.mark.long
@pytest.mark.usefixtures("its_programs")
def test_parts_that_are_requeued_and_cancelled_twenty_times_each_leave_the_same_bytes(command, tmp_path):
    words = [word.replace("games=4", "games=40") for word in TOURNAMENT]
    command(*words, "hydra.run.dir=whole")
    place, chance, ended = scripts(tmp_path, words), random.Random(31), 0
    with slurm.slurm(place) as own:
        environment = settings(own, place)
        script = [str(place / "array.sh")]
        while ended < 2 * KILLS:
            if len(slurm.running(environment, "RUNNING,PENDING")) < 3:  # two jobs may do the same part
                slurm.submit(script, environment)
            time.sleep(chance.uniform(0.2, 1.5))
            for job in slurm.running(environment)[:1]:
                slurm.end(("requeue", "cancel")[ended % 2], job, environment)
                ended += 1
        until(lambda: not slurm.running(environment, "RUNNING,PENDING,COMPLETING"), 120)
        last = slurm.submit(script, environment)
        slurm.submit([f"--dependency=afterok:{last}", str(place / "merge.sh")], environment)
        until((tmp_path / "parts" / "manifest.json").exists, 300)
    for name in TABLES:
        assert (tmp_path / "parts" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes(), name
    for output in place.glob("job-*.txt"):
        assert "Traceback" not in output.read_text(), output.read_text()
