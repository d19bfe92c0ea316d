"""The figures of tuning: the score of every value with its interval, and the LLR of the confirmation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from experiments.games.sweep_settings import value_text
from experiments.kinds.tune.rewards import UNITS
from experiments.kinds.tune.sheets import PICKED
from experiments.sequential import figures
from numerics.output.captions import Caption, called
from numerics.output.figures import Facts, Figure
from numerics.output.style import PALETTE, apart, error_arms, number, plain

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

_DECADE = 10.0  # values that span it are drawn on a logarithmic axis


def draw_scores(table: pd.DataFrame, axes: Axes, facts: Facts) -> Caption:
    """Draw the score of every value with its interval, and mark the one that was picked."""
    from matplotlib.ticker import NullLocator

    key = str(table["parameter"].iloc[0])
    numeric = table["value"].dtype.kind in "if"
    x = table["value"].to_numpy(np.float64) if numeric else np.arange(len(table), dtype=np.float64)
    score, low, high = (100.0 * table[name].to_numpy(np.float64) for name in ("score", "score_low", "score_high"))
    picked = (table["standing"] == PICKED).to_numpy()
    for chosen, colour, label in ((~picked, PALETTE[0], None), (picked, PALETTE[1], "picked")):
        axes.errorbar(
            x[chosen],
            score[chosen],
            error_arms(score, low, high)[:, chosen],
            fmt="o",
            color=colour,
            markersize=5.5,
            capsize=2.5,
            linewidth=1.2,
            label=label,
        )
    top = float(score[picked][0])
    axes.axhspan(top - 100.0 * facts["epsilon"], top, color=PALETTE[1], alpha=0.15, linewidth=0.0)
    if numeric and x.min() > 0.0 and x.max() >= _DECADE * x.min():
        axes.set_xscale("log")
        ticks = apart(np.unique(x), True)
    else:
        ticks = apart(np.unique(x), False) if numeric else list(x)
    axes.set_xticks(ticks)
    axes.xaxis.set_minor_locator(NullLocator())
    names = [number(tick, 4) if numeric else called(str(table["value"].iloc[int(tick)])) for tick in ticks]
    axes.set_xticklabels(names)
    axes.set_xlabel(key)
    what = f"score against {facts['opponent']}" if facts["opponent"] else "share that keeps the value of a position"
    axes.set_ylabel("score (%)")
    drawn = number(int(table["rewards"].sum()))
    confidence = f"{100 * (1 - facts['delta']):g} %"
    text = (
        f"{drawn} {UNITS[facts['signal']]}: {what}; bars: intervals that all hold with {confidence} confidence; "
        f"band: epsilon = {100 * facts['epsilon']:g} % below the best"
    )
    text += "; decided by paired differences, which vary less" if facts["method"] == "paired_lucb" else ""
    row = table[table["standing"] == PICKED].iloc[0]
    title = f"{called(facts['given'])}: {key} = {called(value_text(row['value']))} of {len(table)} values"
    plain(axes)
    return Caption(text, title)


FIGURES = (Figure("tune", "tune.csv", draw_scores, size=(7.6, 4.6)), *figures.FIGURES)
