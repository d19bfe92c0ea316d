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
