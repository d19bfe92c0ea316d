"""Figures of best-arm identification: when replications stop, and where their pulls go."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from numerics.output.figures import Caption, Facts, Figure
from numerics.output.plots import STEPS, curves, ended_shares
from numerics.output.scales import Scale
from numerics.output.style import line_colour, plain

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

_HATCHES = ("", "///", "...", "xxx", "---")


def draw_pulls(stops: pd.DataFrame, axes: Axes, facts: Facts) -> Caption:
    """Draw for each policy the share of replications that have stopped, against pulls on a logarithmic axis."""
    ended = ended_shares(stops, "policy", "pulls")
    low = 0.8 * min(facts["bound"], ended["pulls"].min()) if facts["bound"] else None
    ends = curves(
        axes,
        ended,
        "pulls",
        "share",
        by="policy",
        x_scale=Scale("pulls", log=True, low=low),
        y_scale=Scale("share of replications that have stopped", log=False, low=0.0, high=1.02),
        look=STEPS,
    )
    text = f"{len(stops) // stops['policy'].nunique():,} replications a policy, stopped by {facts['stopping']}"
    if facts["bound"]:
        axes.axvline(facts["bound"], color="0.35", linewidth=1.0, linestyle="--")
        text += "; dashed: lower bound of the mean for any rule with this delta"
    return Caption(text, f"Pulls until sure: {facts['arms']['title']}", ends=ends)


def draw_shares(shares: pd.DataFrame, axes: Axes, facts: Facts) -> Caption:
    """Draw for each arm the share of pulls that each policy gives it, beside the shares of the bound."""
    labels, arms = list(dict.fromkeys(shares["policy"])), int(shares["arm"].max()) + 1
    width = 0.8 / len(labels)
    for index, label in enumerate(labels):
        of = shares[shares["policy"] == label]
        at = of["arm"].to_numpy(np.float64) - 0.4 + (index + 0.5) * width
        look: dict[str, Any] = {"edgecolor": "white", "linewidth": 0.0, "hatch": _HATCHES[index % len(_HATCHES)]}
        axes.bar(at, of["share"], 0.9 * width, color=line_colour(index), label=label, **look)
    caption = "Bars: mean shares of the pulls"
    if facts["bound"]:
        best = shares[shares["policy"] == labels[0]]
        for arm, weight in zip(best["arm"], best["optimal"], strict=True):
            axes.hlines(weight, arm - 0.45, arm + 0.45, color="black", linewidth=1.4)
        caption += "; black lines: optimal shares w*"
    axes.set_xticks(range(arms), facts["names"])
    axes.set_ylim(bottom=0.0)
    axes.set_xlabel("arm")
    axes.set_ylabel("share of pulls")
    plain(axes, grid="y")
    axes.legend(loc="best")
    return Caption(caption, f"Where the pulls go: {facts['arms']['title']}")


FIGURES = (
    Figure(
        "pulls",
        "stops.parquet",
        draw_pulls,
        size=(7.6, 4.6),
        when=lambda stops, facts: bool((stops["sure"] == 1).any()),
    ),
    Figure("shares", "shares.csv", draw_shares, size=(7.6, 4.2), when=lambda shares, facts: shares["arm"].max() < 20),
)
