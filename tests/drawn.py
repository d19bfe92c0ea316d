"""Made-up tables of regret to draw, and what a drawn figure says, for the tests of figures."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from bandits import summaries
from bandits.replications import Replications
from numerics.output import captions

MEANS = [0.1, 0.2, 0.3, 0.4, 0.5, 0.55, 0.6, 0.65, 0.7, 0.9]
POLICIES = ("random", "greedy", "epsilon_greedy", "ucb", "thompson")


def played(speed=30.0, linear=0.0, *, runs=20, horizon=10_000, means=MEANS, spread=True, seed=1) -> Replications:
    """Make up replications whose mean regret is about speed ln t + linear t, without playing."""
    rng = np.random.default_rng(seed)
    checkpoints = np.unique(np.geomspace(1.0, horizon, 60).round().astype(np.int64))
    factor = 1.0 + 0.2 * rng.standard_normal((runs, 1)) * spread
    regret = factor * (speed * np.log(checkpoints) + linear * checkpoints)
    share = rng.dirichlet(np.full(np.shape(means)[-1], 0.5), runs)
    pulls = np.floor(share * horizon).astype(np.int64)
    pulls[:, -1] += horizon - pulls.sum(axis=1)
    truth = np.tile(means, (runs, 1)) if np.ndim(means) == 1 else means
    none = np.zeros_like(regret)
    return Replications(checkpoints, 0, truth, pulls, regret, none, none, none, none.astype(np.uint8), none)


def curves(**policies: Replications) -> pd.DataFrame:
    return pd.concat([summaries.curves(name, one) for name, one in policies.items()], ignore_index=True)


def counts(**policies: Replications) -> pd.DataFrame:
    return pd.concat([summaries.pulls(name, one) for name, one in policies.items()], ignore_index=True)


def new_axes(width: float = 7.6, height: float = 4.8) -> Axes:
    return Figure(figsize=(width, height), layout="constrained").subplots()


def lines_by_label(axes: Axes) -> dict[str, object]:
    return {str(line.get_label()): line for line in axes.get_lines() if not str(line.get_label()).startswith("_")}


def drawn_lines(axes: Axes) -> list[Line2D]:
    """Return the lines of axes without those that lead to their names."""
    return [line for line in axes.get_lines() if line.get_gid() != captions.NAME]


def legend_text(axes: Axes) -> str:
    """Return the caption of axes on one line, and what names their lines: entries of a legend or names at the ends."""
    legend = axes.get_legend()
    named = [text.get_text() for text in axes.texts if text.get_gid() == captions.NAME]
    if legend is None:
        return "\n".join([" ".join(axes.get_title(loc="left").split("\n")), *named])
    said = " ".join(legend.get_title().get_text().split("\n"))
    return "\n".join([said, *(text.get_text() for text in legend.get_texts()), *named])


def assert_readable(axes: Axes, kinds: str = "xy") -> None:
    """No two tick labels of an axis touch, no label leaves the figure, and the legend covers nothing."""
    figure = axes.figure
    figure.draw_without_rendering()
    whole = figure.bbox
    for kind in kinds:
        axis = {"x": axes.xaxis, "y": axes.yaxis}[kind]
        low, high = sorted(axis.get_view_interval())
        ticks = zip(axis.get_ticklabels(), axis.get_ticklocs(), strict=True)
        shown = [text.get_window_extent() for text, place in ticks if text.get_text() and low <= place <= high]
        assert shown
        assert not any(a.overlaps(b) for a, b in combinations(shown, 2))
        corners = axis.label.get_window_extent().corners() if axis.label.get_text() else []
        assert all(whole.padded(1.0).contains(*corner) for corner in corners)
    legend = axes.get_legend()
    if legend is not None:
        box = legend.get_window_extent()
        assert box.y0 >= axes.bbox.y1 - 1.0
        assert box.x1 <= whole.x1 + 1.0
    beside = [text.get_window_extent() for text in axes.texts if text.get_gid() == captions.NAME]
    assert all(box.x1 <= whole.x1 and box.x0 > axes.bbox.x1 for box in beside)
    strokes = [line.get_window_extent() for line in axes.get_lines() if line.get_gid() == captions.NAME]
    assert all(stroke.x1 < box.x0 for stroke in strokes for box in beside), "a name begins after its stroke"
    assert not any(min(a.y1, b.y1) - max(a.y0, b.y0) > 0.35 * a.height for a, b in combinations(beside, 2))
