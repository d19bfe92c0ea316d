"""Figures of sweeps, of differences and of a trace: what is drawn, and that it can be read."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from bandits.figures.trace import draw_trace
from experiments.replications import regret_figures
from numerics.output import style as drawing
from tests.drawn import assert_readable, drawn_lines, legend_text, lines_by_label, new_axes
from tests.internals import experiment as comparison_figures

pytestmark = pytest.mark.usefixtures("house_style")


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
    assert shown[0, 0] == 0.0  # white: not significantly different from 0
    assert shown[0].mask.tolist() == [False, True]
    assert "adjusted for 3 pairs" in legend_text(axes)
    assert_readable(axes)


def test_differences_of_one_replication_claim_nothing():
    axes = new_axes(8.0, 3.0)
    table = differences({"a": 3.0, "b": 1.0, "c": 2.0}).assign(ci_low=np.nan, ci_high=np.nan, p_adjusted=np.nan)
    comparison_figures.draw_differences(table, axes, {"played": "two arms"}).write(axes)
    assert [text.get_text() for text in axes.texts[:3]] == ["1", "2", "1"]
    assert "no test with one replication" in legend_text(axes)


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


@pytest.mark.parametrize("count", [1, 3])
def test_final_regrets_stand_by_their_means(count):
    rng = np.random.default_rng(0)
    finals = {"a": rng.normal(300, 9, 100), "b": rng.normal(20, 2, 100), "c": rng.normal(90, 5, 100)}
    pulls = pd.concat(
        [
            pd.DataFrame({"policy": policy, "run": np.arange(100), "regret": regret})
            for policy, regret in list(finals.items())[:count]
        ]
    )
    axes = new_axes(7.6, 3.0)
    facts = {"policies": None, "played": "two arms", "changing": False}
    regret_figures.draw_final(pulls, axes, facts).write(axes)
    assert [text.get_text() for text in axes.get_yticklabels()] == (["b", "c", "a"] if count == 3 else ["a"])
    assert "whiskers: 5–95\u00a0%" in legend_text(axes)
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
    assert "gaps: index −∞" in indices.get_title(loc="left")
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
    assert "means estimated from the log" in legend_text(figure.axes[1])
