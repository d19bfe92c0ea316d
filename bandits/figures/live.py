"""Figures of a running agent: means over time, the propensities of its choices, and the ages of pending rewards."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bandits.figures.log_shape import places_of, set_time
from numerics.output.captions import Caption, End, called_all
from numerics.output.plots import curves
from numerics.output.scales import Scale, is_logarithmic, percent
from numerics.output.style import PALE, line_colour, line_style, plain

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

_LONGEST = 28  # letters of an arm's name beside its line
_SETTLED = 0.25  # of the time, after which the view holds all intervals
_ROOM = 0.04  # of the height of the view, above and below
_EVERY = 8  # markers of a line stand at every so many points
_WIDTH = 0.4  # of a bar
_NUMBER = "number of choices"


def draw_live_means(means: pd.DataFrame, axes: Axes, *, edges: Any, timed: bool, arms: int) -> Caption:
    """Draw the mean reward of each arm over time, with the interval that holds at all times.

    Parameters
    ----------
    means : pandas.DataFrame
        Columns as of `bandits.live.course.means_of`.
    axes : matplotlib.axes.Axes
    edges : array of float
        The first and the last time, or number of choices.
    timed : bool
        Whether `at` is a time.
    arms : int
        How many arms the agent has.
    """
    table = means.assign(place=places_of(means["at"], timed=timed))
    ranks = table.drop_duplicates("arm").set_index("arm")["rank"]
    has_intervals = bool(table["mean_low"].notna().any())
    curves_of = table if has_intervals else table.drop(columns=["mean_low", "mean_high"])
    looks = {arm: line_style(int(rank)) for arm, rank in ranks.items()}
    ends = curves(
        axes,
        curves_of,
        "place",
        "mean",
        by="arm",
        y_scale=Scale("mean reward", log=False),
        whiskers=has_intervals,
        looks=looks,
        every=_EVERY,
        names=called_all(ranks.index, _LONGEST),
    )
    plain(axes)
    _set_view(axes, table, float(edges[0]), float(edges[-1]))
    set_time(axes, edges, timed=timed, label="time" if timed else _NUMBER)
    text = (
        "Whiskers: 95 % confidence sequences (valid at all times), clipped at the edge of the view"
        if has_intervals
        else "No intervals, because rewards have no bounds"
    )
    shown = f"; the {len(ranks)} most chosen of {arms:,} arms" if len(ranks) < arms else ""
    return Caption(f"{text}{shown}", "Mean reward of each arm", ends=ends)


def _set_view(axes: Axes, table: pd.DataFrame, first: float, last: float) -> None:
    """Show all means, and the intervals as they are when some time has passed: the first ones are very wide."""
    late = table[table["at"] >= first + _SETTLED * (last - first)]
    final = table.groupby("arm", sort=False).tail(1)
    lows = [table["mean"].min(), late["mean_low"].min(), final["mean_low"].min()]
    highs = [late["mean"].max(), late["mean_high"].max(), final["mean"].max(), final["mean_high"].min()]
    low, high = float(np.nanmin(lows)), float(np.nanmax(highs))
    room = _ROOM * (high - low) or 0.5
    axes.set_ylim(low - room if low < 0.0 else max(0.0, low - room), high + room)


def draw_propensities_over_time(quantiles: pd.DataFrame, axes: Axes, *, arms: int, timed: bool) -> Caption:
    """Draw quantiles of the propensities of the chosen arms over time, and a line at 1 / K.

    Parameters
    ----------
    quantiles : pandas.DataFrame
        Columns as of `bandits.live.course.propensities_over_time`.
    axes : matplotlib.axes.Axes
    arms : int
        K.
    timed : bool
        Whether periods are of time.
    """
    edges = np.append(quantiles["begin"], quantiles["end"].iloc[-1])
    table = quantiles[quantiles["choices"] > 0]
    at = places_of((table["begin"] + table["end"]) / 2.0, timed=timed)
    blue, orange = line_colour(0), line_colour(1)
    axes.fill_between(at, table["low"], table["high"], color=blue, alpha=PALE, linewidth=0)
    median: dict[str, Any] = {"color": blue, "linewidth": 1.6, "marker": "o", "markersize": 3.5, "markevery": (0, 5)}
    least: dict[str, Any] = {"color": orange, "linewidth": 1.4, "linestyle": (0, (6, 1.5)), "marker": "v"}
    least |= {"markersize": 4.0, "markevery": (2, 5)}
    axes.plot(at, table["median"], **median)
    axes.plot(at, table["least"], **least)
    axes.axhline(1.0 / arms, color="0.4", linestyle="--", linewidth=1.0)
    plain(axes)
    is_wide = is_logarithmic([table["least"].min(), table["high"].max()], measured=True)
    form = _percent if is_wide else percent
    ends = [
        End("median", float(table["median"].iloc[-1]), median),
        End("lowest", float(table["least"].iloc[-1]), least),
    ]
    scale = Scale("propensity", log=is_wide, low=None if is_wide else 0.0, form=form)
    scale.set(axes.yaxis, table["least"], np.append(table["high"], 1.0 / arms), measured=True)
    set_time(axes, edges, timed=timed, label="time" if timed else _NUMBER)
    text = f"Band: 5–95 % of the choices in each period; dashed grey: 1 / {arms}, uniform play"
    return Caption(text, "Propensities of the chosen arms", ends=ends)


def draw_ages(ages: pd.DataFrame, axes: Axes) -> Caption:
    """Draw for each class of ages the share of the pending choices, beside the share of rewards that took as long.

    Parameters
    ----------
    ages : pandas.DataFrame
        Columns as of `bandits.live.course.ages_of`.
    axes : matplotlib.axes.Axes
    """
    used = np.flatnonzero((ages["pending"] + ages["rewards"]).to_numpy() > 0)
    table = ages.iloc[used.min() : used.max() + 1]
    at = np.arange(len(table), dtype=np.float64)
    looks: list[tuple[str, str, dict[str, Any]]] = [
        ("pending", "pending choices, by age", {"color": line_colour(0)}),
        (
            "rewards",
            "rewards, by delay",
            {"facecolor": "white", "edgecolor": line_colour(1), "hatch": "///"},
        ),
    ]
    highest, alone = 0.0, not table["rewards"].sum()
    for side, (name, words, look) in enumerate(looks):
        counts = table[name].to_numpy(np.float64)
        if not counts.sum():
            continue
        highest = max(highest, float(counts.max() / counts.sum()))
        place = at + (side - 0.5) * _WIDTH * (not alone)
        bars = axes.bar(place, counts / counts.sum(), _WIDTH, label=f"{words} ({counts.sum():,.0f})", **look)
        labels = [f"{count:,.0f}" if count else "" for count in counts]
        axes.bar_label(bars, labels, fontsize=8.0, padding=2.0)
    plain(axes, "y")
    Scale("age", names=table["age"].tolist()).set(axes.xaxis, at)
    axes.set_xlim(-0.6, len(table) - 0.4)
    Scale("share", log=False, low=0.0, high=1.12 * highest, form=percent).set(axes.yaxis, [])
    text = "Numbers: counts"
    if not alone:
        text += ". Choices older than nearly all delays will probably get no reward"
    return Caption(text, "How long rewards have been pending")


def _percent(share: float) -> str:
    """Return a share of any size in percent.

    Examples
    --------
    >>> _percent(0.5), _percent(0.001)
    ('50 %', '0.1 %')
    """
    return f"{100.0 * share:.6g} %"
