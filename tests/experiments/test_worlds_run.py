"""Arms that change from the command line: stored in shards, compared, refused where they make no sense."""

from __future__ import annotations

import json

import pandas as pd
import pytest

from bandits import Piecewise, simulate

WORLD = ["arms=piecewise", "arms.arms=[0.2,0.8]", "arms.changes=[30]", "arms.means=[[0.9,0.3]]"]
SMALL = ["horizon=90", "runs=12", "hydra.run.dir=out"]


def test_a_stored_comparison_has_the_numbers_of_the_library(command, tmp_path):
    said = command("experiment=comparison", "bandits=[ucb,greedy]", *WORLD, *SMALL)
    assert said.status == 0, said.err
    summary = pd.read_csv(tmp_path / "out" / "summary.csv")
    curves = pd.read_parquet(tmp_path / "out" / "curves.parquet")
    expected = simulate(["ucb", "greedy"], Piecewise([0.2, 0.8], changes=[30], means=[[0.9, 0.3]]), 90, 12)
    columns = ["pseudo_regret_mean", "fixed_regret_mean", "fixed_regret_low", "optimal_share", "realised_regret_mean"]
    pd.testing.assert_frame_equal(summary[columns], expected.summary[columns])
    pd.testing.assert_frame_equal(curves, expected.curves)
    differences = pd.read_csv(tmp_path / "out" / "differences.csv")
    assert differences["difference_mean"][0] == pytest.approx(expected.differences["difference_mean"][0])
    assert json.loads((tmp_path / "out" / "manifest.json").read_text())["arms"]["moments"] == [30]
    assert "dynamic regret" in said.out


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        (
            ["experiment=comparison", "arms.changes=[90]", *SMALL],
            ["arms.changes must be below the horizon, 90", "got 90"],
        ),
        (["experiment=trace", "horizon=20"], ["arms.changes must be below the horizon, 20", "got 30"]),
        (
            ["arms.rate=0.01", *SMALL],
            ["arms.changes must be given", "got [30] and 0.01 (a preset's own are left out by changes=[])"],
        ),
        (["arms.rate=2", *SMALL], ["arms.rate must be a finite number from 0 to 1; got 2"]),
        (["arms.means=[[0.9,1.3]]", *SMALL], ["arms.means[0].means[1] must be", "got 1.3"]),
        (["experiment=identification", "most=100"], ["arms must have fixed means, of which one is the best"]),
        (["experiment=exact", "horizon=20", "bandits=[ucb]"], ["arms must be Bernoulli arms"]),
    ],
)
def test_what_makes_no_sense_is_one_sentence(command, tmp_path, words, parts):
    command(*WORLD, *words).assert_refused(parts, tmp_path / "out")
