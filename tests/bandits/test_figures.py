"""Figures: what is drawn, that it can be read, and the files that it is kept in."""

from __future__ import annotations

import dataclasses
import re
from itertools import combinations
from pathlib import Path
from unittest.mock import patch

import matplotlib
import numpy as np
import pandas as pd
import pytest
from matplotlib.collections import FillBetweenPolyCollection
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from bandits import UCB, Bernoulli, ClickLog, RandomBernoulli, RandomGaussian, simulate, theory
from bandits.figures import pulls as pulls_figure
from bandits.figures import regret, save
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
    legend_text,
    lines_by_label,
    new_axes,
    played,
)
from tests.internals import Context, Theory

# how kernels run decides nothing here
pytestmark = [pytest.mark.jit, pytest.mark.usefixtures("house_style")]


# ---------------------------------------------------------------- regret
def test_theory_is_of_arms_or_of_stored_numbers():
    arms = Bernoulli(MEANS)
    constant = theory.lai_robbins_constant(arms)
    assert Theory.of(arms) == Theory(constant, arms.uniform_regret(), "Bernoulli arms")
    assert np.isnan([Theory.of(RandomBernoulli()).lai_robbins, Theory().uniform]).all()
    assert Theory.of(RandomBernoulli(arms=4)).uniform == pytest.approx(4 / 5 - 1 / 2)


@pytest.mark.parametrize(
    "names",
    [
        [f"a_long_name_of_my_rules.my_index c={c}" for c in (1.0, 0.5, 0.25)],
        [f"the same words at both ends, and {c} somewhere, the same words at both ends" for c in "abc"],
        ["short", "short too", "$x_1$"],
    ],
)
def test_names_that_are_cut_still_differ(names):
    for most in (16, 40):
        written = captions.called_all(names, most)
        assert list(written) == names
        assert len(set(written.values())) == len(names)
        assert all(len(one.replace("\\$", "$")) <= most for one in written.values())


@pytest.mark.parametrize("log", [False, True])
def test_regret_shows_mean_bands_and_theory_and_the_uniform_line_does_not_ruin_the_view(log):
    axes, one = new_axes(), played()
    regret.draw_regret(axes, curves(ucb=one), Context(theory=Theory(7.2, 0.41), runs=one.runs), log=log)
    lines = lines_by_label(axes)
    assert len(lines) == 2  # uniform play would leave the view
    final = one.pseudo_regret[:, -1]
    [mean] = [line for label, line in lines.items() if label.startswith("ucb: ")]
    assert mean.get_label().startswith(f"ucb: {drawing.plus_minus(final.mean(), *interval_of(final))}")
    np.testing.assert_allclose(mean.get_ydata(), one.pseudo_regret.mean(axis=0))
    slope = lines["Lai–Robbins slope"]
    np.testing.assert_allclose(slope.get_ydata(), 7.2 * np.log(slope.get_xdata()))
    assert slope.get_linestyle() == "--"
    assert axes.get_ylim() == (0.0, pytest.approx(1.06 * quantiles_to_come(one.pseudo_regret[:, -1], 0.95)))
    assert len(axes.collections) == 2
    high = axes.collections[0].get_paths()[0].vertices[:, 1].max()
    assert high == pytest.approx(quantiles_to_come(one.pseudo_regret, 0.95).max())
    assert axes.get_xscale() == ("log" if log else "linear")
    assert "20 replications, horizon 10,000" in legend_text(axes)
    assert_readable(axes)


def test_uniform_play_is_drawn_where_it_ends_in_the_view_and_no_policy_has_its_regret():
    for near in (1.0, 1.4):
        axes, random = new_axes(), played(0.0, 0.41 / near, spread=False)
        regret.draw_regret(axes, curves(random=random), Context(theory=Theory(7.2, 0.41)))
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
        assert 500 < axes.get_ylim()[1] < 1_000
        assert_readable(axes)


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("count", "name"), [(3, "W{}WWWWWW{}"), (8, "thompson {} horizon=1000000{}")])
def test_the_legend_fits_beside_labels_of_any_letters_and_leaves_the_axes_their_width(count, name):
    many = {name.format(place, place): played(20.0 + place, seed=place) for place in range(count)}
    axes = new_axes()
    regret.draw_regret(axes, curves(**many), Context(theory=Theory(7.2, 0.41)))
    assert_readable(axes)
    assert axes.bbox.width > 0.5 * axes.figure.bbox.width


def test_two_policies_far_above_the_others_leave_the_view_with_their_final_values_and_more_do_not():
    slow = {"ucb": played(30.0), "thompson": played(4.0), "kl_ucb": played(6.0)}
    far = {"random": played(0.0, 0.41), "worse": played(0.0, 0.6)}
    axes = new_axes()
    regret.draw_regret(axes, curves(**far, **slow), log=True)
    assert axes.get_ylim()[1] < 600
    gone = [line for line in legend_text(axes).splitlines() if line.endswith("↑")]
    assert sorted(line.split(":")[0] for line in gone) == ["random", "worse"]
    assert all(re.search("[±+]", line) for line in gone)
    for shown in ({**far, "third": played(0.0, 0.5), **slow}, {**far, "ucb": slow["ucb"]}):
        axes = new_axes()
        regret.draw_regret(axes, curves(**shown), log=True)
        assert axes.get_ylim()[1] > 6_000
        assert "↑" not in legend_text(axes)


def test_chosen_policies_keep_their_order_and_look_as_they_do_among_all():
    axes, table = new_axes(), curves(ucb=played(30.0), thompson=played(4.0), greedy=played(9.0))
    regret.draw_regret(axes, table, Context(policies=["greedy", "ucb"]))
    assert [label.split(":")[0] for label in lines_by_label(axes)] == ["greedy", "ucb"]
    colours = [to_hex(line.get_color()) for line in lines_by_label(axes).values()]
    assert colours == [drawing.PALETTE[2], drawing.PALETTE[0]]


def heavy(share: float) -> pd.DataFrame:
    """Return curves of 20 replications with no regret but 10, of which a share loses a pull in two."""
    one = played(spread=False)
    lost = np.where(np.arange(20)[:, None] < 20 * share, 0.5 * one.checkpoints, np.minimum(one.checkpoints, 10.0))
    return curves(greedy=dataclasses.replace(one, pseudo_regret=lost))


def test_a_median_is_drawn_where_it_can_be_told_from_the_mean():
    axes = new_axes()
    regret.draw_regret(axes, heavy(0.25), log=False)
    [median] = (line for line in drawn_lines(axes) if str(line.get_label()).startswith("_"))
    assert median.get_ydata()[-1] == 10.0
    assert axes.get_ylim()[1] > 5_000  # the 95 % quantile, as without a median
    assert_readable(axes)
    axes = new_axes()
    regret.draw_regret(axes, curves(ucb=played(spread=False)), log=False)
    assert len(drawn_lines(axes)) == 1


def test_of_a_single_step_nothing_is_listed_that_is_not_drawn():
    axes, one = new_axes(), played(horizon=1)
    one = dataclasses.replace(one, pseudo_regret=np.arange(20.0)[:, None] / 20.0)
    regret.draw_regret(axes, curves(ucb=one), Context(theory=Theory(7.2, 0.41), runs=20), log=True)
    assert legend_text(axes).splitlines()[1:] == ["ucb: 0.47 ± 0.15"]  # 2.093 x 0.296 / sqrt(20); Hall's is 0.145
    assert not axes.collections
    [line] = drawn_lines(axes)
    assert line.get_marker() == "o"


def test_one_replication_draws_no_band_and_claims_no_interval():
    axes = new_axes()
    regret.draw_regret(axes, curves(ucb=played(runs=1, horizon=100)), Context(theory=Theory(7.2, 0.41), runs=1))
    assert not axes.collections
    assert "±" not in legend_text(axes)


def test_an_interval_without_an_upper_end_is_named_and_leaves_the_view_finite():
    axes = simulate("greedy", RandomGaussian(arms=3), 20, 10).plot(log=True).axes[0]
    assert np.isfinite(axes.get_ylim()).all()
    assert any("no upper end" in text for text in legend_text(axes).splitlines())


@pytest.mark.parametrize(("means", "said"), [([0.5, 0.5], True), ([0.5, 0.500001], False)])
def test_regret_of_equal_arms_says_why_the_figure_is_empty(means, said):
    axes = new_axes()
    regret.draw_regret(axes, curves(ucb=played(0.0)), Context(theory=Theory.of(Bernoulli(means))), log=said)
    assert len([text for text in axes.texts if text.get_gid() is None]) == said
    assert_readable(axes)


def test_more_policies_than_one_view_shows_have_their_quantiles_in_panels():
    names = ("random", "a", "b", "c", "d")
    table = curves(**{name: played(20.0 + 5 * place, seed=place) for place, name in enumerate(names[1:])})
    table = pd.concat([curves(random=played(0.0, 0.4)), table], ignore_index=True)
    figure = Figure(layout="constrained")
    regret.draw_quantiles(figure, table, Context(runs=20), log=True)
    *panels, _ = figure.axes
    assert len(panels) == len(names)
    assert [axes.get_title(loc="left").split(":")[0] for axes in panels] == list(names)
    last = table[table["t"] == table["t"].max()].set_index("policy")
    for name, axes in zip(names, panels, strict=True):
        (band,) = (one for one in axes.collections if isinstance(one, FillBetweenPolyCollection))
        ends = [y for x, y in band.get_paths()[0].vertices if x == last["t"].max()]
        assert {min(ends), max(ends)} == {last.loc[name, f"pseudo_regret_{one}"] for one in ("band05", "band95")}
        assert axes.get_ylim()[1] >= last.loc[name, "pseudo_regret_band95"]
        assert len(axes.get_lines()) == len(names) + 1  # the others in grey, its own mean and median
        assert axes.get_xscale() == "log"


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("count", "horizon", "log"), [(11, 10_000, True), (5, 10_000_000, True)])
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


# ---------------------------------------------------------------- pulls
def test_means_that_are_estimates_are_called_so(tmp_path):
    (tmp_path / "log.csv").write_text("arm,reward\na,0\na,1\nb,0\n")
    log = ClickLog.read(tmp_path / "log.csv", "arm", "reward")
    for arms, called in ((log.arms(), "estimated mean"), (Bernoulli([0.0, 0.5]), "true mean")):
        figure = simulate(UCB(), arms, horizon=20, runs=3).plot()
        assert called in figure.axes[1].get_xlabel()


def test_pulls_are_quantiles_of_every_arm():
    axes, one = new_axes(), played(means=[0.1, 0.5, 0.9])
    pulls_figure.draw_pulls(axes, counts(ucb=one), Context(names=["left", "middle", "right"]))
    [median] = axes.get_lines()
    np.testing.assert_allclose(median.get_ydata(), np.median(one.pulls, axis=0))
    whiskers = np.array([path.vertices[:, 1] for path in axes.collections[0].get_paths()])
    np.testing.assert_allclose(whiskers, quantiles_to_come(one.pulls, (0.05, 0.95)).T)
    assert [text.get_text() for text in axes.get_xticklabels()] == ["left\n0.1", "middle\n0.5", "right\n0.9"]
    assert [text.get_fontweight() for text in axes.get_xticklabels()][1:] == ["normal", "bold"]
    assert_readable(axes)


@pytest.mark.parametrize(("low", "scale"), [(0, "symlog"), (5, "log"), (900, "linear")])
def test_the_axis_of_pulls_is_logarithmic_where_counts_are_far_apart_and_zero_has_a_place(low, scale):
    table = counts(ucb=played(means=[0.1, 0.9], runs=4))
    table["pulls"] = np.where(table["arm"] == 0, low, 1_000)
    axes = new_axes()
    pulls_figure.draw_pulls(axes, table)
    assert axes.get_yscale() == scale
    assert axes.get_ylim()[0] <= low
    assert_readable(axes)


def test_arms_with_random_means_are_ranked_in_each_replication():
    means = np.array([[0.2, 0.8, 0.5], [0.9, 0.1, 0.4]])
    one = played(means=means, runs=2)
    axes = new_axes()
    pulls_figure.draw_pulls(axes, counts(ucb=one))
    best = (one.pulls[0, 1] + one.pulls[1, 0]) / 2
    assert axes.get_lines()[0].get_ydata()[0] == best
    assert [text.get_text() for text in axes.get_xticklabels()] == ["best\n0.85", "2nd\n0.45", "3rd\n0.15"]


def test_more_policies_and_arms_than_stand_side_by_side_are_a_map_of_shares_whose_arms_are_in_the_order_of_boxes():
    means = [0.1, 0.9, 0.5]
    many = {f"p{place}": played(means=means, runs=5, seed=place) for place in range(6)}
    axes = Figure(figsize=pulls_figure.pulls_size(3, 6), layout="constrained").subplots()
    pulls_figure.draw_pulls_map(axes, counts(**many), Context(names=["low", "high", "middle"]))
    shares = axes.collections[0].get_array().reshape(6, 3)
    np.testing.assert_allclose(shares, [one.pulls.mean(axis=0) / 10_000 for one in many.values()])
    assert [text.get_text() for text in axes.get_yticklabels()] == list(many)
    assert [text.get_text() for text in axes.get_xticklabels()] == ["low\n0.1", "high\n0.9", "middle\n0.5"]
    assert float(axes.texts[0].get_text()) == pytest.approx(100.0 * shares[0, 0], abs=0.5)  # cells say their shares
    assert_readable(axes)


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("arms", "policies", "map"), [(100, 1, False), (34, 12, True)])
def test_many_arms_and_policies_keep_a_figure_that_a_page_holds(tmp_path, arms, policies, map):
    truth, drawn = list(np.linspace(0.1, 0.9, arms)), []
    some = {f"p{place}": played(means=truth, runs=2, seed=place) for place in range(policies)}
    with patch.object(drawing, "save", lambda figure, place: drawn.append((place.name, figure))):
        save.save_all(tmp_path, curves(**some), counts(**some))
    name, figure = drawn[-1]
    assert name == "pulls"
    assert figure.get_figwidth() <= 11.0
    assert len(figure.axes) == 1 + map  # with its bar of colours
    assert_readable(figure.axes[0], "x" if map else "xy")


# ---------------------------------------------------------------- files
def test_names_are_written_as_they_are():
    axes, odd = new_axes(), {"$5 or $10": played(), "_private": played(4.0)}
    regret.draw_regret(axes, curves(**odd))
    assert [line.split(":")[0] for line in legend_text(axes).splitlines()[1:3]] == [r"\$5 or \$10", " _private"]
    assert_readable(axes)
    assert [captions.label_of(name, 8) for name in ("a$b", "_a", "123456789")] == [r"a\$b", " _a", "1234567…"]


@pytest.mark.long
def test_the_same_tables_give_the_same_bytes_whatever_the_users_style(tmp_path):
    table, pulls = curves(ucb=played(), ts=played(4.0)), counts(ucb=played(), ts=played(4.0))
    with drawing.vectors():
        first = save.save_all(tmp_path / "new" / "a", table, pulls, Theory(7.2, 0.41))
    styled = matplotlib.rc_context({"font.size": 20.0, "axes.facecolor": "black", "savefig.dpi": 50.0})
    with styled, drawing.vectors():
        second = save.save_all(tmp_path / "b", table, pulls, Theory(7.2, 0.41))
    names = [f"{name}.{ending}" for name in ("regret", "regret_log", "pulls") for ending in ("png", "svg", "pdf")]
    assert [path.name for path in first] == names
    assert sorted(path.name for path in (tmp_path / "new" / "a").iterdir()) == sorted(names)  # nothing beside them
    for a, b in zip(first, second, strict=True):
        assert a.read_bytes() == b.read_bytes()
    assert b"dc:date" not in (tmp_path / "new" / "a" / "regret.svg").read_bytes()


def test_characters_that_the_font_lacks_come_from_another_one(tmp_path, caplog, monkeypatch):
    monkeypatch.setattr(drawing, "OTHER_FONTS", ("No Such Font", "STIXGeneral"))  # the second comes with Matplotlib
    drawing._families.cache_clear()
    with drawing.vectors(), drawing.page(tmp_path / "lent") as figure:
        figure.subplots().set_title("\U0001d4d0")  # a letter that DejaVu Sans lacks
    drawing._families.cache_clear()
    assert not caplog.records
    assert "STIXGeneral" in (tmp_path / "lent.svg").read_text()


def test_the_places_of_axes_in_a_saved_figure_have_no_more_digits_than_a_layout_repeats(tmp_path):
    figure = Figure(layout="constrained")
    for axes in figure.subplots(3, 1):
        axes.plot([0.0, 1.0], [0.0, 3.0])
    with drawing.vectors():
        drawing.save(figure, tmp_path / "f")
    places = [axes.get_position(original=bool(which)).get_points() for axes in figure.axes for which in (0, 1)]
    np.testing.assert_array_equal(places, np.round(places, 9))


def test_a_failed_drawing_leaves_the_old_file_and_nothing_beside(tmp_path, monkeypatch):
    (tmp_path / "f.png").write_bytes(b"old")
    figure = Figure()
    monkeypatch.setattr(figure, "savefig", lambda path, **_: (Path(path).write_bytes(b"half"), 1 / 0))
    with pytest.raises(ZeroDivisionError):
        drawing.save(figure, tmp_path / "f")
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"old"]


def test_quantiles_in_panels_are_saved_where_one_view_has_no_room(tmp_path):
    for count, panels in ((3, 0), (4, 2)):
        many, names = {f"policy {place}": played(20.0 + place, seed=place) for place in range(count)}, []
        with patch.object(drawing, "save", lambda figure, place, names=names: names.append(place.name)):
            save.save_all(tmp_path, curves(**many), counts(**many))
        assert sum("quantiles" in name for name in names) == panels


def test_a_number_keeps_its_percent_sign_and_both_sides_of_its_plus_minus_on_its_line():
    for room in range(80, 160, 4):
        text = captions.fill("a b c: 533 ± 106 and more words ± 95 % confidence", room, drawing.SMALL)
        assert "533\u00a0±\u00a0106" in text
        assert "±\u00a095\u00a0%" in text


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [(0.0, 3, "0"), (4_099.3063, 3, "4,099"), (42.94, 3, "42.9"), (-0.01234, 3, "−0.0123"), (0.3 - 0.1, 10, "0.2")],
)
def test_numbers_are_written_out(value, digits, text):
    assert drawing.number(value, digits) == text
