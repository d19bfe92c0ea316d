"""Figures of sweeps and of a trace: lines over one number, maps of two, rows without one; what is marked and named."""

from __future__ import annotations

import json
from itertools import product

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from bandits.figures.trace import draw_trace
from experiments.engine.sweep import combine
from experiments.engine.sweep.quantity_figures import figures_of
from experiments.engine.sweep.table import Job, Quantity, Sweep, label_of, lines_of, settings_of
from experiments.replications.regret_sweep import SWEEP as OF_REGRET
from tests.drawn import assert_readable, drawn_lines, legend_text, lines_by_label
from tests.internals import BEST, LIKE_BEST, LOWER
from tests.internals import SWEEP as OF_MATCHES

pytestmark = pytest.mark.usefixtures("house_style")


def drawn(of: Sweep, table: pd.DataFrame, keys: list[str]) -> Figure | None:
    """Return the first figure of a sweep, or None if it is not drawn."""
    (declared, *_), facts = figures_of(of), {"keys": keys, "title": "a title"}
    if not declared.when(table, facts):
        return None
    figure = Figure(figsize=declared.size(table, facts), layout="constrained")
    caption = declared.draw(table, figure, facts)
    if caption is not None:
        caption.write(figure)
    return figure


def regret(means, **columns) -> pd.DataFrame:
    mean = np.asarray(means, dtype=float)
    ends = {"pseudo_regret_low": 0.96 * mean, "pseudo_regret_high": 1.04 * mean, "pseudo_regret_bound": np.nan}
    spread = {"pseudo_regret_q05": 0.5 * mean, "pseudo_regret_q95": 2.0 * mean}
    known = {"policy": "p", "runs": 20, "horizon": 100, "pseudo_regret_mean": mean, **ends, **spread}
    return pd.DataFrame(known | columns, index=range(len(mean)))


def scores(standing, **columns) -> pd.DataFrame:
    score = np.linspace(0.4, 0.6, len(standing))
    known = {"player": "uct", "opponent": "random", "games": 20, "standing": standing, "score": score}
    return pd.DataFrame({**columns, **known, "score_low": score - 0.1, "score_high": score + 0.1})


def rings(axes) -> list[tuple[float, float]]:
    marks = [line for line in axes.get_lines() if line.get_markersize() == 12.0]
    return [point for mark in marks for point in zip(*mark.get_data(), strict=True)]


def test_one_number_is_a_line_with_a_ring_at_the_lowest_regret_and_the_spread_of_replications():
    (axes,) = drawn(
        OF_REGRET, regret([480, 250, 48, 160], **{"bandit.c": ["2", "0.05", "0.5", "1"]}), ["bandit.c"]
    ).axes
    assert (axes.get_xscale(), axes.get_xlabel()) == ("log", "bandit.c (log scale)")
    assert rings(axes) == [(0.5, 48.0)]
    assert [text.get_text() for text in axes.get_xticklabels()] == ["0.05", "0.5", "1", "2"]
    assert "48.0 ± 1.9 at 0.5" in legend_text(axes).replace("\u00a0", " ").replace("\n", " ")
    assert_readable(axes)


def test_all_else_makes_lines_whose_names_tell_the_best_value():
    keys = {"bandit": ["ucb", "moss"] * 2, "bandit.c": ["0", "0", "5", "5"]}
    table = regret([90, 60, 80, 70], **keys, policy=["ucb c=0", "moss c=0", "ucb c=5", "moss c=5"])
    (axes,) = drawn(OF_REGRET, table, list(keys)).axes
    names = [text.get_text().replace("\u00a0", " ") for text in axes.texts if text.get_gid() == "line_end"]
    assert names == ["ucb, best: 80.0 ± 3.2 at 5", "moss, best: 60.0 ± 2.4 at 0"]
    assert len({x for bars in axes.containers for x in bars[0].get_xdata()}) == 4  # no whiskers cover each other


def test_a_sweep_without_a_number_draws_no_regret_and_a_size_has_no_best_value():
    assert drawn(OF_REGRET, regret([1, 2], bandit=["ucb", "moss"]), ["bandit"]) is None
    (axes,) = drawn(OF_REGRET, regret([3, 300], horizon=[100, 200]), ["horizon"]).axes
    assert rings(axes) == []
    assert axes.get_ylabel() == "pseudo-regret $L_T$ (log scale)"


def test_two_numbers_are_a_map_for_each_value_of_all_else_and_many_maps_are_lines():
    rows = list(product(["ucb", "moss"], [0.5, 2.0, 10.0], [1.0, 3.0]))
    keys = dict(zip(("bandit", "bandit.c", "bandit.decay"), zip(*rows, strict=True), strict=True))
    table = regret([10.0 * c + decay for _, c, decay in rows], **{key: list(values) for key, values in keys.items()})
    first, second = drawn(OF_REGRET, table, list(keys)).axes
    assert [text.get_text() for text in first.texts[:6]] == ["8", "23", "103", "6", "21", "101"]
    assert [axes.get_title(loc="left") for axes in (first, second)] == ["ucb", "moss"]
    assert (first.get_xlabel(), first.get_ylabel()) == ("bandit.c", "bandit.decay")
    assert first.patches[0].get_bbox().contains(0.5, 1.5)
    assert_readable(first)
    many = pd.concat([table.assign(bandit=table["bandit"] + str(copy)) for copy in range(4)], ignore_index=True)
    assert len(drawn(OF_REGRET, many, list(keys)).axes) == 1


def test_matches_have_a_panel_for_each_opponent_and_marks_of_the_best_and_of_lower_ones():
    keys = {"player1.c": [1, 2, 4] * 2, "player2": ["random"] * 3 + ["level_2"] * 3}
    table = scores([LOWER, LIKE_BEST, BEST] * 2, **keys).assign(opponent=keys["player2"])
    panels = drawn(OF_MATCHES, table, list(keys)).axes
    assert [axes.get_title(loc="left") for axes in panels] == ["random", "level_2"]
    assert [rings(axes)[0][0] for axes in panels] == [4, 4]
    hollow = [line for line in panels[0].get_lines() if line.get_color() == "white"]
    assert [list(line.get_xdata()) for line in hollow] == [[1.0]]


@pytest.mark.parametrize(("key", "standing", "count"), [("player1.policy", BEST, 1), ("board", "", 0)])
def test_names_are_rows_and_settings_that_are_not_compared_have_no_best(key, standing, count):
    (axes,) = drawn(OF_MATCHES, scores(["", standing], **{key: ["one", "two"]}), [key]).axes
    assert [text.get_text() for text in axes.get_yticklabels()] == ["one", "two"]
    assert len(rings(axes)) == count
    assert_readable(axes)


def test_lines_are_named_by_what_differs_and_is_not_drawn():
    table = pd.DataFrame({"policy": ["ucb c=1", "ucb c=2"], "bandit.c": [1, 2], "arms": ["easy", "hard"]})
    assert lines_of(table, ["bandit.c", "arms"], ["bandit.c"]) == ["arms=easy", "arms=hard"]
    assert lines_of(table, ["bandit.c"], ["bandit.c"]) == ["", ""]
    several = table.assign(policy=["horizon=60 ucb", "horizon=60 moss"], horizon=60)
    assert lines_of(several, ["horizon"], ["horizon"]) == ["ucb", "moss"]
    assert label_of({"player1.policy": "ucb", "player1.solve": True, "bandit": "ucb"}) == "ucb solve=true"


def test_a_combination_that_is_there_twice_is_one_setting(tmp_path):
    jobs = [Job({"player1.c": c, "seed": "0"}, tmp_path / c / name) for c in "12" for name in "ab"]
    settings = settings_of({"jobs": jobs, "varied": ["player1.c"]})
    assert [(dict(setting.values), setting.folder) for setting in settings] == [
        ({"player1.c": c}, tmp_path / c / "b") for c in "12"
    ]


def test_runs_of_several_experiments_are_not_one_sweep(tmp_path):
    for number, kind in enumerate(("match", "regret")):
        (tmp_path / kind).mkdir()
        (tmp_path / kind / "config.yaml").write_text(f"kind: {kind}\n")
        facts = {"sweep": "..", "number": number, "overrides": {"seed": kind}, "vectors": False, "refusal": None}
        (tmp_path / kind / "combination.json").write_text(json.dumps(facts))
    with pytest.raises(ValueError, match="match, regret"):
        combine.put_together(tmp_path)


def test_a_quantity_is_drawn_only_where_it_is_known():
    table = pd.DataFrame({"board": ["4x4", "5x4"], "a": [1, 2], "a_low": [0, 1], "a_high": [2, 3]})
    one, other = (Quantity("one", "a", "label", "whiskers", when=lambda table, has=has: has) for has in (True, False))
    assert drawn(Sweep(lambda settings: table, (other,)), table, ["board"]) is None
    unknown = Quantity("one", "b", "label", "whiskers")
    assert len(drawn(Sweep(lambda settings: table, (one, one, other, unknown)), table, ["board"]).axes) == 2
    point = table.assign(board=[1, 2], a_low=np.nan, a_high=np.nan)
    assert len(drawn(Sweep(lambda settings: point, (one,)), point, ["board"]).axes) == 1


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
    assert sorted(legend_text(estimates).splitlines()[1:]) == ["best", "left", "right"]


def test_a_trace_without_indices_has_two_panels_and_many_arms_are_grey():
    figure = Figure(figsize=(10.0, 9.0), layout="constrained")
    names = [str(arm) for arm in range(34)]
    draw_trace(figure, steps(34, 400, indexed=False), np.linspace(0.0, 0.1, 34), names, estimated=True)
    assert len(figure.axes) == 2
    said, *labels = legend_text(figure.axes[1]).splitlines()
    assert len(labels) == 8
    assert "33" in labels
    assert "grey" in said
    assert "estimated" in said
    assert_readable(figure.axes[1])
    lines = lines_by_label(figure.axes[1])
    assert len({(to_hex(lines[name].get_color()), str(lines[name]._dash_pattern)) for name in labels}) == 8


def test_a_trace_of_one_step_of_equal_arms_draws():
    figure = Figure(figsize=(10.0, 9.0), layout="constrained")
    draw_trace(figure, steps(2, 1), [0.5, 0.5], ["a", "b"])
    figure.draw_without_rendering()
    assert len(figure.axes) == 3
