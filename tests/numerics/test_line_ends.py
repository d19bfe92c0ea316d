"""Names at the ends of lines: as large as there is room for, in the order of their values, or none at all."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tests.internals import NAME, SMALL, End, name_ends

LEADING, LEAST = 1.15, 7.0  # lines a line's height apart; points of the smallest legible letters
STYLE = {"color": "black"}


def axes_of(points: float) -> Axes:
    """Return axes from 0 to 1 of this height in points."""
    axes = Figure(figsize=(6.0, points / 72.0)).add_axes((0.1, 0.0, 0.5, 1.0))
    axes.set(xlim=(0.0, 1.0), ylim=(0.0, 1.0))
    return axes


@pytest.mark.parametrize(
    ("points", "size"),
    [(400.0, SMALL), (10 * LEADING * 8.0, 8.0), (10 * LEADING * 7.01, 7.01), (10 * LEADING * 6.99, None)],
)
def test_letters_shrink_with_the_room_until_they_are_illegible(points: float, size: float | None):
    axes = axes_of(points)
    ends = [End(f"n{number}", 0.5, STYLE) for number in range(10)]
    assert name_ends(axes, ends) == (size is not None)
    assert [text.get_fontsize() for text in axes.texts] == ([] if size is None else [pytest.approx(size)] * 10)
    if size is not None:
        at = [text.get_position()[1] for text in axes.texts]
        assert np.diff(at) == pytest.approx(LEADING * size / points)
        assert min(at) >= 0.0
        assert max(at) <= 1.0


def test_a_name_that_is_wider_than_its_share_is_not_written():
    assert name_ends(axes_of(300.0), [])
    assert name_ends(axes_of(300.0), [End("m" * 9, 0.5, STYLE)])
    wide = axes_of(300.0)
    assert not name_ends(wide, [End("m" * 16, 0.5, STYLE)])
    assert not wide.texts


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
