"""The figure of players in two places: their scores, which should lie on each other, and the time of a game."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from experiments.kinds.environments.both_places import summary_of, times_of
from experiments.players.labels import short_columns
from numerics.output.captions import Caption, called, caption
from numerics.output.figures import Facts, Figure
from numerics.output.style import PALETTE, SMALL, draw_estimates, estimates, number, plain, ticks

if TYPE_CHECKING:
    import matplotlib.figure
    import pandas as pd
    from matplotlib.axes import Axes

THERE, HERE = PALETTE[1], PALETTE[0]  # the environment, and this project's own referee


def draw(played: pd.DataFrame, timings: pd.DataFrame, figure: matplotlib.figure.Figure, facts: Facts) -> Caption:
    """Draw scores on the left, times on the right."""
    played = short_columns(played, "player1", "player2")
    left, right = figure.subplots(1, 2, sharey=True, width_ratios=[3, 2])
    _draw_scores(left, summary_of(played))
    _draw_times(right, times_of(played, timings))
    return Caption("", "The same games in PettingZoo and here")


def _draw_scores(axes: Axes, summary: pd.DataFrame) -> None:
    """Draw the score of every pair in both places, each with its 95 % interval, and write the difference."""
    y = np.arange(len(summary))
    for venue, label, colour, lift in (
        ("environment", "PettingZoo", THERE, -0.14),
        ("native", "native", HERE, 0.14),
    ):
        style = {"color": colour, "markersize": 4.5, "capsize": 2.0, "linewidth": 1.4, "label": label}
        scores = estimates(summary, f"{venue}_score", 100.0)
        draw_estimates(axes, y + lift, scores, across=True, fmt="o", **style)
    axes.axvline(50.0, color="0.6", linewidth=0.8)
    middle, low, high = (100.0 * summary[name].to_numpy(np.float64) for name in ("difference", "low", "high"))
    for row in y:
        text = f"{number(middle[row], 2)} ± {number((high[row] - low[row]) / 2.0, 2)}"
        axes.text(1.02, float(row), text, transform=axes.get_yaxis_transform(), va="center", fontsize=SMALL)
    pairs = zip(summary["player"], summary["opponent"], strict=True)
    names = [f"{called(str(player), 28)}: {called(str(other), 28)}" for player, other in pairs]
    axes.set_yticks(y, names, fontsize=SMALL)
    axes.set_ylim(len(y) - 0.5, -0.5)
    axes.set_xlim(-2.0, 102.0)
    axes.set_xlabel("score of the player named first (%)")
    games = number(int(summary["games"].iloc[0]))
    caption(axes, f"{games} games of each pair, 95 % intervals; right: PettingZoo minus native, in %")
    plain(axes, "x")


def _draw_times(axes: Axes, times: pd.DataFrame) -> None:
    """Draw the median time of a game of every pair in both places, on a logarithmic axis."""
    y = np.arange(len(times))
    there, here = (1e3 * times[f"{venue}_seconds"].to_numpy(np.float64) for venue in ("environment", "native"))
    axes.hlines(y, here, there, color="0.75", linewidth=1.2, zorder=1)
    for values, colour in ((there, THERE), (here, HERE)):
        axes.plot(values, y, "o", color=colour, markersize=5.0, zorder=2)
    for row in y:
        text = f"\u00d7 {number(there[row] / here[row], 2)}"
        axes.text(1.02, float(row), text, transform=axes.get_yaxis_transform(), va="center", fontsize=SMALL)
    low, high = 0.8 * float(min(here.min(), there.min())), 1.25 * float(max(here.max(), there.max()))
    axes.set_xscale("log")
    axes.set_xlim(low, high)
    ticks(axes.xaxis, low, high)
    axes.tick_params(axis="y", labelleft=False)
    axes.set_xlabel("time of a game (ms)")
    caption(axes, "Medians, players' thinking included; right: their ratio")
    plain(axes, "x")


FIGURES = (
    Figure(
        "environments",
        ("games.parquet", "timings.parquet"),
        draw,
        size=lambda played, *_: (10.0, 2.2 + 0.34 * len(played[["player1", "player2"]].drop_duplicates())),
        panels=True,
    ),
)
