"""Figures of arms that change: the share of pulls of the best arm of the moment, alarms, and the moments of change."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from bandits.tables import places_of, policies_of
from numerics.output.captions import called_all, caption
from numerics.output.line_ends import End, name_ends
from numerics.output.style import DARK, MARKERS, line_colour, line_style, plain, plus_minus, replications
from numerics.statistics import means

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

BEST, SHARE, ALARMS = "best_pulls_mean", "share", "alarms_mean"
CHANGED = "vertical lines: means change"
_LONGEST = 28  # letters of a policy's name beside its line
_BANDS = 3  # up to this many policies, bands stay readable
_WINDOWS = 100  # a share is taken over at least this part of the horizon


def mark_changes(axes: Axes, moments: Sequence[int]) -> str:
    """Draw a thin line after the pulls at which means change; return what a caption says of them, empty without any."""
    for pulls in moments:
        axes.axvline(pulls + 0.5, color="0.6", linewidth=0.6, zorder=0.6)
    return f"; {CHANGED}" if moments else ""


def draw_best_share(
    axes: Axes,
    curves: pd.DataFrame,
    *,
    policies: Sequence[str] | None = None,
    runs: int | None = None,
    title: str = "",
    moments: Sequence[int] = (),
) -> None:
    """Draw the share of pulls that are of a best arm of their moment, against t, over one window after another.

    A window ends at a checkpoint. It is at least a hundredth of the horizon wide, for the share of a few pulls jumps,
    unless means change at both of its ends: no window goes on over such a checkpoint.

    Parameters
    ----------
    axes, policies, runs, title
        As for `bandits.figures.regret.draw_regret`.
    curves : pandas.DataFrame
        Columns as in `bandits.tables.CURVES` and `OF_CHANGES`, one policy after another.
    moments : sequence of int, optional
        The pulls after which means change in all replications.
    """
    meaning = "pulls of a best arm of the moment, since the point before; numbers: the share of all pulls"
    chosen = curves[curves["t"].isin(windows(np.unique(curves["t"]), moments))]
    passed = chosen.groupby("policy", sort=False)[["t", BEST]].diff().fillna(chosen[["t", BEST]])
    _draw(axes, chosen.assign(**{SHARE: passed[BEST] / passed["t"]}), SHARE, meaning, policies, runs, title, moments)
    axes.set_ylim(0.0, 1.0)
    axes.yaxis.set_major_formatter(lambda share, _: f"{100.0 * share:g} %")
    axes.set_ylabel("share of pulls")


def windows(checkpoints: Any, moments: Sequence[int]) -> list[int]:
    """Return the checkpoints at which windows end that are wide enough; the last is the horizon.

    Examples
    --------
    >>> windows([1, 10, 12, 20, 30, 31, 500, 505, 1000], moments=[30, 500])
    [10, 20, 30, 500, 1000]
    """
    kept, horizon = [0], int(checkpoints[-1])
    stops, width = {0, *moments, horizon}, horizon / _WINDOWS
    for t in map(int, checkpoints):
        if t in stops and t - kept[-1] < width and kept[-1] not in stops:
            kept.pop()
        if t in stops or t - kept[-1] >= width:
            kept.append(t)
    return kept[1:]


def draw_alarms(
    axes: Axes,
    curves: pd.DataFrame,
    *,
    policies: Sequence[str] | None = None,
    runs: int | None = None,
    title: str = "",
    moments: Sequence[int] = (),
) -> None:
    """Draw the mean number of alarms up to t against t, with its 95 % interval, for policies that look for changes.

    Parameters
    ----------
    axes, policies, runs, title, moments
        As for `draw_best_share`.
    curves : pandas.DataFrame
        Columns as in `bandits.tables.CURVES` and `OF_CHANGES`.
    """
    count = len(policies_of(curves[curves[ALARMS].notna()], None))
    meaning = "mean number of alarms up to t"
    meaning += f"; band: its 95 % interval ({means.METHOD})" if count <= _BANDS else ""
    _draw(axes, curves, ALARMS, meaning, policies, runs, title, moments)
    axes.set_ylim(bottom=0.0)
    axes.set_ylabel("alarms")


def _draw(
    axes: Axes,
    curves: pd.DataFrame,
    name: str,
    meaning: str,
    policies: Sequence[str] | None,
    runs: int | None,
    title: str,
    moments: Sequence[int],
) -> None:
    """Draw a column of curves against t, a line for each policy that has it."""
    chosen = policies_of(curves, policies)
    tables = {policy: curves[curves["policy"] == policy].sort_values("t") for policy in chosen}
    tables = {policy: table for policy, table in tables.items() if table[name].notna().all()}
    names, looks, ends = called_all(tables, _LONGEST), places_of(curves), list[End]()
    horizon = max(int(table["t"].iloc[-1]) for table in tables.values())
    low, high = (f"{name.removesuffix('_mean')}_{end}" for end in ("low", "high"))
    for policy, table in tables.items():
        number, t, values = looks[policy], table["t"].to_numpy(np.float64), table[name].to_numpy(np.float64)
        look: dict[str, Any] = line_style(number) if len(chosen) > 1 else {"color": line_colour(number)}
        if len(t) < 5:
            look |= {"marker": MARKERS[number % len(MARKERS)]}
        interval = (math.nan, math.nan)
        if low in table:
            interval = (float(table[low].iloc[-1]), float(table[high].iloc[-1]))
            if len(tables) <= _BANDS and len(t) > 1:
                axes.fill_between(t, table[low], table[high], color=line_colour(number), alpha=DARK, linewidth=0)
        final = plus_minus(float(values[-1]), *interval)
        if name == SHARE:
            final = f"{100.0 * table[BEST].iloc[-1] / t[-1]:.0f} %"
        ends.append(End(f"{names[policy]}: {final}", float(values[-1]), look, joined=int(t[-1]) == horizon))
        if len(t) >= 5 and len(chosen) > 1:
            look = look | {"markevery": (0.02 + 0.03 * (number % 5), 0.15)}
        axes.plot(t, values, label=f"{names[policy]}: {final}", linewidth=1.4, markersize=5, zorder=3, **look)
    axes.set_xlim(0.0, horizon if horizon > 1 else 2.0)
    axes.set_xlabel("$t$ (pulls)")
    text = f"{replications(runs)}horizon {horizon:,}; {meaning}{mark_changes(axes, moments)}"
    beside = name_ends(axes, ends)
    caption(axes, text, None if beside else {}, title=title, legend=not beside)
    plain(axes)
