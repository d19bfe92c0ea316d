"""The figure of simple regret against t: how good the arm is that each policy would recommend."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from bandits.figures.regret import LONGEST, MOST_BANDS, horizon_text
from bandits.tables import places_of, policies_of
from numerics.output.captions import called_all, caption
from numerics.output.line_ends import End, name_ends
from numerics.output.style import DARK, MARKERS, line_colour, line_style, plain, plus_minus, replications, ticks
from numerics.statistics import bounded, means

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

MEAN, LOW, HIGH = "simple_regret_mean", "simple_regret_low", "simple_regret_high"
_ROOM = 1.5  # of the view below the smallest and above the largest mean, as a factor


def is_known(curves: pd.DataFrame, policies: Sequence[str] | None = None) -> bool:
    """Return whether a logarithmic axis can show curves of simple regret.

    Runs of an earlier version have none. Of arms that change it is not shown: the arm of the highest mean of all pulls
    so far is not what a policy that forgets would recommend.
    """
    return (
        MEAN in curves
        and "fixed_regret_mean" not in curves
        and bool((curves.loc[curves["policy"].isin(policies_of(curves, policies)), MEAN] > 0.0).any())
    )


def draw_simple_regret(
    axes: Axes,
    curves: pd.DataFrame,
    *,
    policies: Sequence[str] | None = None,
    runs: int | None = None,
    title: str = "",
) -> None:
    """Draw mean simple regret against t, both on logarithmic axes, with its 95 % interval.

    The interval is a band for up to three policies, and else a whisker at the horizon. A line leaves the view where no
    replication would recommend a worse arm; if it ends so, the upper end of the interval stands at its name.

    Parameters
    ----------
    axes, policies, runs, title
        As for `bandits.figures.regret.draw_regret`.
    curves : pandas.DataFrame
        Columns as in `bandits.tables.CURVES`, one policy after another; some mean is above 0.
    """
    chosen = policies_of(curves, policies)
    tables = {policy: curves[curves["policy"] == policy].sort_values("t") for policy in chosen}
    names, looks = called_all(chosen, LONGEST), places_of(curves)
    shown = np.concatenate([table[MEAN].to_numpy(np.float64) for table in tables.values()])
    shown = shown[shown > 0.0]
    bottom, top = float(shown.min()) / _ROOM, float(shown.max()) * _ROOM
    below = bottom / _ROOM  # where lines of 0 are, out of sight
    horizon = max(int(table["t"].iloc[-1]) for table in tables.values())
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlim(*((1.0, horizon) if horizon > 1 else (0.5, 2.0)))
    axes.set_ylim(bottom, top)
    banded, gone, ends = len(chosen) <= MOST_BANDS, False, list[End]()
    for policy, table in tables.items():
        number = looks[policy]
        t, mean, low, high = (table[name].to_numpy(np.float64) for name in ("t", MEAN, LOW, HIGH))
        gone |= bool((mean == 0.0).any())
        low, drawn = np.maximum(low, bottom), np.maximum(mean, below)
        if banded and len(t) > 1:
            axes.fill_between(t, low, np.minimum(high, top), color=line_colour(number), alpha=DARK, linewidth=0)
        elif not banded and mean[-1] > 0.0 and math.isfinite(high[-1]):
            look: dict[str, Any] = {"color": line_colour(number), "linewidth": 1.3, "clip_on": False, "zorder": 3.5}
            axes.plot([t[-1]] * 2, [low[-1], min(high[-1], top)], marker="_", markersize=6.0, **look)
        style = line_style(number) if len(chosen) > 1 else {"color": line_colour(number)}
        if len(t) < 5:
            style |= {"marker": MARKERS[number % len(MARKERS)]}
        label = f"{names[policy]}: {_final(mean[-1], table[LOW].iloc[-1], high[-1])}"
        ends.append(End(label, float(drawn[-1]), style, joined=int(t[-1]) == horizon))
        if len(t) >= 5 and len(chosen) > 1:
            style = style | {"markevery": (0.02 + 0.03 * (number % 5), 0.15)}
        axes.plot(t, drawn, label=label, linewidth=1.6, markersize=5, zorder=3 + 0.01 * number, **style)
    axes.set_xlabel("$t$ (pulls, log scale)")
    axes.set_ylabel("simple regret (log scale)")
    plain(axes)
    ticks(axes.xaxis, 1.0, horizon)
    ticks(axes.yaxis, bottom, top)
    text = f"{replications(runs)}{horizon_text(tables)}; gap of the arm that would be recommended"
    text += "; numbers: mean at the horizon"
    if any(math.isfinite(float(table[HIGH].iloc[-1])) for table in tables.values()):
        text += f" with its 95 % interval ({means.METHOD}, or {bounded.METHOD}, if wider)"
        text += f"; {'dark band' if banded else 'whiskers'}: 95 % interval of the mean"
    text += "; below the view: 0, no replication would recommend a worse arm" * gone
    beside = name_ends(axes, ends)
    caption(axes, text, None if beside else {}, title=title, legend=not beside)


def _final(mean: float, low: float, high: float) -> str:
    """Write a mean with its interval, of which nothing but the upper end says something of a mean of 0."""
    return f"≤ {plus_minus(high, math.nan, math.nan)}" if mean == 0.0 and high > 0.0 else plus_minus(mean, low, high)
