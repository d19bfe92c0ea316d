"""The figure of simple regret against t: how good the arm is that each policy would recommend."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from bandits.figures.lines import (
    EVERYTHING,
    LONGEST,
    MOST_BANDS,
    Context,
    draw_last,
    draw_means,
    final_text,
    tables_of,
    terms_text,
)
from bandits.summaries import policies_of
from numerics.output.captions import Caption, called_all
from numerics.output.scales import Scale
from numerics.output.style import plus_minus
from numerics.statistics import bounded, means

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

MEAN, LOW, HIGH = "simple_regret_mean", "simple_regret_low", "simple_regret_high"
_ROOM = 1.5  # of the view below the smallest and above the largest mean, as a factor


def draw_simple_regret(axes: Axes, curves: pd.DataFrame, context: Context = EVERYTHING) -> None:
    """Draw mean simple regret against t, both on logarithmic axes, with its 95 % interval; some mean is above 0.

    The interval is a band for up to three policies, and else a whisker at the horizon. A line leaves the view where
    every replication would recommend a best arm. If it ends there, its name shows the upper end of the interval.
    """
    tables = tables_of(curves, context.policies)
    names, banded = called_all(tables, LONGEST), len(tables) <= MOST_BANDS
    means_of = np.concatenate([table[MEAN].to_numpy(np.float64) for table in tables.values()])
    bottom, top = float(means_of[means_of > 0.0].min()) / _ROOM, float(means_of.max()) * _ROOM
    labels = {}
    for policy, table in tables.items():
        mean, high = (float(table[name].iloc[-1]) for name in (MEAN, HIGH))
        zero = f"≤ {plus_minus(high, math.nan, math.nan)}"  # of a mean of 0 only the upper end says something
        labels[policy] = f"{names[policy]}: {zero if mean == 0.0 < high else final_text(table, 'simple_regret')}"
    shown = {  # intervals end at the edges of the view, below which means of 0 lie
        policy: table.assign(
            **{MEAN: table[MEAN].clip(lower=bottom / _ROOM)},
            **{LOW: table[LOW].clip(lower=bottom), HIGH: table[HIGH].clip(upper=top)},
        )
        for policy, table in tables.items()
    }
    scale = Scale("simple regret (log scale)", log=True, low=bottom, high=top)
    ends = draw_means(axes, curves, shown, "simple_regret", labels, scale, log=True, bands=banded)
    for policy, table in shown.items() if not banded else ():
        last = table.iloc[-1]
        if last[MEAN] >= bottom and math.isfinite(last[HIGH]):
            draw_last(axes, last["t"], last[LOW], last[HIGH], policies_of(curves).index(policy))
    text = f"{terms_text(tables, context.runs)}; gap of the recommended arm; numbers: mean at the horizon"
    if any(math.isfinite(float(table[HIGH].iloc[-1])) for table in tables.values()):
        text += f" with its 95 % interval ({means.METHOD}, or {bounded.METHOD} if wider)"
        text += f"; {'dark band' if banded else 'whiskers'}: 95 % interval of the mean"
    text += "; below the view: 0 (every replication recommends a best arm)" * bool((means_of == 0.0).any())
    Caption(text, context.title, ends=ends).write(axes)
