"""Figures of sweeps, of differences and of a trace: what is drawn, and that it can be read."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from bandits.figures.trace import draw_trace
from experiments.kinds.comparison import experiment as comparison_figures
from experiments.replications import figures, sweep_figures
from numerics.output import style as drawing
from tests.drawn import assert_readable, drawn_lines, legend_text, lines_by_label, new_axes

pytestmark = pytest.mark.usefixtures("house_style")


def sweep(values, means, **columns) -> pd.DataFrame:
    mean = np.asarray(means, dtype=float)
    return pd.DataFrame(
        {
            "value": values,
            "pseudo_regret_mean": mean,
            "pseudo_regret_low": 0.96 * mean,
            "pseudo_regret_high": 1.04 * mean,
            "pseudo_regret_bound": np.nan,
            **columns,
        }
    )


def draw_final(table, axes, *what, **options):
    sweep_figures.draw_final(table, axes, *what, **options).write(axes)


def points(axes):
    """Return the coordinates of every point with an error bar."""
    return [tuple(map(list, one.lines[0].get_data())) for one in axes.containers]


def test_a_sweep_is_points_with_nothing_between_them_and_marks_its_lowest_value():
    axes = new_axes()
    draw_final(sweep([2.0, 0.05, 0.5, 1.0], [480, 250, 48, 160]), axes, "c (factor of the exploration term)")
    assert axes.get_xscale() == "log"
    assert axes.get_xlabel() == "c (factor of the exploration term) (log scale)"
    assert "ring: lowest mean, 48.0 ± 1.9 at 0.5" in legend_text(axes).replace("\u00a0", " ")
    marks = [line for line in axes.get_lines() if line.get_markersize() > 10.0]
    assert [(*mark.get_xdata(), *mark.get_ydata()) for mark in marks] == [(0.5, 48.0)]
    assert points(axes) == [([0.05, 0.5, 1.0, 2.0], [250.0, 48.0, 160.0, 480.0])]
    assert all(line.get_linestyle() == "None" for line in axes.get_lines() if len(line.get_xdata()) > 1)
    assert [text.get_text() for text in axes.get_xticklabels()] == ["0.05", "0.5", "1", "2"]
    assert_readable(axes)


def test_two_modes_of_the_replications_are_two_shapes():
    rng = np.random.default_rng(1)
    finals = {1.0: np.concatenate([rng.normal(50, 5, 80), rng.normal(900, 20, 20)]), 2.0: rng.normal(60, 5, 100)}
    axes = new_axes()
    draw_final(sweep([1.0, 2.0], [220, 60], runs=100), axes, "c", finals)
    both, one = (shape.get_paths()[0].vertices for shape in axes.collections if shape.get_paths()[0].vertices.size > 50)
    assert np.ptp(one[:, 1]) < 50.0
    waist = both[np.abs(both[:, 1] - 500.0) < 50.0]
    assert np.ptp(waist[:, 0]) < 0.05 * np.ptp(both[:, 0])
    assert "shapes: distribution" in legend_text(axes)
    few = new_axes()
    draw_final(sweep([1.0, 2.0], [220, 60], runs=4), few, "c", {x: y[:4] for x, y in finals.items()})
    assert "shapes" not in legend_text(few)


def test_a_sweep_with_zero_of_several_policies_sets_zero_apart_and_has_a_series_each():
    table = pd.concat([sweep([0, 0.1, 5], [90, 60, 90], policy="a"), sweep([0, 0.1, 5], [80, 50, 9], policy="b")])
    table["pseudo_regret_low"] = table["pseudo_regret_high"] = np.nan
    axes = new_axes()
    draw_final(table, axes, "epsilon")
    assert axes.get_xlabel() == "epsilon (log scale, 0 set apart)"
    assert [text.get_text() for text in axes.get_xticklabels()] == ["0", "0.1", "5"]
    assert points(axes) == [([0, 0.1, 5], [90, 60, 90]), ([0, 0.1, 5], [80, 50, 9])]
    assert legend_text(axes).splitlines()[1:] == ["a: 60 at 0.1", "b: 9 at 5"]
    assert_readable(axes)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("values", "log"),
    [
        ([0.05, 0.1, 0.2, 0.5], True),
        ([1, 2, 4, 8], True),
        ([0, 0.1, 1], True),
        ([100, 1_000], True),
        (range(1, 21), False),
        ([0.1, 0.2, 0.3, 0.4, 0.5], False),
        ([1, 2], False),
        ([-1, 10, 100], False),
    ],
)
def test_values_that_grow_by_factors_stand_on_a_logarithmic_axis(values, log):
    axes = new_axes()
    draw_final(sweep(list(values), range(1, len(values) + 1)), axes, "c")
    assert (axes.get_xscale() in ("log", "symlog")) == log
    assert_readable(axes)


@pytest.mark.parametrize("zero", [True, False])
def test_every_value_of_a_sweep_of_twelve_has_a_label_and_its_own_place(zero):
    values = [0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 2.0, 5.0]
    values = [0.0 if zero else 0.005, *values]
    axes = new_axes()
    draw_final(sweep(values, range(1, 13)), axes, "c")
    assert_readable(axes)
    places = axes.transData.transform([(value, 1.0) for value in values])[:, 0]
    assert (places[1] - places[0]) / np.ptp(places) > 0.08
    assert axes.bbox.x0 < places[0] < places[-1] < axes.bbox.x1
    assert len(axes.get_xticks()) == 12
    draw_final(sweep(np.arange(1.0, 11.0), range(1, 11)), axes := new_axes(), "window")
    assert list(axes.get_xticks()) == list(range(1, 11))
    assert axes.get_xlabel() == "window"


def test_a_sweep_says_what_was_played():
    axes = new_axes()
    draw_final(sweep([0.5], [30.0], runs=20, horizon=1_000), axes, "c", title="Final regret of ucb")
    assert legend_text(axes).startswith("20 replications, horizon 1,000; mean with 95")
    assert [text.get_text() for text in axes.texts if text.get_gid() == "title"] == ["Final regret of ucb"]
    axes = new_axes()
    draw_final(sweep([100, 200], [3.0, 300.0], runs=1, horizon=[100, 200]), axes, "horizon")
    assert legend_text(axes).startswith("1 replication, horizon 100 to 200; mean")
    assert "lowest" not in legend_text(axes)
    assert axes.get_ylabel() == "pseudo-regret at the horizon (log scale)"


def test_a_map_of_two_numbers_writes_the_means_and_frames_the_lowest():
    rows = [(c, decay, 10.0 * c + decay) for c in (0.5, 2.0, 10.0) for decay in (1.0, 3.0)]
    table = pd.DataFrame(rows, columns=["c", "decay", "pseudo_regret_mean"]).assign(runs=20, horizon=100)
    axes = new_axes(7.6, 3.0)
    sweep_figures.draw_map(table, axes, "c", "decay", title="A title").write(axes)
    assert [text.get_text() for text in axes.texts[:6]] == ["8", "23", "103", "6", "21", "101"]
    assert [text.get_text() for text in axes.get_xticklabels()] == ["0.5", "2", "10"]
    assert [text.get_text() for text in axes.get_yticklabels()] == ["3", "1"]
    [frame] = axes.patches
    assert frame.get_bbox().contains(0.5, 1.5)
    assert "20 replications, horizon 100; mean" in legend_text(axes)
    assert_readable(axes)


def differences(means: dict[str, float], p: float = 0.001, half: float = 5.0) -> pd.DataFrame:
    """Return the differences of every pair of policies with these mean regrets."""
    pairs = [(a, b, means[a] - means[b]) for a, b in combinations(means, 2)]
    table = pd.DataFrame(pairs, columns=["policy_a", "policy_b", "difference_mean"])
    ends = {"ci_low": table["difference_mean"] - half, "ci_high": table["difference_mean"] + half}
    return table.assign(runs=20, p_adjusted=p, **ends)


def test_differences_are_a_map_of_how_much_more_the_worse_policies_lose():
    table = differences({"random": 4_000.0, "ucb": 50.0, "greedy": 62.0})
    table.loc[2, "p_adjusted"] = 0.2  # ucb and greedy
    axes = new_axes(7.6, 3.2)
    comparison_figures.draw_differences(table, axes, {"played": "two arms"}).write(axes)
    assert [text.get_text() for text in axes.get_xticklabels()] == ["ucb", "greedy"]
    assert [text.get_text() for text in axes.get_yticklabels()] == ["greedy", "random"]
    said = [text.get_text() for text in axes.texts if text.get_gid() is None]
    assert said == ["12.0\n± 5.0", "3,950.0\n± 5.0", "3,938.0\n± 5.0"]
    shown = axes.collections[0].get_array().reshape(2, 2)
    assert shown[0, 0] == 0.0  # white: cannot be told from 0
    assert shown[0].mask.tolist() == [False, True]
    assert "adjusted for 3 pairs" in legend_text(axes)
    assert_readable(axes)


def test_differences_of_one_replication_claim_nothing():
    axes = new_axes(8.0, 3.0)
    table = differences({"a": 3.0, "b": 1.0, "c": 2.0}).assign(ci_low=np.nan, ci_high=np.nan, p_adjusted=np.nan)
    comparison_figures.draw_differences(table, axes, {"played": "two arms"}).write(axes)
    assert [text.get_text() for text in axes.texts[:3]] == ["1", "2", "1"]
    assert "tests none" in legend_text(axes)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("count", [3, 12, 30])
@pytest.mark.parametrize("letters", [1, 12, 60])
def test_the_text_of_differences_is_never_cut(count, letters):
    names = {f"{place}".rjust(letters, "w"): float(place) for place in range(count)}
    figure = Figure(figsize=comparison_figures.size_of(differences(names), {}), layout="constrained")
    axes = figure.subplots()
    comparison_figures.draw_differences(differences(names), axes, {"played": "two arms"}).write(axes)
    figure.draw_without_rendering()
    for text in (axes._left_title, *axes.get_yticklabels(), *axes.get_xticklabels()):
        box = text.get_window_extent()
        assert box.x0 >= 0.0
        assert box.x1 <= figure.bbox.x1 + 1.0
    assert axes.bbox.width > 1.2 * figure.dpi
    assert_readable(axes, "y")


def finals(*columns: np.ndarray) -> pd.DataFrame:
    return pd.DataFrame({f"p{place}": own for place, own in enumerate(columns)})


def test_the_final_regret_of_one_policy_is_the_share_of_replications_up_to_it():
    own = np.concatenate([np.full(70, 8.0), np.full(30, 900.0)])
    axes = new_axes()
    figures.draw_share(finals(own), axes, "A title").write(axes)
    steps_ = axes.get_lines()[0]
    assert np.interp(10.0, *steps_.get_data()) == pytest.approx(0.7, abs=0.01)
    assert legend_text(axes).splitlines() == ["100 replications", "mean: 276", "median: 8"]
    assert_readable(axes)


@pytest.mark.parametrize(("runs", "said"), [(10, "a dot a replication"), (100, "widest box: the middle half")])
def test_final_regrets_of_several_policies_stand_by_their_means(runs, said):
    rng = np.random.default_rng(0)
    axes = new_axes(7.6, 3.0)
    three = finals(rng.normal(300, 9, runs), rng.normal(20, 2, runs), rng.normal(90, 5, runs))
    figures.draw_boxes(three, axes).write(axes)
    assert [text.get_text() for text in axes.get_yticklabels()] == ["p1", "p2", "p0"]
    assert said in legend_text(axes)
    assert_readable(axes, "y")


def steps(arms: int, horizon: int, *, indexed: bool = True) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    table = {
        "t": np.arange(1, horizon + 1),
        "arm": rng.integers(0, arms, horizon),
        "reward": rng.integers(0, 2, horizon),
    }
    table |= {f"mean_{arm}": rng.random(horizon) for arm in range(arms)}
    table |= {f"index_{arm}": rng.random(horizon) if indexed else np.full(horizon, np.nan) for arm in range(arms)}
    return pd.DataFrame(table)


def test_a_trace_shows_choices_estimates_and_indices():
    table = steps(3, 50)
    table.loc[10:19, "index_1"] = -np.inf
    figure = Figure(figsize=(10.0, 9.0), layout="constrained")
    draw_trace(figure, table, [0.1, 0.9, 0.5], ["left", "best", "right"])
    choices, estimates, indices = figure.axes
    dots = {(x, y) for line in choices.get_lines() for x, y in zip(*line.get_data(), strict=True)}
    assert dots == set(zip(table["t"], table["arm"], strict=True))
    assert [text.get_fontweight() for text in choices.get_yticklabels()] == ["normal", "bold", "normal"]
    thin = sorted(line.get_ydata()[0] for line in drawn_lines(estimates) if len(line.get_ydata()) == 2)
    assert thin == [0.1, 0.5, 0.9]
    drawn = lines_by_label(estimates)["best"].get_ydata()
    first = int(np.argmax(table["arm"] == 1))
    assert np.isnan(drawn[: first + 1]).all()  # no estimate before a pull
    np.testing.assert_array_equal(drawn[first + 1 :], table["mean_1"][first + 1 :])
    assert np.isnan(indices.get_lines()[1].get_ydata()[10:20]).all()
    assert "could not win" in indices.get_title(loc="left")
    marked = {}
    for line in indices.get_lines():
        if line.get_marker() == "o":
            marked |= dict(zip(*line.get_data(), strict=True))
    pulled = table[[f"index_{arm}" for arm in range(3)]].to_numpy()[np.arange(50), table["arm"]]
    np.testing.assert_array_equal([marked[t] for t in table["t"]], np.where(np.isfinite(pulled), pulled, np.nan))
    assert all(axes.get_ylabel() for axes in figure.axes)
    assert [int(tick) for tick in indices.get_xticks()] == [1, 10, 20, 30, 40, 50]
    assert sorted(legend_text(estimates).splitlines()[1:]) == ["best", "left", "right"]


def test_twelve_arms_of_a_trace_differ_in_colour_or_dashes_and_like_colours_in_dashes():
    figure = Figure(figsize=(10.0, 9.0), layout="constrained")
    draw_trace(figure, steps(12, 100), np.linspace(0.1, 0.9, 12), [str(arm) for arm in range(12)])
    lines = list(lines_by_label(figure.axes[1]).values())
    assert len(lines) == 12
    looks = {(to_hex(line.get_color()), str(line._dash_pattern)) for line in lines}
    assert len(looks) == 12
    for group in ((0, 7), (0, 8), (1, 5), (1, 3), (4, 9), (8, 9)):  # blues, browns, reds, purples, darks
        dashes = [look for look in looks if look[0] in [drawing.PALETTE[place] for place in group]]
        assert len({dash for _, dash in dashes}) == len(dashes)
    assert_readable(figure.axes[1], "y")


def test_a_trace_of_one_step_of_equal_arms_draws():
    figure = Figure(figsize=(10.0, 9.0), layout="constrained")
    draw_trace(figure, steps(2, 1), [0.5, 0.5], ["a", "b"])
    figure.draw_without_rendering()
    assert len(figure.axes) == 3


def test_a_sweep_of_one_value_draws():
    axes = new_axes()
    draw_final(sweep([0.5], [0.0]), axes, "c")
    assert axes.get_lines()
    assert_readable(axes)


@pytest.mark.long
def test_a_trace_without_indices_has_two_panels_and_many_arms_are_grey():
    figure = Figure(figsize=(10.0, 9.0), layout="constrained")
    draw_trace(figure, steps(34, 400, indexed=False), np.linspace(0.0, 0.1, 34), [str(arm) for arm in range(34)])
    assert len(figure.axes) == 2
    said, *labels = legend_text(figure.axes[1]).splitlines()
    assert len(labels) == 8
    assert "33" in labels
    assert "grey: the other arms" in said
    assert figure.axes[0].get_yticklabels()[-1].get_text() == "33"
    assert_readable(figure.axes[0], "y")
    assert_readable(figure.axes[1])


def test_a_trace_on_a_click_log_calls_its_means_estimated():
    figure = Figure(layout="constrained")
    draw_trace(figure, steps(2, 5), [0.0, 0.5], ["a", "b"], estimated=True)
    assert "the arms' means as estimated from the log" in legend_text(figure.axes[1])
