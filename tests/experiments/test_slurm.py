"""The job array of docs/cluster.md on a real SLURM: its parts and the job that merges leave the bytes of one run."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from tests.experiments import slurm

PROJECT = Path(__file__).resolve().parents[2]
TOURNAMENT = (
    "experiment=tournament", "players=[random,level_2,level_3,level_4,monte_carlo]", "games=4", "board=4x3",
    "connect=3", "seed=3",
)  # fmt: skip
TABLES = ("games.parquet", "standings.csv", "pairs.csv", "crosstable.csv")


@pytest.mark.long
@pytest.mark.skipif(slurm.missing() is not None, reason=slurm.missing() or "")
def test_the_array_of_the_documentation_and_its_merging_job(finished, tmp_path):
    finished(*TOURNAMENT, "hydra.run.dir=whole")
    text = (PROJECT / "docs" / "cluster.md").read_text()
    array, merge = re.findall(r"```bash\n(#!/bin/bash\n.*?)```", text, flags=re.DOTALL)
    place = tmp_path / "slurm"
    place.mkdir()
    command = (
        f"{sys.executable} -m experiments.run {' '.join(map(repr, TOURNAMENT))} hydra.run.dir={tmp_path / 'parts'}"
    )
    for name, script in (("array.sh", array), ("merge.sh", merge)):
        assert 'python -m experiments.run "${RUN[@]}"' in script
        (place / name).write_text(
            re.sub(r"^RUN=.*$", "", script, flags=re.MULTILINE)
            .replace('python -m experiments.run "${RUN[@]}"', command)
            .replace("--array=1-50", "--array=1-4")
        )
    with slurm.slurm(place) as own:
        environment = {**own, "PYTHONPATH": str(PROJECT), "SBATCH_OUTPUT": str(place / "job-%j.txt")}
        first = slurm.submit([str(place / "array.sh")], environment)
        slurm.submit([f"--dependency=afterok:{first}", str(place / "merge.sh")], environment)
        slurm.wait_until((tmp_path / "parts" / "manifest.json").exists, 300)
    for name in TABLES:
        assert (tmp_path / "parts" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes(), name
