"""`experiment=scaling`: slopes that are known, and what it refuses."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from experiments.kinds.scaling.experiment import draw_panel
from experiments.kinds.scaling.slopes import LAWS, slopes
from tests.drawn import legend_text, new_axes
from tests.experiments.commands import split_words

SLOPES = ["policy", "varied", "law", "slope", "ci_low", "ci_high"]

RANDOM = split_words(
    "experiment=scaling bandits=[random] numbers_of_arms=[2,10,50,200] gaps=[0.1,0.2,0.4,0.8] horizons=[] "
    "horizon=500 runs=40 hydra.run.dir=run"
)


@pytest.mark.jit
def test_random_play_loses_in_proportion_to_the_gap_and_hardly_more_with_more_arms(command, tmp_path):
    command(*RANDOM)
    found = pd.read_csv(tmp_path / "run" / "slopes.csv").set_index("varied")
    assert list(found.index) == ["arms", "gap"]
    gap = found.loc["gap"]
    assert gap["slope"] == pytest.approx(1.0, abs=0.02)  # R = T gap (1 - 1 / K)
    exact = np.polyfit(np.log([2, 10, 50, 200]), np.log([1 / 2, 9 / 10, 49 / 50, 199 / 200]), 1)[0]
    assert found.loc["arms", "slope"] == pytest.approx(exact, abs=0.01)
    assert (found["ci_low"] <= found["slope"]).all()
    assert (found["slope"] <= found["ci_high"]).all()


def test_a_law_of_the_logarithm_is_found_and_its_interval_holds_it():
    rng, held = np.random.default_rng(0), 0
    for _ in range(60):
        own = {t: 3.0 + 7.0 * np.log(t) + rng.normal(0.0, 4.0, 50) for t in (10.0, 100.0, 1_000.0, 10_000.0, 100_000.0)}
        row = slopes({("a", "horizon"): own}).iloc[0]
        assert row["slope"] == pytest.approx(7.0, abs=1.5)
        held += bool(row["ci_low"] <= 7.0 <= row["ci_high"])
    assert held > 48  # 95 % of 60 is 57
    assert slopes({("a", "horizon"): {10.0: np.ones(5), 20.0: np.ones(5)}}).empty


def test_a_line_has_its_fitted_slope_behind_its_name_and_the_law_above_the_panel():
    axes, bare = new_axes(), new_axes()
    points = pd.DataFrame({"varied": "arms", "value": [2, 4, 8, 16], "policy": "a"})
    points["regret_mean"] = 3.0 * points["value"] ** 0.5
    points = points.assign(
        regret_low=points["regret_mean"] - 0.2, regret_high=points["regret_mean"] + 0.2, regret_bound=np.nan
    )
    fit = pd.DataFrame([("a", "arms", LAWS["arms"], 0.5, 0.4, 0.6)], columns=SLOPES)
    draw_panel(points, fit, axes, "gap 0.2")
    assert "a, b = 0.5" in legend_text(axes).split("\n")
    assert "gap 0.2; fit: $L_T = a K^b$" in legend_text(axes)
    draw_panel(points, fit[:0], bare, "gap 0.2")
    assert "a" in legend_text(bare).split("\n")
    assert "fit:" not in legend_text(bare)
