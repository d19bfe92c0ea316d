"""Curves, rows and heat maps draw the numbers that they are given, on axes that one place decides."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from numerics.output.plots import curves, estimates, heat_map, interval_texts, legend_below, panels, rows
from tests.internals import Scale, is_logarithmic

TABLE = pd.DataFrame(
    {
        "who": ["a", "a", "a", "b", "b", "b"],
        "x": [100.0, 1.0, 10.0, 1.0, 10.0, 100.0],
        "y": [0.5, 0.1, 0.2, 0.0, 0.3, 0.4],
        "y_low": [0.4, 0.05, 0.1, 0.0, 0.2, np.nan],
        "y_high": [0.6, 0.2, 0.3, 0.05, 0.4, np.nan],
    }
)


def new_axes():
    return Figure(figsize=(7.6, 4.8), layout="constrained").subplots()


def drawn(axes):
    """The points of each line with markers."""
    return [
        (line.get_xdata().tolist(), line.get_ydata().tolist()) for line in axes.get_lines() if line.get_marker() in "os"
    ]


def bars(axes):
    return [bar.get_segments() for bar in axes.collections]


def test_a_line_of_each_group_goes_through_its_points_in_order_with_whiskers_at_the_ends():
    axes = new_axes()
    ends = curves(axes, TABLE, "x", "y", by="who", factor=100.0, x_scale=Scale("n"), y_scale=Scale("rate (%)"))
    assert drawn(axes) == [([1.0, 10.0, 100.0], [10.0, 20.0, 50.0]), ([1.0, 10.0, 100.0], [0.0, 30.0, 40.0])]
    (first, _) = bars(axes)
    assert [segment[:, 1].tolist() for segment in first] == [[5.0, 20.0], [10.0, 30.0], [40.0, 60.0]]
    assert [(end.name, end.value, end.joined) for end in ends] == [("a", 50.0, True), ("b", 40.0, True)]
    assert axes.get_xlabel() == "n (log scale)"
    assert axes.get_ylabel() == "rate (%)"
    assert axes.get_ylim() == pytest.approx((0.0, 1.07 * 60.0))


def test_points_stand_apart_by_a_share_of_the_axis_whatever_its_scale():
    for log in (False, True):
        axes = new_axes()
        curves(axes, TABLE, "x", "y", by="who", x_scale=Scale(log=log), y_scale=Scale(), apart=0.02)
        places = [axes.transAxes.inverted().transform(axes.transData.transform((x[1], 0.2)))[0] for x, _ in drawn(axes)]
        assert np.diff(places) == pytest.approx([0.02])


def test_an_estimate_of_0_on_a_logarithmic_axis_is_a_triangle_at_the_upper_end():
    axes = new_axes()
    curves(axes, TABLE, "x", "y", by="who", x_scale=Scale(), y_scale=Scale(log=True))
    (triangle,) = [line for line in axes.get_lines() if line.get_marker() == "v"]
    assert (triangle.get_xdata().tolist(), triangle.get_ydata().tolist()) == ([1.0], [0.05])
    assert drawn(axes)[1] == ([10.0, 100.0], [0.3, 0.4])


def test_a_number_without_an_interval_has_no_whisker():
    middle, low, high = estimates(TABLE, "y")
    assert (middle[-1], low[-1], high[-1]) == (0.4, 0.4, 0.4)
    assert estimates(TABLE[["y"]], "y", 2.0)[2].tolist() == [1.0, 0.2, 0.4, 0.0, 0.6, 0.8]


def test_rows_begin_at_the_top_and_an_open_end_has_an_arrow_beyond_all_others():
    axes = new_axes()
    numbers = np.array([[1.0, 2.0, 3.0], [0.5, -np.inf, 2.0], [2.0, 3.0, np.nan]])
    shown = (numbers[0], numbers[1], numbers[2])
    rows(axes, ["one", "two", "three"], (shown, {}), beside=interval_texts(shown, digits=1))
    assert [label.get_text() for label in axes.get_yticklabels()] == ["one", "two", "three"]
    assert axes.get_ylim() == (2.5, -0.5)
    assert [text.get_text() for text in axes.texts] == ["1.0 [0.5, 2.0]", "2.0 [at most 3.0]", "3.0 [at least 2.0]"]
    (arrow,) = [line for line in axes.get_lines() if line.get_marker() == "<" and len(line.get_xdata())]
    assert arrow.get_xdata()[0] < 0.5
    assert arrow.get_ydata()[0] == 1.0


def test_a_map_has_its_first_row_on_top_and_writes_where_there_is_a_number():
    axes = new_axes()
    cells = pd.DataFrame([[0.0, 100.0], [np.nan, 50.0]], index=["r", "s"], columns=["long" * 20, "d"])
    heat_map(axes, cells, cells.map("{:.0f}".format), norm=(0.0, 100.0), bar="score")
    places = {text.get_text(): text.get_position() for text in axes.texts}
    assert places == {"0": (0.5, 0.5), "100": (1.5, 0.5), "50": (1.5, 1.5)}
    assert axes.get_ylim() == (2.0, 0.0)
    assert [text.get_color() for text in axes.texts] == ["0.1", "white", "0.1"]
    assert [label.get_rotation() for label in axes.get_xticklabels()] == [30.0, 30.0]
    assert axes.figure.axes[1].get_ylabel() == "score"


@pytest.mark.parametrize(
    ("values", "measured", "expected"),
    [
        ([1, 2, 4], False, True),
        ([1, 2, 3, 4], False, False),
        ([0, 1, 10, 100], False, True),
        ([5], False, False),
        ([-1, 1, 100], False, False),
        ([10, 20, 30, 40, 50, 60, 70, 80, 90, 100], False, False),
        ([1, 31], True, True),
        ([1, 29], True, False),
        ([0, 31], True, False),
    ],
)
def test_one_place_decides_whether_an_axis_is_logarithmic(values, measured, expected):
    assert is_logarithmic(values, measured) is expected


def test_0_stands_apart_on_a_logarithmic_axis_of_chosen_numbers():
    axes = new_axes()
    assert Scale("c", at_values=True).set(axes.xaxis, [0.0, 0.1, 1.0, 10.0])
    assert axes.get_xscale() == "symlog"
    assert axes.get_xlabel() == "c (log scale, 0 set apart)"
    assert axes.get_xticks().tolist() == [0.0, 0.1, 1.0, 10.0]


def test_ticks_at_values_leave_out_those_whose_labels_would_touch():
    axes = new_axes()
    Scale(at_values=True).set(axes.xaxis, np.arange(1000.0, 1400.0))
    ticks = axes.get_xticks()
    assert 5 < len(ticks) < 40
    assert ticks[0] == 1000.0


def test_panels_have_rows_of_as_many_as_fit_and_one_legend():
    figure = Figure(layout="constrained")
    grid = panels(figure, 5, most=3)
    assert len(figure.axes) == len(grid) == 5
    for axes in grid:
        axes.plot([0, 1], label="same")
    legend_below(figure, grid)
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["same"]


@pytest.mark.parametrize("count", [1, 7, 34])
def test_the_legend_of_any_number_of_lines_stays_in_the_figure(count):
    figure = Figure(figsize=(11.2, 6.6), layout="constrained")
    axes = figure.subplots()
    for place in range(count):
        axes.plot([0, 1], label=f"boltzmann_gumbel c={place}")
    legend_below(figure, [axes])
    figure.draw_without_rendering()
    box = figure.legends[0].get_window_extent()
    assert box.x0 >= 0.0
    assert box.x1 <= figure.bbox.x1
