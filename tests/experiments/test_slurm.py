"""The job array of docs/guides/cluster.md on a real SLURM: its parts and its merging job leave the bytes of one run."""

from __future__ import annotations

import re
import sys

import pytest

from tests.experiments import slurm
from tests.pages import ROOT, page

TOURNAMENT = (
    "experiment=tournament",
    "players=[random,level_3,level_4,monte_carlo,uct]",
    "games=4",
    "board=5x4",
    "connect=3",
    "seed=3",
)
TABLES = ("games.parquet", "standings.csv", "pairs.csv", "crosstable.csv")


@pytest.mark.long
@pytest.mark.skipif(slurm.missing() is not None, reason=slurm.missing() or "")
def test_a_tournament_of_five_as_an_array_on_a_dask_cluster_and_alone_leaves_the_same_bytes(command, tmp_path):
    """The two scripts of the documentation, with other settings."""
    for folder, words in (("whole", ["executor=serial"]), ("dask", ["executor=dask", "executor.workers=2"])):
        said = command(*TOURNAMENT, *words, f"hydra.run.dir={folder}")
        assert said.status == 0, said.err
    array, merge = (block.text for block in page("guides/cluster").blocks if block.kind == "bash")
    place = tmp_path / "slurm"
    place.mkdir()
    typed = f"{sys.executable} -m experiments.run {' '.join(map(repr, TOURNAMENT))} hydra.run.dir={tmp_path / 'parts'}"
    for name, script in (("array.sh", array), ("merge.sh", merge)):
        assert 'python -m experiments.run "${RUN[@]}"' in script
        (place / name).write_text(
            re.sub(r"^RUN=.*$", "", script, flags=re.MULTILINE)
            .replace('python -m experiments.run "${RUN[@]}"', typed)
            .replace("--array=1-50", "--array=1-4")
        )
    with slurm.slurm(place) as own:
        environment = {**own, "PYTHONPATH": str(ROOT), "SBATCH_OUTPUT": str(place / "job-%j.txt")}
        first = slurm.submit([str(place / "array.sh")], environment)
        slurm.submit([f"--dependency=afterok:{first}", str(place / "merge.sh")], environment)
        slurm.wait_until((tmp_path / "parts" / "manifest.json").exists, 300)
    for name in TABLES:
        whole = (tmp_path / "whole" / name).read_bytes()
        assert (tmp_path / "parts" / name).read_bytes() == whole, name
        assert (tmp_path / "dask" / name).read_bytes() == whole, name
