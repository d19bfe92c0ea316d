"""Figures of arms that change: the share of pulls of the currently best arm, alarms, and the times of change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from bandits.figures.lines import (
    EVERYTHING,
    LONGEST,
    MOST_BANDS,
    Context,
    draw_means,
    final_text,
    tables_of,
    terms_text,
)
from bandits.summaries import ALARMS
from numerics.output.captions import Caption, called_all
from numerics.output.scales import Scale, percent
from numerics.statistics import means

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

BEST = "best_pulls_mean"
CHANGED = "vertical lines: means change"
_WINDOWS = 100  # a share is taken over at least this part of the horizon


def mark_changes(axes: Axes, moments: Sequence[int]) -> str:
    """Draw a thin line after the pulls at which means change; return what a caption says of them, empty without any."""
    for pulls in moments:
        axes.axvline(pulls + 0.5, color="0.6", linewidth=0.6, zorder=0.6)
    return f"; {CHANGED}" if moments else ""


def draw_best_share(axes: Axes, curves: pd.DataFrame, context: Context = EVERYTHING) -> None:
    """Draw the share of pulls of a currently best arm against t, window by window.

    A window ends at a checkpoint. It is at least a hundredth of the horizon wide, because the share of a few pulls
    jumps. No window extends over a change of the means, so a window between two changes may be narrower.
    """
    meaning = "pulls of a currently best arm, since the previous point; numbers: share of all pulls"
    chosen = curves[curves["t"].isin(windows(np.unique(curves["t"]), context.moments))]
    passed = chosen.groupby("policy", sort=False)[["t", BEST]].diff().fillna(chosen[["t", BEST]])
    tables = tables_of(chosen.assign(share_mean=passed[BEST] / passed["t"]), context.policies)
    finals = {name: f"{100.0 * table[BEST].iloc[-1] / table['t'].iloc[-1]:.0f} %" for name, table in tables.items()}
    scale = Scale("share of pulls", log=False, low=0.0, high=1.0, form=percent)
    ends = draw_means(axes, curves, tables, "share", _labels(finals), scale)
    text = f"{terms_text(tables, context.runs)}; {meaning}{mark_changes(axes, context.moments)}"
    Caption(text, context.title, ends=ends).write(axes)


def _labels(finals: Mapping[str, str]) -> dict[str, str]:
    names = called_all(finals, LONGEST)
    return {policy: f"{names[policy]}: {final}" for policy, final in finals.items()}


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


def draw_alarms(axes: Axes, curves: pd.DataFrame, context: Context = EVERYTHING) -> None:
    """Draw the mean number of alarms up to t against t, with its 95 % interval, for policies that look for changes."""
    tables = tables_of(curves, context.policies)
    tables = {policy: table for policy, table in tables.items() if table[ALARMS].notna().all()}
    banded = len(tables) <= MOST_BANDS
    labels = _labels({policy: final_text(table, "alarms") for policy, table in tables.items()})
    ends = draw_means(axes, curves, tables, "alarms", labels, Scale("alarms", log=False, low=0.0), bands=banded)
    meaning = "mean number of alarms up to t" + f"; band: its 95 % interval ({means.METHOD})" * banded
    text = f"{terms_text(tables, context.runs)}; {meaning}{mark_changes(axes, context.moments)}"
    Caption(text, context.title, ends=ends).write(axes)
