"""The figure of pull counts: quantiles, axes, and names of arms that can be read."""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
import pytest
from matplotlib.figure import Figure

from bandits import UCB, Bernoulli, ClickLog, simulate
from bandits.figures import pulls as pulls_figure
from bandits.figures import save
from numerics.output import style as drawing
from numerics.statistics import quantiles_to_come
from tests.drawn import MEANS, assert_readable, counts, curves, legend_text, lines_by_label, new_axes, played
from tests.internals import Context

# how kernels run decides nothing here
pytestmark = [pytest.mark.jit, pytest.mark.usefixtures("house_style")]


def test_means_that_are_estimates_are_called_so(tmp_path):
    axes = new_axes()
    pulls_figure.draw_pulls(axes, counts(ucb=played(means=[0.0, 0.5])), Context(names=["a", "b"], estimated=True))
    assert axes.get_xlabel() == "arm (below: estimated mean; bold: best)"
    assert [text.get_text() for text in axes.get_xticklabels()] == ["a\n0", "b\n0.5"]
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
    assert legend_text(axes).startswith("20 replications, horizon 10,000")
    assert axes.get_legend() is None  # a single policy is named in the title
    assert_readable(axes)


def test_pulls_of_several_policies_stand_side_by_side():
    axes, table = new_axes(), counts(ucb=played(), thompson=played(seed=2), greedy=played(seed=3))
    pulls_figure.draw_pulls(axes, table)
    places = np.sort(np.concatenate([line.get_xdata() for line in lines_by_label(axes).values()]))
    assert len(places) == 30
    assert np.diff(places).min() > 0.2
    assert {"ucb", "thompson", "greedy"} <= set(legend_text(axes).splitlines())
    assert_readable(axes)


@pytest.mark.parametrize(("low", "scale"), [(0, "symlog"), (5, "log"), (900, "linear")])
def test_the_axis_of_pulls_is_logarithmic_where_counts_are_far_apart_and_zero_has_a_place(low, scale):
    table = counts(ucb=played(means=[0.1, 0.9], runs=4))
    table["pulls"] = np.where(table["arm"] == 0, low, 1_000)
    axes = new_axes()
    pulls_figure.draw_pulls(axes, table)
    assert axes.get_yscale() == scale
    assert ("logarithmic above 1" in axes.get_ylabel()) == (low == 0)
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
    assert "ranked by true mean" in axes.get_xlabel()


@pytest.mark.sampled(2)
@pytest.mark.parametrize("arms", [2, 34, 100])
@pytest.mark.parametrize("wide", [5.0, 9.5])
def test_names_of_many_arms_do_not_overlap(arms, wide):
    means = np.linspace(0.003, 0.0147, arms)
    axes = new_axes(wide)
    pulls_figure.draw_pulls(axes, counts(ucb=played(means=list(means), runs=5), ts=played(means=list(means), runs=5)))
    assert_readable(axes)
    assert sum("\n" in text.get_text() for text in axes.get_xticklabels()) in (0, arms)


def test_long_names_are_cut():
    axes = new_axes()
    names = [f"a headline far too long, {arm}" for arm in range(10)]
    pulls_figure.draw_pulls(axes, counts(ucb=played(means=MEANS)), Context(names=names))
    assert_readable(axes)
    assert all("…" in text.get_text() for text in axes.get_xticklabels())


def test_more_policies_and_arms_than_stand_side_by_side_are_a_map_of_shares_whose_arms_are_in_the_order_of_boxes(
    tmp_path,
):
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
@pytest.mark.parametrize(
    ("arms", "policies", "map"),
    [
        *(pytest.param(*one, marks=pytest.mark.long) for one in ((50, 6, True), (10, 5, True))),
        *((10, 4, False), (100, 1, False), (34, 12, True)),
    ],
)
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
