"""Figures of strength: moves that keep the value, by player, by ply, against simulations and against time."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from numerics.output.style import PALETTE, SMALL, called, caption, error_arms, line_style, number, plain, ticks

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

_AXES = {"simulations": "simulations of a move", "seconds": "time of a move (ms; median, as measured)"}
_UNITS = {"simulations": 1.0, "seconds": 1e3}  # of an axis

_SECONDS = r"\bseconds="
_BUDGET = r"\b(?:simulations|seconds)=[\d.e+-]+(?:, | )?"

Floats = npt.NDArray[np.float64]


def draw_players(figure: Figure | SubFigure, summary: pd.DataFrame, chance: float) -> None:
    """Draw each player's two rates and its mean loss with their 95 % intervals.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        Where to draw.
    summary : pandas.DataFrame
        What `experiments.exact_scores.strength_tables.summary_of` returns.
    chance : float
        What a random move is expected to keep, in %.
    """
    rates, losses = figure.subplots(1, 2, sharey=True, width_ratios=(1.7, 1.0))
    y = np.arange(len(summary))
    for place, (name, label) in enumerate((("keeps_value", "keeps the value"), ("best", "plays a best move"))):
        rate, low, high = (100.0 * summary[f"{name}{end}"].to_numpy(np.float64) for end in ("", "_low", "_high"))
        rates.errorbar(
            rate, y + 0.14 * (2 * place - 1), xerr=_arms(rate, low, high), fmt="os"[place], color=PALETTE[place],
            markersize=4.5, capsize=2.5, linewidth=1.4, label=label,
        )  # fmt: skip
    rates.axvline(chance, color="0.55", linewidth=0.9, linestyle=(0, (4, 2)), label="value kept by a random move")
    rates.set_yticks(y, [called(str(name)) for name in summary["player"]])
    rates.set_ylim(len(y) - 0.5, -0.5)
    rates.set_xlabel("share of the positions (%)")
    loss, low, high = (summary[f"loss{end}"].to_numpy(np.float64) for end in ("", "_low", "_high"))
    losses.errorbar(
        loss, y, xerr=_arms(loss, low, high), fmt="D", color=PALETTE[2], markersize=4.0, capsize=2.5, linewidth=1.4
    )
    losses.set_xlim(left=0.0)
    losses.set_xlabel("mean loss of score")
    caption(rates, f"{number(int(summary['positions'].iloc[0]))} positions; bars: 95 % intervals")
    for axes in (rates, losses):
        plain(axes, "x")


def _arms(middle: Floats, low: Floats, high: Floats) -> Floats:
    """Return the lengths of both arms of an error bar; none where an end is not known."""
    return np.nan_to_num(error_arms(middle, low, high))


def draw_by_ply(figure: Figure | SubFigure, axes: Axes, choices: pd.DataFrame, group: int) -> None:
    """Draw how often each player keeps the value as a heat map over the stones on the board, some plies together.

    Parameters
    ----------
    figure, axes : matplotlib.figure.Figure, matplotlib.axes.Axes
        Where to draw, the scale beside it.
    choices : pandas.DataFrame
        player, ply, keeps_value.
    group : int
        How many plies are told together.
    """
    first = int(choices["ply"].min())
    block = (choices["ply"] - first) // group
    shares = 100.0 * choices.groupby(["player", block], sort=False)["keeps_value"].mean().unstack().sort_index(axis=1)
    shares = shares.loc[list(dict.fromkeys(choices["player"]))]
    values = shares.to_numpy(np.float64)
    image = axes.imshow(values, cmap="viridis", vmin=min(50.0, float(np.nanmin(values))), vmax=100.0, aspect="auto")
    middle = sum(image.get_clim()) / 2.0
    for (i, j), value in np.ndenumerate(values):
        axes.text(
            j, i, number(round(value, 1)), ha="center", va="center", fontsize=SMALL + 0.5,
            color="white" if value < middle else "0.05",
        )  # fmt: skip
    last = int(choices["ply"].max())
    starts = [first + group * int(place) for place in shares.columns]
    ends = [min(start + group - 1, last) for start in starts]
    named = [str(a) if a == b else f"{a}–{b}" for a, b in zip(starts, ends, strict=True)]
    axes.set_xticks(range(len(named)), named, fontsize=SMALL)
    axes.set_yticks(range(len(shares)), [called(str(name)) for name in shares.index], fontsize=SMALL)
    axes.set_xlabel("stones on the board", fontsize=SMALL + 1.0)
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0.0)
    scale = figure.colorbar(image, ax=axes, fraction=0.05, pad=0.03)
    scale.ax.tick_params(labelsize=SMALL)
    scale.set_label("keeps the value (%)", fontsize=SMALL)
    counts = choices.groupby(["player", block])["keeps_value"].size()
    counted = sorted({int(counts.min()), int(counts.max())})
    caption(
        axes, f"Moves that keep the value, in %; {' to '.join(number(count) for count in counted)} positions in a cell"
    )


def draw_against(axes: Axes, summary: pd.DataFrame, what: str) -> None:
    """Draw how often the value is kept against simulations or time; lines join what differs in the budget only.

    In the figure of simulations, players without a budget are level lines, and those with one in seconds are left out.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        Where to draw.
    summary : pandas.DataFrame
        player, name, simulations, seconds, positions, keeps_value with the ends of its interval.
    what : {"simulations", "seconds"}
        The horizontal axis, which is logarithmic.
    """
    told, level = summary, summary.iloc[:0]
    if what == "simulations":
        timed = summary["name"].str.contains(_SECONDS)
        told = summary[summary["simulations"].notna() & ~timed]
        level = summary[summary["simulations"].isna() & ~timed]
    family = told["name"].map(without_budget)
    order = list(dict.fromkeys(summary["name"].map(without_budget)))  # in both figures a player has one style
    for one in dict.fromkeys(family):
        line = told[family == one].sort_values(what)
        x = _UNITS[what] * line[what].to_numpy(np.float64)
        rate, low, high = (100.0 * line[f"keeps_value{end}"].to_numpy(np.float64) for end in ("", "_low", "_high"))
        labels = list(line["player"]) if len(line) == 1 else list(dict.fromkeys(line["player"].map(without_budget)))
        label = str(labels[0] if len(labels) == 1 else one)
        axes.errorbar(
            x, rate, _arms(rate, low, high), label=called(label), capsize=3.0, linewidth=1.4, markersize=5.0,
            **line_style(order.index(one)),
        )  # fmt: skip
    for row in level.to_dict("records"):
        style = {**line_style(order.index(without_budget(row["name"]))), "marker": ""}
        axes.axhline(100.0 * row["keeps_value"], linewidth=1.2, label=called(str(row["player"])), **style)
    axes.set_xscale("log")
    low, high = (_UNITS[what] * float(end) for end in (told[what].min(), told[what].max()))
    axes.set_xlim(0.7 * low, 1.4 * high)
    axes.set_xlabel(_AXES[what])
    axes.set_ylabel("moves that keep the value (%)")
    alone = "; level lines: players without simulations" if len(level) else ""
    caption(axes, f"{number(int(summary['positions'].iloc[0]))} positions; bars: 95 % intervals{alone}")
    plain(axes)
    ticks(axes.xaxis, low, high)


def without_budget(name: str) -> str:
    """Return a player's name without its simulations and seconds, which players on one line may differ in.

    Examples
    --------
    >>> without_budget("uct(simulations=1000, c=0.5)"), without_budget("uct(seconds=0.01)")
    ('uct(c=0.5)', 'uct')
    """
    return re.sub(_BUDGET, "", name).replace("()", "").strip()
