"""Figures of regret: what is drawn, and that it can be read."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from matplotlib.collections import FillBetweenPolyCollection
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from bandits import Bernoulli, RandomBernoulli, drawing, figures, regret_figures, theory
from tests.drawn import MEANS, POLICIES, assert_readable, counts, curves, legend_text, lines_by_label, new_axes, played


def test_theory_is_of_arms_or_of_stored_numbers():
    arms = Bernoulli(MEANS)
    assert regret_figures.Theory.of(arms) == regret_figures.Theory(
        theory.lai_robbins_constant(arms), theory.uniform_regret(arms)
    )
    assert np.isnan([regret_figures.Theory.of(RandomBernoulli()).lai_robbins, regret_figures.Theory().uniform]).all()


@pytest.mark.parametrize("log", [False, True])
def test_regret_shows_mean_bands_and_theory_and_the_uniform_line_does_not_ruin_the_view(log):
    axes, one = new_axes(), played()
    regret_figures.draw_regret(axes, curves(ucb=one), theory=regret_figures.Theory(7.2, 0.41), log=log, runs=one.runs)
    lines = lines_by_label(axes)
    assert len(lines) == 3
    mean = next(line for label, line in lines.items() if label.startswith("ucb: "))
    np.testing.assert_allclose(mean.get_ydata(), one.pseudo_regret.mean(axis=0))
    slope = lines["Lai–Robbins slope C ln t (asymptotic, no bound at finite t)"]
    np.testing.assert_allclose(slope.get_ydata(), 7.2 * np.log(slope.get_xdata()))
    assert slope.get_linestyle() == "--"
    assert lines["uniform play, leaves the view"].get_ydata()[-1] == pytest.approx(4_100)
    assert axes.get_ylim() == (0.0, pytest.approx(1.06 * np.quantile(one.pseudo_regret[:, -1], 0.95)))
    assert len(axes.collections) == 2
    high = axes.collections[0].get_paths()[0].vertices[:, 1].max()
    assert high == pytest.approx(np.quantile(one.pseudo_regret, 0.95, axis=0).max())
    assert axes.get_ylabel() == "cumulative pseudo-regret (rewards lost)"
    assert axes.get_xlabel().startswith("t (pulls)")
    assert axes.get_xscale() == ("log" if log else "linear")
    text = legend_text(axes)
    for words in ("20 replications, horizon 10,000", "5–95 % of replications", "95 % confidence of the mean"):
        assert words in text
    assert_readable(axes)


def test_a_policy_near_uniform_play_brings_the_line_into_the_view():
    axes = new_axes()
    regret_figures.draw_regret(axes, curves(random=played(0.0, 0.41)), theory=regret_figures.Theory(7.2, 0.41))
    assert "uniform play" in lines_by_label(axes)
    assert axes.get_ylim()[1] > 4_100


def test_many_policies_are_told_apart_without_colour_and_the_view_is_not_ruined_by_one():
    table = curves(
        random=played(0.0, 0.41), greedy=played(0, 0.05), epsilon_greedy=played(0.0, 0.04), ucb=played(30.0),
        thompson=played(4.0),
    )  # fmt: skip
    for log in (False, True):
        axes = new_axes()
        regret_figures.draw_regret(axes, table, theory=regret_figures.Theory(7.2, 0.41), log=log)
        lines = [line for label, line in lines_by_label(axes).items() if label.startswith(POLICIES)]
        assert len(lines) == 5
        assert len({line.get_color() for line in lines}) == len({line.get_marker() for line in lines}) == 5
        assert len(axes.collections) == 5  # confidence alone
        assert 500 < axes.get_ylim()[1] < 1_000
        assert "leaves the view" in legend_text(axes).splitlines()[1]
        assert legend_text(axes).count("leaves the view") == 2  # and uniform play
        assert_readable(axes)


@pytest.mark.parametrize("log", [False, True])
def test_two_policies_far_above_the_others_leave_the_view_with_their_final_values_and_more_do_not(log):
    slow = {"ucb": played(30.0), "thompson": played(4.0), "kl_ucb": played(6.0)}
    far = {"random": played(0.0, 0.41), "worse": played(0.0, 0.6)}
    axes = new_axes()
    regret_figures.draw_regret(axes, curves(**far, **slow), log=log)
    assert axes.get_ylim()[1] < 600
    gone = [line for line in legend_text(axes).splitlines() if line.endswith(", leaves the view")]
    assert [line.split(":")[0] for line in gone] == ["random", "worse"]
    assert all("±" in line for line in gone)
    for shown in ({**far, "third": played(0.0, 0.5), **slow}, {**far, "ucb": slow["ucb"]}):
        axes = new_axes()
        regret_figures.draw_regret(axes, curves(**shown), log=log)
        assert axes.get_ylim()[1] > 6_000
        assert "leaves the view" not in "".join(legend_text(axes).split("replications")[0])


def test_policies_of_different_horizons_all_stay_in_the_view():
    axes = new_axes()
    regret_figures.draw_regret(axes, curves(short=played(0.0, 0.4, horizon=100), long=played(0.0, 0.4)))
    assert axes.get_ylim()[1] > 4_000


def test_two_logarithmic_policies_stay_in_the_log_view_however_far_apart():
    axes = new_axes()
    regret_figures.draw_regret(axes, curves(ucb=played(40.0), thompson=played(4.0)), log=True)
    assert "leaves the view" not in legend_text(axes)
    assert len(axes.collections) == 4


def test_a_chosen_order_of_policies_is_kept():
    axes, table = new_axes(), curves(ucb=played(30.0), thompson=played(4.0), greedy=played(9.0))
    regret_figures.draw_regret(axes, table, policies=["greedy", "ucb"])
    assert [label.split(":")[0] for label in lines_by_label(axes)] == ["greedy", "ucb"]
    assert [to_hex(line.get_color()) for line in axes.get_lines()] == list(drawing.PALETTE[:2])


def test_more_than_ten_policies_differ_in_dashes():
    styles = [drawing.line_style(place) for place in range(20)]
    assert len({str(sorted(style.items())) for style in styles}) == 20


@pytest.mark.parametrize("horizon", [1, 100])
def test_one_replication_draws_no_band_and_claims_no_interval(horizon, tmp_path):
    one = played(runs=1, horizon=horizon)
    axes = new_axes()
    regret_figures.draw_regret(axes, curves(ucb=one), theory=regret_figures.Theory(7.2, 0.41), runs=1)
    assert not axes.collections
    assert "±" not in legend_text(axes)
    assert "1 replication," in legend_text(axes)
    paths = figures.save_all(tmp_path, curves(ucb=one), counts(ucb=one), regret_figures.Theory(7.2, 0.41))
    assert len(paths) == 6


def test_no_regret_at_all_still_draws():
    axes = new_axes()
    regret_figures.draw_regret(axes, curves(ucb=played(0.0)), theory=regret_figures.Theory(0.0, 0.0))
    assert axes.get_ylim() == (0.0, 1.0)
    assert len(axes.get_lines()) == 1


@pytest.mark.parametrize("log", [False, True])
@pytest.mark.parametrize(("means", "said"), [([0.1] * 3, True), ([0.5, 0.5], True), ([0.5, 0.500001], False)])
def test_regret_of_equal_arms_says_why_the_figure_is_empty(means, said, log):
    axes = new_axes()
    regret_figures.draw_regret(
        axes, curves(ucb=played(0.0)), theory=regret_figures.Theory.of(Bernoulli(means)), log=log
    )
    texts = [text.get_text() for text in axes.texts]
    assert texts == ["all arms have the same mean: there is no regret"] * said
    assert_readable(axes)


def test_more_policies_than_one_view_shows_have_their_quantiles_in_panels():
    names = ("random", "a", "b", "c", "d")
    table = curves(**{name: played(20.0 + 5 * place, seed=place) for place, name in enumerate(names[1:])})
    table = pd.concat([curves(random=played(0.0, 0.4)), table], ignore_index=True)
    figure = Figure(layout="constrained")
    regret_figures.draw_quantiles(figure, table, runs=20)
    panels = figure.axes
    assert len(panels) == len(names)
    assert [axes.get_title(loc="left").split(":")[0] for axes in panels] == list(names)
    last = table[table["t"] == table["t"].max()].set_index("policy")
    for name, axes in zip(names, panels, strict=True):
        wide, middle = (one for one in axes.collections if isinstance(one, FillBetweenPolyCollection))
        for band, low, high in ((wide, "q05", "q95"), (middle, "q25", "q75")):
            ends = [y for x, y in band.get_paths()[0].vertices if x == last["t"].max()]
            assert {min(ends), max(ends)} == {last.loc[name, f"pseudo_regret_{one}"] for one in (low, high)}
        assert axes.get_ylim()[1] >= last.loc[name, "pseudo_regret_q95"]
        assert len(axes.get_lines()) == len(names) + 1  # the others in grey, its own mean and median
