"""Figures of regret: what is drawn, and that it can be read."""

from __future__ import annotations

import dataclasses
import re
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from matplotlib.collections import FillBetweenPolyCollection
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from bandits import Bernoulli, RandomBernoulli, RandomGaussian, simulate, theory
from bandits.figures import pulls, regret, save
from numerics.output import captions
from numerics.output import style as drawing
from numerics.statistics import interval_of, quantiles_to_come
from tests.drawn import (
    MEANS,
    POLICIES,
    assert_readable,
    counts,
    curves,
    drawn_lines,
    heading_text,
    legend_text,
    lines_by_label,
    new_axes,
    played,
)
from tests.internals import Context, Theory

# how kernels run decides nothing here
pytestmark = [pytest.mark.jit, pytest.mark.usefixtures("house_style")]


def test_theory_is_of_arms_or_of_stored_numbers():
    arms = Bernoulli(MEANS)
    constant = theory.lai_robbins_constant(arms)
    assert Theory.of(arms) == Theory(constant, arms.uniform_regret(), "Bernoulli arms")
    assert np.isnan([Theory.of(RandomBernoulli()).lai_robbins, Theory().uniform]).all()
    assert Theory.of(RandomBernoulli(arms=4)).uniform == pytest.approx(4 / 5 - 1 / 2)


@pytest.mark.parametrize("runs", [5, 1_000])
def test_a_line_is_named_with_the_interval_of_its_mean(runs):
    axes, one = new_axes(), played(runs=runs, horizon=100)
    regret.draw_regret(axes, curves(ucb=one), Context(runs=runs))
    final = one.pseudo_regret[:, -1]
    (label,) = [label for label in lines_by_label(axes) if label.startswith("ucb: ")]
    assert label.startswith(f"ucb: {drawing.plus_minus(final.mean(), *interval_of(final))}")


@pytest.mark.parametrize(
    "names",
    [
        [f"a_long_name_of_my_rules.my_index c={c}" for c in (1.0, 0.5, 0.25)],
        [f"{end} of a name that is much longer than there is room for {end}" for end in "abc"],
        [f"the same words at both ends, and {c} somewhere, the same words at both ends" for c in "abc"],
        ["short", "short too", "$x_1$"],
    ],
)
@pytest.mark.parametrize("most", [16, 40])
def test_names_that_are_cut_still_differ(names, most):
    written = captions.called_all(names, most)
    assert list(written) == names
    assert len(set(written.values())) == len(names)
    assert all(len(one.replace("\\$", "$")) <= most for one in written.values())
    assert all(written[name] == captions.label_of(name, most) for name in names if len(name) <= most)


@pytest.mark.parametrize("log", [False, True])
def test_regret_shows_mean_bands_and_theory_and_the_uniform_line_does_not_ruin_the_view(log):
    axes, one = new_axes(), played()
    regret.draw_regret(axes, curves(ucb=one), Context(theory=Theory(7.2, 0.41), runs=one.runs), log=log)
    lines = lines_by_label(axes)
    assert len(lines) == 2  # uniform play would leave the view
    mean = next(line for label, line in lines.items() if label.startswith("ucb: "))
    np.testing.assert_allclose(mean.get_ydata(), one.pseudo_regret.mean(axis=0))
    slope = lines["Lai–Robbins slope"]
    np.testing.assert_allclose(slope.get_ydata(), 7.2 * np.log(slope.get_xdata()))
    assert slope.get_linestyle() == "--"
    assert axes.get_ylim() == (0.0, pytest.approx(1.06 * quantiles_to_come(one.pseudo_regret[:, -1], 0.95)))
    assert len(axes.collections) == 2
    high = axes.collections[0].get_paths()[0].vertices[:, 1].max()
    assert high == pytest.approx(quantiles_to_come(one.pseudo_regret, 0.95).max())
    assert axes.get_ylabel() == "pseudo-regret $L_t$"
    assert axes.get_xlabel() == ("$t$ (pulls, log scale)" if log else "$t$ (pulls)")
    assert axes.get_xscale() == ("log" if log else "linear")
    text = legend_text(axes)
    bands = ("pale band: 5–95 % of replications", "dark band: 95 % interval of the mean")
    for words in ("20 replications, horizon 10,000", *bands, "asymptotic"):
        assert words in text.replace("\u00a0", " ")
    assert_readable(axes)


@pytest.mark.parametrize("near", [1.0, 1.4])
def test_uniform_play_is_drawn_where_it_ends_in_the_view_and_no_policy_has_its_regret(near):
    axes = new_axes()
    regret.draw_regret(axes, curves(random=played(0.0, 0.41 / near, spread=False)), Context(theory=Theory(7.2, 0.41)))
    assert ("uniform play" in lines_by_label(axes)) == (near > 1.0)
    assert axes.get_ylim()[1] > 4_100 / near


@pytest.mark.long
def test_many_policies_are_told_apart_without_colour_and_the_view_is_not_ruined_by_one():
    table = curves(
        random=played(0.0, 0.41),
        greedy=played(0, 0.05),
        epsilon_greedy=played(0.0, 0.04),
        ucb=played(30.0),
        thompson=played(4.0),
    )
    for log in (False, True):
        axes = new_axes()
        regret.draw_regret(axes, table, Context(theory=Theory(7.2, 0.41)), log=log)
        lines = [line for label, line in lines_by_label(axes).items() if label.startswith(POLICIES)]
        assert len(lines) == 5
        assert len({line.get_color() for line in lines}) == len({line.get_marker() for line in lines}) == 5
        assert not axes.collections  # bands would hide each other
        whiskers = [line for line in axes.get_lines() if line.get_marker() == "_"]
        last = table[table["t"] == table["t"].max()].set_index("policy").loc[list(POLICIES)].drop("random")
        ends = ["pseudo_regret_low", "pseudo_regret_high"]
        np.testing.assert_allclose([line.get_ydata() for line in whiskers], last[ends])
        assert "whiskers: 95 % interval of the mean" in legend_text(axes).replace("\u00a0", " ")
        assert 500 < axes.get_ylim()[1] < 1_000
        named = legend_text(axes).splitlines()[1:]
        assert [line.split(":")[0] for line in named if line.endswith("↑")] == ["random"]
        assert axes.get_legend() is None
        assert_readable(axes)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("count", [2, 3, 4, 5, 8])
@pytest.mark.parametrize("name", ["{} horizon={}", "thompson {} horizon=1000000{}", "W{}WWWWWW{}", "{}iiiiiiii{}"])
def test_the_legend_fits_beside_labels_of_any_letters_and_leaves_the_axes_their_width(count, name):
    many = {name.format(place, place): played(20.0 + place, seed=place) for place in range(count)}
    axes = new_axes()
    regret.draw_regret(axes, curves(**many), Context(theory=Theory(7.2, 0.41)))
    assert_readable(axes)
    assert axes.bbox.width > 0.5 * axes.figure.bbox.width


@pytest.mark.parametrize("log", [False, True])
def test_two_policies_far_above_the_others_leave_the_view_with_their_final_values_and_more_do_not(log):
    slow = {"ucb": played(30.0), "thompson": played(4.0), "kl_ucb": played(6.0)}
    far = {"random": played(0.0, 0.41), "worse": played(0.0, 0.6)}
    axes = new_axes()
    regret.draw_regret(axes, curves(**far, **slow), log=log)
    assert axes.get_ylim()[1] < 600
    gone = [line for line in legend_text(axes).splitlines() if line.endswith("↑")]
    assert sorted(line.split(":")[0] for line in gone) == ["random", "worse"]
    assert all(re.search("[±+]", line) for line in gone)
    for shown in ({**far, "third": played(0.0, 0.5), **slow}, {**far, "ucb": slow["ucb"]}):
        axes = new_axes()
        regret.draw_regret(axes, curves(**shown), log=log)
        assert axes.get_ylim()[1] > 6_000
        assert "↑" not in legend_text(axes)


def test_policies_of_different_horizons_all_stay_in_the_view():
    axes = new_axes()
    regret.draw_regret(axes, curves(short=played(0.0, 0.4, horizon=100), long=played(0.0, 0.4)))
    assert axes.get_ylim()[1] > 4_000
    assert "horizon 100 to 10,000" in legend_text(axes)


def test_two_logarithmic_policies_stay_in_the_log_view_however_far_apart():
    axes = new_axes()
    regret.draw_regret(axes, curves(ucb=played(40.0), thompson=played(4.0)), log=True)
    assert "↑" not in legend_text(axes)
    assert len(axes.collections) == 4


def test_chosen_policies_keep_their_order_and_look_as_they_do_among_all():
    axes, table = new_axes(), curves(ucb=played(30.0), thompson=played(4.0), greedy=played(9.0))
    regret.draw_regret(axes, table, Context(policies=["greedy", "ucb"]))
    assert [label.split(":")[0] for label in lines_by_label(axes)] == ["greedy", "ucb"]
    assert [to_hex(line.get_color()) for line in lines_by_label(axes).values()] == [
        drawing.PALETTE[2],
        drawing.PALETTE[0],
    ]


def test_more_than_ten_policies_differ_in_dashes_and_in_markers():
    styles = [drawing.line_style(place) for place in range(20)]
    assert len({(style["color"], style["linestyle"]) for style in styles}) == 20
    assert len({(style["color"], style["marker"]) for style in map(drawing.line_style, range(110))}) == 110
    table, looks = counts(**{f"p{place}": played(runs=4) for place in range(12)}), set()
    for first in range(0, 12, 4):
        axes = new_axes()
        pulls.draw_pulls(axes, table, Context(policies=[f"p{place}" for place in range(first, first + 4)]))
        looks |= {(to_hex(line.get_color()), line.get_marker()) for line in lines_by_label(axes).values()}
    assert len(looks) == 12


def heavy(share: float) -> pd.DataFrame:
    """Return curves of 20 replications with no regret but 10, of which a share loses a pull in two."""
    one = played(spread=False)
    lost = np.where(np.arange(20)[:, None] < 20 * share, 0.5 * one.checkpoints, np.minimum(one.checkpoints, 10.0))
    return curves(greedy=dataclasses.replace(one, pseudo_regret=lost))


@pytest.mark.parametrize("log", [False, True])
def test_a_median_is_drawn_where_it_can_be_told_from_the_mean(log):
    axes = new_axes()
    regret.draw_regret(axes, heavy(0.25), log=log)
    [median] = (line for line in drawn_lines(axes) if str(line.get_label()).startswith("_"))
    assert median.get_ydata()[-1] == 10.0
    assert to_hex(median.get_color()) == drawing.PALETTE[0]
    assert median.get_linewidth() < next(iter(lines_by_label(axes).values())).get_linewidth()
    assert "dotted: median" in legend_text(axes)
    assert axes.get_ylim()[1] > 5_000  # the 95 % quantile, as without a median
    assert_readable(axes)
    axes = new_axes()
    regret.draw_regret(axes, curves(ucb=played(spread=False)), log=log)
    assert len(drawn_lines(axes)) == 1
    assert "median" not in legend_text(axes)


def test_bands_that_their_line_hides_are_neither_drawn_nor_named():
    one = played()
    table = curves(ucb=one)
    for name in ("band05", "band25", "q50", "band75", "band95"):
        table[f"pseudo_regret_{name}"] = table["pseudo_regret_mean"] * (1.001 if name == "band95" else 1.0)
    axes = new_axes()
    regret.draw_regret(axes, table)
    assert len(axes.collections) == 1
    assert "5–95 %" not in legend_text(axes)


@pytest.mark.parametrize("log", [False, True])
def test_of_a_single_step_nothing_is_listed_that_is_not_drawn(log):
    axes, one = new_axes(), played(horizon=1)
    one = dataclasses.replace(one, pseudo_regret=np.arange(20.0)[:, None] / 20.0)
    regret.draw_regret(axes, curves(ucb=one), Context(theory=Theory(7.2, 0.41), runs=20), log=log)
    assert legend_text(axes).splitlines()[1:] == [
        "ucb: 0.47 ± 0.15"
    ]  # 2.093 x 0.296 / sqrt(20) = 0.138; Hall's is 0.145
    assert not axes.collections
    [line] = drawn_lines(axes)
    assert line.get_marker() == "o"
    figure = Figure(layout="constrained")
    regret.draw_quantiles(figure, curves(**dict.fromkeys("abcde", one)), log=log)
    assert "bands" not in heading_text(figure)
    for axes in figure.axes[:5]:
        assert not axes.collections
        assert axes.get_lines()[-1].get_marker() == "o"


@pytest.mark.sampled(1)
@pytest.mark.parametrize("horizon", [1, 100])
def test_one_replication_draws_no_band_and_claims_no_interval(horizon, tmp_path):
    one = played(runs=1, horizon=horizon)
    axes = new_axes()
    regret.draw_regret(axes, curves(ucb=one), Context(theory=Theory(7.2, 0.41), runs=1))
    assert not axes.collections
    assert "±" not in legend_text(axes)
    assert "1 replication," in legend_text(axes)
    paths = save.save_all(tmp_path, curves(ucb=one), counts(ucb=one), Theory(7.2, 0.41))
    assert [path.name for path in paths] == ["regret.png", "regret_log.png", "pulls.png"]


def test_an_interval_without_an_upper_end_is_named_and_leaves_the_view_finite():
    arms = RandomGaussian(arms=3)
    played = simulate("greedy", arms, 20, 10)
    for log in (False, True):
        axes = played.plot(log=log).axes[0]
        assert np.isfinite(axes.get_ylim()).all()
        assert any("no upper end" in text for text in legend_text(axes).splitlines())


@pytest.mark.sampled(1)
@pytest.mark.parametrize("log", [False, True])
@pytest.mark.parametrize(("means", "said"), [([0.1] * 3, True), ([0.5, 0.5], True), ([0.5, 0.500001], False)])
def test_regret_of_equal_arms_says_why_the_figure_is_empty(means, said, log):
    axes = new_axes()
    regret.draw_regret(axes, curves(ucb=played(0.0)), Context(theory=Theory.of(Bernoulli(means))), log=log)
    texts = [text.get_text().replace("\n", " ") for text in axes.texts if text.get_gid() is None]
    assert texts == ["all arms have the same mean, so there is no regret"] * said
    assert_readable(axes)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("log", [False, True])
def test_more_policies_than_one_view_shows_have_their_quantiles_in_panels(log):
    names = ("random", "a", "b", "c", "d")
    table = curves(**{name: played(20.0 + 5 * place, seed=place) for place, name in enumerate(names[1:])})
    table = pd.concat([curves(random=played(0.0, 0.4)), table], ignore_index=True)
    figure = Figure(layout="constrained")
    regret.draw_quantiles(figure, table, Context(runs=20), log=log)
    *panels, key = figure.axes
    assert len(panels) == len(names)
    named = [text.get_text() for text in key.get_legend().get_texts()]
    assert named == ["mean", "median", "5–95 % of replications", "the other policies' means"]
    assert [axes.get_title(loc="left").split(":")[0] for axes in panels] == list(names)
    last = table[table["t"] == table["t"].max()].set_index("policy")
    for name, axes in zip(names, panels, strict=True):
        (band,) = (one for one in axes.collections if isinstance(one, FillBetweenPolyCollection))
        ends = [y for x, y in band.get_paths()[0].vertices if x == last["t"].max()]
        assert {min(ends), max(ends)} == {last.loc[name, f"pseudo_regret_{one}"] for one in ("band05", "band95")}
        assert axes.get_ylim()[1] >= last.loc[name, "pseudo_regret_band95"]
        assert len(axes.get_lines()) == len(names) + 1  # the others in grey, its own mean and median
        assert axes.get_xscale() == ("log" if log else "linear")
    figure.draw_without_rendering()
    assert ("log scale" in figure.get_supxlabel()) == log


@pytest.mark.sampled(1)
@pytest.mark.parametrize("log", [False, True])
@pytest.mark.parametrize("count", [5, 11])
@pytest.mark.parametrize("horizon", [7, 10_000, 10_000_000])
def test_every_panel_shows_its_numbers_and_no_text_touches_another(count, horizon, log):
    many = {
        f"policy {place} of=this_and_that": played(20.0 + place, runs=4, horizon=horizon, seed=place)
        for place in range(count)
    }
    figure = Figure(figsize=regret.quantiles_size(count), layout="constrained")
    regret.draw_quantiles(figure, curves(**many), log=log)
    columns = regret._panels(count)[1]
    figure.draw_without_rendering()
    numbers = []
    for axes in figure.axes[:count]:
        low, high = axes.get_xlim()
        texts = [tick.label1 for tick in axes.xaxis.get_major_ticks() if low <= tick.get_loc() <= high]
        shown = [text for text in texts if text.get_visible() and text.get_text()]
        assert shown
        boxes = [text.get_window_extent() for text in shown]
        numbers += boxes
        assert not any(a.overlaps(b) for a, b in combinations(boxes, 2))
        assert axes._left_title.get_window_extent().x1 <= figure.bbox.x1
        assert re.search("\u00a0[±+]", axes._left_title.get_text())
    assert not any(a.overlaps(b) for a, b in combinations(numbers, 2))
    assert all(box.x1 <= figure.bbox.x1 for box in numbers)
    name = figure._supylabel.get_window_extent()
    starts = [text.get_window_extent().x0 for axes in figure.axes[:count:columns] for text in axes.get_yticklabels()]
    assert min(starts) - name.x1 > 0.08 * figure.dpi


def test_panels_of_policies_of_different_horizons_end_at_their_own():
    table = curves(
        **{f"p{place}": played(horizon=horizon, runs=4) for place, horizon in enumerate([100, 10_000, 100, 50])}
    )
    figure = Figure(layout="constrained")
    regret.draw_quantiles(figure, table)
    assert [axes.get_xlim()[1] for axes in figure.axes] == [100, 10_000, 100, 50]
    assert "horizon 50 to 10,000" in heading_text(figure)
    figure.draw_without_rendering()
    assert all(axes.get_xticklabels() for axes in figure.axes)  # not one's numbers for another's
