"""The two figures of the laws."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.laws import tails
from benchmarks.solved_games import GAMES
from numerics.output import plots, style

if TYPE_CHECKING:
    import pandas as pd


def draw_traps(cells: pd.DataFrame, stem: str) -> None:
    """Draw the seen errors of the held-out half with intervals over the depth, and the law as lines; a panel a game."""
    from matplotlib.ticker import MaxNLocator

    games = list(cells["game"].unique())
    with style.page(stem, (8.2, 6.4)) as figure:
        panels = list(np.ravel(figure.subplots(-(-len(games) // 2), min(2, len(games)), squeeze=False)))
        for axes, game in zip(panels, games, strict=False):
            of_game = cells[cells["game"] == game]
            for index, (n, of) in enumerate(of_game.groupby("simulations")):
                look = style.line_style(index)
                x = of["depth"].to_numpy(np.float64)
                seen, low, high = plots.estimates(of, "seen", 100.0)
                axes.plot(x, 100.0 * of["predicted"], color=look["color"], linestyle=look["linestyle"], linewidth=1.2)
                plots.draw_whiskers(axes, x, (seen, low, high), color=look["color"], linewidth=0.9, linestyle="")
                axes.plot(
                    x,
                    seen,
                    linestyle="",
                    marker=look["marker"],
                    color=look["color"],
                    markersize=4.2,
                    label=f"{style.number(float(n))} simulations",
                )
            axes.set_title(GAMES[game].title, fontsize="medium", loc="left")
            axes.set_ylim(bottom=0.0)
            axes.set_xlabel("depth of the deepest trap (plies)")
            axes.xaxis.set_major_locator(MaxNLocator(integer=True))
            style.plain(axes)
        for axes in panels[:: min(2, len(games))]:
            axes.set_ylabel("moves into a trap (%)")
        for axes in panels[len(games) :]:
            axes.set_visible(False)
        plots.legend_below(figure, panels[: len(games)])


def draw_bonus(spreads: pd.DataFrame, measured: Mapping[str, pd.DataFrame], stem: str) -> None:
    """Draw how the mean of a node approaches its value and its average, and its tail where it is heaviest."""
    from scipy.special import erfc

    with style.page(stem, (8.2, 4.2)) as figure:
        left, middle, right = figure.subplots(1, 3)
        for index, game in enumerate(measured):
            of_game = spreads[spreads["game"] == game]
            for node, visits in tails.heaviest(of_game).items():
                of = of_game[of_game["node"] == node]
                look = {
                    "color": style.line_colour(index),
                    "linestyle": style.DASHES[0 if node == tails.CHILD else 3],
                    "marker": style.MARKERS[index],
                    "markersize": 3.8,
                    "linewidth": 1.2,
                    "markerfacecolor": style.line_colour(index) if node == tails.CHILD else "white",
                }
                x = of["visits"].to_numpy(np.float64)
                left.plot(x, of["distance"], **look, label=f"{GAMES[game].title}, {node}")
                middle.plot(x, of["scaled"], **look)
                far = tails.deviations(measured[game], node, visits)
                z, share = tails.tail(far / np.sqrt((far**2).mean()))
                right.plot(z, share, **look, markevery=(6 + 2 * index, 20))
        lowest = min(line.get_ydata()[-1] for line in right.lines)
        z = np.linspace(0.0, right.get_xlim()[1], 100)
        right.plot(z, erfc(z / np.sqrt(2.0)), color=style.GREY, linestyle=style.MEDIAN, linewidth=2.0)
        right.set_yscale("log")
        right.set_ylim(lowest / 1.5, 1.3)
        for axes in (left, middle):
            axes.set_xscale("log")
            axes.set_xlabel("visits n")
        left.set_yscale("log")
        left.set_yticks([0.02, 0.05, 0.1, 0.2, 0.5])
        left.minorticks_off()
        middle.set_ylim(bottom=0.0)
        right.set_xlabel("z")
        for axes, title in (
            (left, "|average of the mean − value|"),
            (middle, "√n × standard deviation of the mean"),
            (right, "P(|mean − average| > z deviations)"),
        ):
            axes.set_title(title, fontsize=style.SMALL, loc="left")
            style.plain(axes)
        plots.legend_below(figure, [left])
