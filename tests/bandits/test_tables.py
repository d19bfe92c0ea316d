"""The tables of a result against its replications: of one policy, of several, and of arms that change."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET

import numpy as np
import pandas as pd
import pytest

from bandits import (
    UCB,
    Arms,
    Bernoulli,
    Comparison,
    Drift,
    EpsilonGreedy,
    Piecewise,
    Policy,
    RandomBernoulli,
    Result,
    Thompson,
    Trace,
    simulate,
    summaries,
    trace,
)
from bandits.differences import COLUMNS, differences_of
from bandits.replications import Replications
from bandits.summaries import CURVES, OF_CHANGES, SUMMARY
from numerics.statistics import interval_of, mean_interval, mean_p_value
from tests import naive
from tests.drawn import drawn_lines, legend_text, new_axes
from tests.internals import CHANGED, Context, draw_best_share, draw_regret, mark_changes, windows

ARMS = Bernoulli([0.9, 0.6, 0.9])


@pytest.fixture(scope="module")
def result() -> Result:
    return simulate(EpsilonGreedy(0.3), ARMS, 200, 50, seed=6, checkpoints=[1, 20, 200])


@pytest.fixture(scope="module")
def played(result: Result) -> Replications:
    return result.replications


def test_curves_hold_means_errors_and_quantiles_of_every_checkpoint(result: Result, played: Replications):
    table = result.curves
    assert tuple(table.columns) == summaries.CURVES
    assert table["t"].tolist() == [1, 20, 200]
    assert set(table["policy"]) == {"epsilon_greedy epsilon=0.3"}
    for column, name, values in (
        (0, "pseudo_regret", played.pseudo_regret),
        (1, "realised_regret", played.best_reward_sum - played.reward_sum),
    ):
        assert (table[f"{name}_mean"] == values.mean(axis=0)).all(), column
        np.testing.assert_allclose(table[f"{name}_se"], values.std(axis=0, ddof=1) / math.sqrt(50))
    for name, share in (("q05", 5), ("q25", 25), ("q50", 50), ("q75", 75), ("q95", 95)):
        expected = [np.percentile(played.pseudo_regret[:, c], share) for c in range(3)]
        np.testing.assert_allclose(table[f"pseudo_regret_{name}"], expected)
    np.testing.assert_allclose(table["optimal_share"], [(column == 1).mean() for column in played.optimal.T])
    np.testing.assert_allclose(table["reward_mean"], played.reward.mean(axis=0))


def test_the_summary_holds_the_final_figures_and_the_formula_with_its_numbers(result: Result, played: Replications):
    table = result.summary
    assert tuple(table.columns) == summaries.SUMMARY
    row = table.iloc[0]
    assert row["formula"] == result.policy.formula
    assert (row["horizon"], row["runs"]) == (200, 50)
    assert row["pseudo_regret_mean"] == pytest.approx(result.pseudo_regret.mean())
    assert row["realised_regret_mean"] == pytest.approx(result.realised_regret.mean())
    assert row["realised_regret_se"] == pytest.approx(result.realised_regret.std(ddof=1) / math.sqrt(50))
    assert row["reward_sum_mean"] == pytest.approx(played.reward_sum[:, -1].mean())
    assert row["optimal_share"] == pytest.approx(played.pulls[:, [0, 2]].sum() / (50 * 200))
    assert row["lai_robbins_constant"] == pytest.approx(0.3 / naive.bernoulli_kl(0.6, 0.9))


def test_standard_errors_of_one_replication_are_unknown():
    alone = simulate(UCB(), ARMS, 30, 1)
    assert alone.curves["pseudo_regret_se"].isna().all()
    assert math.isnan(alone.summary["realised_regret_se"].iloc[0])
    assert not alone.curves["pseudo_regret_mean"].isna().any()


def test_pull_counts_have_one_row_a_replication_and_arm(played: Replications):
    table = summaries.pulls("mine", played)
    assert list(table.columns) == ["policy", "run", "arm", "mean", "pulls"]
    assert set(table["policy"]) == {"mine"}
    np.testing.assert_array_equal(table["run"], np.repeat(np.arange(50), 3))
    np.testing.assert_array_equal(table["arm"], np.tile(np.arange(3), 50))
    np.testing.assert_array_equal(table["pulls"], played.pulls.ravel())
    np.testing.assert_array_equal(table["mean"], np.tile(ARMS.fixed_means, 50))


def test_pull_counts_of_random_arms_carry_the_means_of_their_own_replication():
    arms = RandomBernoulli(arms=3)
    table = summaries.pulls("ucb", simulate(UCB(), arms, 30, 4, seed=2).replications)
    np.testing.assert_array_equal(table["mean"], arms.draw_means(2, 0, 4).ravel())


# ---------------------------------------------------------------- traces


def test_it_is_the_replication_that_simulate_plays():
    played, result = trace("ucb", [0.3, 0.7], horizon=60, seed=3, run=4), simulate(UCB(), [0.3, 0.7], 60, 5, seed=3)
    frame = played.to_frame()
    assert isinstance(played, Trace)
    np.testing.assert_array_equal(np.bincount(frame["arm"], minlength=2), result.pulls[4])
    assert frame["realised_regret"].iloc[-1] == result.realised_regret[4]
    assert repr(played) == (
        f"Trace('ucb', arms=2, horizon=60, run=4, seed=3: pseudo-regret {result.pseudo_regret[4]:.2f})"
    )


@pytest.mark.jit
def test_a_notebook_shows_its_first_steps_and_its_figure():
    played = trace("thompson", [0.3, 0.5, 0.7], horizon=30, seed=1)
    body = ET.fromstring(f"<body>{played._repr_html_()}</body>")
    head, *rows = [["".join(cell.itertext()) for cell in row] for row in body.iter("tr")]
    assert head == list(played.to_frame())
    assert [int(row[1]) for row in rows] == played.to_frame()["arm"].head(10).tolist()
    (image,) = body.iter("img")
    assert image.attrib["src"].startswith("data:image/png;base64,iVBOR")
    assert "the first 10 steps (all: to_frame())" in "".join(body.itertext())


# ---------------------------------------------------------------- several policies in one call, names and means

TERMS = {"horizon": 60, "runs": 12, "seed": 4}
THREE = [0.2, 0.5, 0.7]


def test_names_and_means_stand_for_policies_and_bernoulli_arms():
    named, built = simulate("ucb", THREE, **TERMS), simulate(UCB(), Bernoulli(THREE), **TERMS)
    assert isinstance(named, Result)
    assert (named.policy, named.arms, named.label) == (UCB(), Bernoulli(THREE), "ucb")
    np.testing.assert_array_equal(named.pulls, built.pulls)
    np.testing.assert_array_equal(simulate("ucb", np.array(THREE), **TERMS).pulls, built.pulls)


def test_several_policies_are_the_results_of_each_over_the_same_random_numbers():
    compared = simulate(["ucb", UCB(c=0.5), Thompson()], THREE, **TERMS, workers=2)
    assert isinstance(compared, Comparison)
    assert list(compared) == ["ucb", "ucb c=0.5", "thompson"]
    for policy, (label, result) in zip(("ucb", UCB(c=0.5), "thompson"), compared.items(), strict=True):
        alone = simulate(policy, THREE, **TERMS)
        assert result.label == label
        np.testing.assert_array_equal(result.pulls, alone.pulls)
        np.testing.assert_array_equal(result.replications.best_reward_sum, alone.replications.best_reward_sum)
    first, last = compared["ucb"].pseudo_regret, compared["thompson"].pseudo_regret
    row = compared.differences.set_index(["policy_a", "policy_b"]).loc[("ucb", "thompson")]
    assert row["difference_mean"] == pytest.approx((first - last).mean())
    assert row["difference_se"] == pytest.approx((first - last).std(ddof=1) / 12**0.5)
    assert compared.summary["policy"].tolist() == list(compared)
    assert set(compared.curves["policy"]) == set(compared)


@pytest.mark.parametrize(("policies", "pairs"), [(2, 1), (4, 6)])
def test_the_intervals_of_all_pairs_hold_jointly(policies: int, pairs: int):
    finals = pd.DataFrame(np.random.default_rng(policies).normal(size=(30, policies)), columns=list("abcd")[:policies])
    table = differences_of(finals)
    assert len(table) == pairs
    for row in table.itertuples():
        difference = (finals[row.policy_a] - finals[row.policy_b]).to_numpy()
        ends = [float(end) for end in mean_interval(difference, confidence=1.0 - 0.05 / pairs)]
        assert [row.ci_low, row.ci_high] == pytest.approx(ends)
        assert row.p_adjusted == pytest.approx(min(1.0, pairs * mean_p_value(difference)))


def test_a_single_policy_has_no_differences():
    alone = simulate(["ucb"], THREE, **TERMS).differences
    assert (len(alone), list(alone)) == (0, list(COLUMNS))


def test_a_mapping_gives_the_labels():
    compared = simulate({"wide": UCB(), "narrow": UCB(c=0.1), "by name": "greedy"}, THREE, **TERMS)
    assert list(compared) == ["wide", "narrow", "by name"]
    assert compared["narrow"].policy == UCB(c=0.1)


def test_a_class_of_arms_or_a_policy_that_is_not_finished_says_what_it_must_define():
    class Mine(Arms): ...

    class Half(Policy): ...

    with pytest.raises(NotImplementedError, match=r"Mine .* count"):
        simulate(UCB(), Mine())
    with pytest.raises(NotImplementedError, match=r"Half .* spec"):
        simulate(Half(), THREE)


def test_a_label_that_no_policy_has_is_answered_with_the_labels():
    compared = simulate(["ucb", "thompson"], [0.1, 0.9], horizon=3, runs=1)
    with pytest.raises(KeyError, match=r"'tompson'.*thompson\?.*ucb, thompson"):
        compared["tompson"]


# ---------------------------------------------------------------- arms that change


WORLD = Piecewise([0.2, 0.8], changes=[30, 60], means=[[0.9, 0.3], [0.1, 0.5]])


RESTARTING = "glr_kl_ucb delta=0.5 every=1 splits=1"  # of many alarms


def test_tables_have_both_regrets_with_intervals_and_only_of_arms_that_change():
    result = simulate("ucb", WORLD, 90, 40, seed=2)
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
    assert 100 * WORLD.largest_gap == pytest.approx(60.0)
    assert Drift([0.4, 0.5], low=0.2, high=0.7).largest_gap == pytest.approx(0.5)
    summary = simulate("greedy", WORLD, 90, 40, seed=2).summary.iloc[0]
    assert summary["pseudo_regret_bound"] == pytest.approx(54.0)
    assert -54.0 <= summary["fixed_regret_low"] < summary["fixed_regret_high"] <= 54.0


@pytest.mark.parametrize("arms", [WORLD, Bernoulli([0.2, 0.8])], ids=["changing", "standing"])
def test_alarms_are_counted_at_every_checkpoint(arms):
    result, every = (simulate(RESTARTING, arms, 90, 20, seed=3, checkpoints=at) for at in ([1, 45], range(1, 91)))
    played = result.replications
    np.testing.assert_array_equal(played.alarms, every.replications.alarms[:, [0, 44, 89]])
    assert result.summary["alarms_mean"].iloc[0] == played.alarms[:, -1].mean() > 0.0
    assert result.curves["alarms_mean"].tolist() == played.alarms.mean(axis=0).tolist()


def test_the_figure_of_regret_marks_the_moments_of_change():
    curves, axes = simulate("ucb", WORLD, 90, 40, seed=2).curves, new_axes()
    draw_regret(axes, curves, Context(moments=WORLD.moments))
    assert [line.get_xdata()[0] for line in axes.get_lines() if len(line.get_xdata()) == 2][:2] == [30.5, 60.5]
    assert CHANGED in legend_text(axes)
    assert mark_changes(axes, Drift([0.4, 0.5]).moments) == ""


def test_the_figure_of_best_arms_has_the_share_of_pulls_between_checkpoints():
    result, axes = simulate("ucb", WORLD, 90, 40, seed=2, checkpoints=[10, 30, 40]), new_axes()
    draw_best_share(axes, result.curves, Context(moments=WORLD.moments))
    every = simulate("ucb", WORLD, 90, 40, seed=2, checkpoints=range(1, 91)).replications.optimal.mean(axis=0)
    expected = [every[:10].mean(), every[10:30].mean(), every[30:40].mean(), every[40:].mean()]
    (line,) = [line for line in drawn_lines(axes) if len(line.get_xdata()) == 4]
    np.testing.assert_allclose(line.get_ydata(), expected)
    assert f"ucb: {100.0 * every.mean():.0f} %" in legend_text(axes)


def test_a_share_is_taken_over_a_hundredth_of_the_horizon_up_to_a_change():
    assert windows([1, 99, 100, 101, 200, 299, 300, 301, 10_000], []) == [100, 200, 300, 10_000]
    assert windows([100, 250, 300, 350, 360, 10_000], [300, 350]) == [100, 300, 350, 10_000]
    assert windows([1], []) == [1]


def test_a_trace_has_the_means_of_each_step_and_the_alarms():
    frame = trace(RESTARTING, WORLD, horizon=90, seed=3).to_frame()
    assert frame["truth_0"].tolist() == [0.2] * 30 + [0.9] * 30 + [0.1] * 30
    best = frame[["truth_0", "truth_1"]].max(axis=1)
    pulled = np.where(frame["arm"] == 0, frame["truth_0"], frame["truth_1"])
    np.testing.assert_allclose(frame["pseudo_regret"], (best - pulled).cumsum(), rtol=1e-12, atol=1e-12)
    (alarms,) = simulate(RESTARTING, WORLD, 90, 1, seed=3, checkpoints=range(1, 91)).replications.alarms
    assert frame["alarms"].tolist() == alarms.tolist()
    assert alarms[-1] > 0


@pytest.mark.long
def test_alarms_are_drawn_beside_a_saved_result_and_in_a_trace(tmp_path):
    figures = {path.stem for path in simulate([RESTARTING, "ucb"], WORLD, 90, 5).save(tmp_path).glob("figures/*")}
    assert {"best_arm", "alarms"} <= figures
    said = " ".join(map(legend_text, trace(RESTARTING, WORLD, horizon=90, seed=3).plot().axes))
    assert "means change" in said
    assert "alarms" in said
