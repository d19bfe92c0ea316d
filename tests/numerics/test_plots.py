"""Figures draw the numbers that they are given, on axes that one place decides; captions and names leave them room."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from numerics.output.plots import curves, estimates, heat_map, interval_texts, legend_below, panels, rows
from tests.internals import NAME, SMALL, End, Scale, caption, is_logarithmic, name_ends

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


def drawn(axes, markers="os"):
    """The points of each line with such markers."""
    shown = [line for line in axes.get_lines() if line.get_marker() in markers]
    return [(line.get_xdata().tolist(), line.get_ydata().tolist()) for line in shown]


def test_a_line_of_each_group_goes_through_its_points_in_order_with_whiskers_at_the_ends():
    axes = new_axes()
    ends = curves(axes, TABLE, "x", "y", by="who", factor=100.0, x_scale=Scale("n"), y_scale=Scale("rate (%)"))
    assert drawn(axes) == [([1.0, 10.0, 100.0], [10.0, 20.0, 50.0]), ([1.0, 10.0, 100.0], [0.0, 30.0, 40.0])]
    whiskers = axes.collections[0].get_segments()
    assert [one[:, 1].tolist() for one in whiskers] == [
        [5.0, 20.0],
        [10.0, 30.0],
        [40.0, 60.0],
    ]
    assert [(end.name, end.value, end.joined) for end in ends] == [("a", 50.0, True), ("b", 40.0, True)]
    assert axes.get_xlabel() == "n (log scale)"
    assert axes.get_ylabel() == "rate (%)"
    assert axes.get_ylim() == pytest.approx((0.0, 1.07 * 60.0))


def test_an_estimate_of_0_on_a_logarithmic_axis_is_a_triangle_at_the_upper_end():
    axes = new_axes()
    curves(axes, TABLE, "x", "y", by="who", x_scale=Scale(), y_scale=Scale(log=True))
    assert drawn(axes, "v") == [([1.0], [0.05])]
    assert drawn(axes)[1] == ([10.0, 100.0], [0.3, 0.4])


def test_a_number_without_an_interval_has_no_whisker():
    assert [values[-1] for values in estimates(TABLE, "y")] == [0.4] * 3
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


def test_one_place_decides_whether_an_axis_is_logarithmic():
    chosen = [[1, 2, 4], [0, 1, 10, 100], [1, 2, 3, 4], [-1, 1, 100], [*range(10, 101, 10)]]
    assert [is_logarithmic(values, False) for values in chosen] == [True, True, False, False, False]
    assert [is_logarithmic(values, True) for values in ([1, 31], [1, 29], [0, 31])] == [True, False, False]


def test_0_stands_apart_on_a_logarithmic_axis_of_chosen_numbers():
    axes = new_axes()
    assert Scale("c", at_values=True).set(axes.xaxis, [0.0, 0.1, 1.0, 10.0])
    assert axes.get_xscale() == "symlog"
    assert axes.get_xlabel() == "c (log scale, 0 set apart)"
    assert axes.get_xticks().tolist() == [0.0, 0.1, 1.0, 10.0]


def test_points_stand_apart_by_a_share_of_the_axis_whatever_its_scale():
    for log in (False, True):
        axes = new_axes()
        curves(axes, TABLE, "x", "y", by="who", x_scale=Scale(log=log), y_scale=Scale(), apart=0.02)
        places = [axes.transAxes.inverted().transform(axes.transData.transform((x[1], 0.2)))[0] for x, _ in drawn(axes)]
        assert np.diff(places) == pytest.approx([0.02])


def test_ticks_at_values_leave_out_those_whose_labels_would_touch():
    axes = new_axes()
    Scale(at_values=True).set(axes.xaxis, np.arange(1000.0, 1400.0))
    assert 5 < len(axes.get_xticks()) < 40


def test_the_legend_of_many_lines_in_any_panels_stays_in_the_figure():
    figure = Figure(figsize=(11.2, 6.6), layout="constrained")
    grid = panels(figure, 5, most=3)
    for axes in grid:
        for place in range(34):
            axes.plot([0, 1], label=f"boltzmann_gumbel c={place}")
    legend_below(figure, grid)
    figure.draw_without_rendering()
    box = figure.legends[0].get_window_extent()
    assert len(figure.axes) == len(grid) == 5
    assert 0.0 <= box.x0 < box.x1 <= figure.bbox.x1


# --- captions ---


def test_a_page_grows_with_a_long_legend():
    heights = []
    for lines in (4, 24):
        axes = new_axes()
        for number in range(lines):
            axes.plot([0, 1], [0, number], label=f"horizon=100000 a policy of a longer name, number {number}")
        caption(axes, "500 replications", title="Regret")
        axes.figure.draw_without_rendering()
        heights.append(axes.get_window_extent().height / axes.figure.dpi)
    assert heights[1] > 0.8 * heights[0] > 0.8 * 2.5  # inches


# --- names at the ends of lines ---


LEADING = 1.15  # lines a line's height apart; the smallest legible letters have 7 points
STYLE = {"color": "black"}
TEN = [End(f"n{number}", 0.5, STYLE) for number in range(10)]


def axes_of(points: float) -> Axes:
    """Return axes from 0 to 1 of this height in points."""
    return Figure(figsize=(6.0, points / 72.0)).add_axes((0.1, 0.0, 0.5, 1.0))


@pytest.mark.parametrize(("points", "size"), [(400.0, SMALL), (80 * LEADING, 8.0), (70.1 * LEADING, 7.01)])
def test_letters_shrink_with_the_room(points: float, size: float):
    axes = axes_of(points)
    assert name_ends(axes, TEN)
    assert [text.get_fontsize() for text in axes.texts] == [pytest.approx(size)] * 10
    at = [text.get_position()[1] for text in axes.texts]
    assert np.diff(at) == pytest.approx(LEADING * size / points)
    assert 0.0 <= min(at) < max(at) <= 1.0


def test_a_name_is_not_written_where_letters_would_be_illegible_or_wider_than_their_share():
    assert name_ends(axes_of(300.0), [])
    assert name_ends(axes_of(300.0), [End("m" * 9, 0.5, STYLE)])
    for points, ends in ((300.0, [End("m" * 16, 0.5, STYLE)]), (69.9 * LEADING, TEN)):
        axes = axes_of(points)
        assert not name_ends(axes, ends)
        assert not axes.texts


def test_a_line_is_joined_to_its_name_and_what_lies_outside_has_an_arrow():
    axes = axes_of(300.0)
    given = [("in", 0.25, True), ("apart", 0.6, False), ("high", 1.2, True), ("low", -0.3, True)]
    assert name_ends(axes, [End(name, value, STYLE, joined=joined) for name, value, joined in given])
    assert [text.get_text() for text in axes.texts] == ["in", "apart", "high ↑", "low ↓"]
    assert [text.get_position()[1] for text in axes.texts] == pytest.approx([0.25, 0.6, 1.0, 0.0])
    strokes = [line for line in axes.get_lines() if line.get_gid() == NAME]
    joined = [line for line in strokes if len(line.get_xdata()) == 2]
    assert [list(line.get_ydata()) for line in joined] == [pytest.approx([0.25, 0.25])]
    assert [line.get_marker() for line in strokes if line not in joined] == ["o"] * 3
    assert all(max(line.get_xdata()) < axes.texts[0].get_position()[0] for line in strokes)
