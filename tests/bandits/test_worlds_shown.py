"""What tables and figures say of arms that change, and of policies that look for changes."""

from __future__ import annotations

import numpy as np
import pytest

from bandits import Bernoulli, Drift, Piecewise, simulate, trace
from bandits.summaries import CURVES, OF_CHANGES, SUMMARY
from numerics.statistics import interval_of
from tests.drawn import drawn_lines, legend_text, new_axes
from tests.internals import CHANGED, Context, draw_best_share, draw_regret, mark_changes, windows

ARMS = Piecewise([0.2, 0.8], changes=[30, 60], means=[[0.9, 0.3], [0.1, 0.5]])


RESTARTING = "glr_kl_ucb delta=0.5 every=1 splits=1"  # of many alarms


def test_tables_have_both_regrets_with_intervals_and_only_of_arms_that_change():
    result = simulate("ucb", ARMS, 90, 40, seed=2)
    summary, curves, played = result.summary.iloc[0], result.curves, result.replications
    assert [*curves] == [*CURVES, *OF_CHANGES[:7]]
    assert [*result.summary] == [*SUMMARY, *OF_CHANGES[:7]]
    low, high = interval_of(played.fixed_regret[:, -1])
    assert summary["fixed_regret_low"] == pytest.approx(float(low))
    assert summary["fixed_regret_high"] == pytest.approx(float(high))
    assert summary["fixed_regret_mean"] == played.fixed_regret[:, -1].mean() < summary["pseudo_regret_mean"]
    assert summary["optimal_share"] == pytest.approx(played.best_pulls[:, -1].sum() / 3_600)
    assert "fixed_regret_mean" not in simulate("ucb", [0.2, 0.8], 90, 40).summary


def test_the_interval_of_a_policy_that_may_lock_reckons_with_the_largest_gap_of_any_moment():
    assert 100 * ARMS.largest_gap == pytest.approx(60.0)
    assert Drift([0.4, 0.5], low=0.2, high=0.7).largest_gap == pytest.approx(0.5)
    summary = simulate("greedy", ARMS, 90, 40, seed=2).summary.iloc[0]
    assert summary["pseudo_regret_bound"] == pytest.approx(54.0)
    assert -54.0 <= summary["fixed_regret_low"] < summary["fixed_regret_high"] <= 54.0


@pytest.mark.parametrize("arms", [ARMS, Bernoulli([0.2, 0.8])], ids=["changing", "standing"])
def test_alarms_are_counted_at_every_checkpoint(arms):
    result, every = (simulate(RESTARTING, arms, 90, 20, seed=3, checkpoints=at) for at in ([1, 45], range(1, 91)))
    played = result.replications
    np.testing.assert_array_equal(played.alarms, every.replications.alarms[:, [0, 44, 89]])
    assert result.summary["alarms_mean"].iloc[0] == played.alarms[:, -1].mean() > 0.0
    assert result.curves["alarms_mean"].tolist() == played.alarms.mean(axis=0).tolist()


def test_the_figure_of_regret_marks_the_moments_of_change():
    curves, axes = simulate("ucb", ARMS, 90, 40, seed=2).curves, new_axes()
    draw_regret(axes, curves, Context(moments=ARMS.moments))
    assert [line.get_xdata()[0] for line in axes.get_lines() if len(line.get_xdata()) == 2][:2] == [30.5, 60.5]
    assert CHANGED in legend_text(axes)
    assert mark_changes(axes, Drift([0.4, 0.5]).moments) == ""


def test_the_figure_of_best_arms_has_the_share_of_pulls_between_checkpoints():
    result, axes = simulate("ucb", ARMS, 90, 40, seed=2, checkpoints=[10, 30, 40]), new_axes()
    draw_best_share(axes, result.curves, Context(moments=ARMS.moments))
    every = simulate("ucb", ARMS, 90, 40, seed=2, checkpoints=range(1, 91)).replications.optimal.mean(axis=0)
    expected = [every[:10].mean(), every[10:30].mean(), every[30:40].mean(), every[40:].mean()]
    (line,) = [line for line in drawn_lines(axes) if len(line.get_xdata()) == 4]
    np.testing.assert_allclose(line.get_ydata(), expected)
    assert f"ucb: {100.0 * every.mean():.0f} %" in legend_text(axes)


def test_a_share_is_taken_over_a_hundredth_of_the_horizon_up_to_a_change():
    assert windows([1, 99, 100, 101, 200, 299, 300, 301, 10_000], []) == [100, 200, 300, 10_000]
    assert windows([100, 250, 300, 350, 360, 10_000], [300, 350]) == [100, 300, 350, 10_000]
    assert windows([1], []) == [1]


def test_a_trace_has_the_means_of_each_step_and_the_alarms():
    frame = trace(RESTARTING, ARMS, horizon=90, seed=3).to_frame()
    assert frame["truth_0"].tolist() == [0.2] * 30 + [0.9] * 30 + [0.1] * 30
    best = frame[["truth_0", "truth_1"]].max(axis=1)
    pulled = np.where(frame["arm"] == 0, frame["truth_0"], frame["truth_1"])
    np.testing.assert_allclose(frame["pseudo_regret"], (best - pulled).cumsum(), rtol=1e-12, atol=1e-12)
    (alarms,) = simulate(RESTARTING, ARMS, 90, 1, seed=3, checkpoints=range(1, 91)).replications.alarms
    assert frame["alarms"].tolist() == alarms.tolist()
    assert alarms[-1] > 0


@pytest.mark.long
def test_alarms_are_drawn_beside_a_saved_result_and_in_a_trace(tmp_path):
    figures = {path.stem for path in simulate([RESTARTING, "ucb"], ARMS, 90, 5).save(tmp_path).glob("figures/*")}
    assert {"best_arm", "alarms"} <= figures
    said = " ".join(map(legend_text, trace(RESTARTING, ARMS, horizon=90, seed=3).plot().axes))
    assert "means change" in said
    assert "alarms" in said
