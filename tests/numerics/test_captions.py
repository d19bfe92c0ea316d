"""Captions and legends leave the axes their room."""

from __future__ import annotations

import io

import pytest
from matplotlib.figure import Figure

from tests.internals import caption


def height_of_axes(lines: int) -> float:
    figure = Figure(figsize=(7.6, 4.8), layout="constrained")
    axes = figure.subplots()
    for number in range(lines):
        axes.plot([0, 1], [0, number], label=f"horizon=100000 a policy of a longer name, number {number}")
    caption(axes, "500 replications", title="Regret")
    figure.savefig(io.BytesIO(), format="png")
    return axes.get_window_extent().height / figure.dpi


@pytest.mark.long
def test_a_page_grows_with_a_long_legend():
    short, long = height_of_axes(4), height_of_axes(24)
    assert short > 2.5  # inches
    assert long > 0.8 * short
