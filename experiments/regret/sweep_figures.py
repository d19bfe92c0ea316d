"""The figure of a sweep of one number: final regret against it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from numerics.output.style import (
    MARKERS,
    PALETTE,
    WIDE,
    apart,
    called_all,
    caption,
    half_width,
    line_style,
    number,
    plain,
    plus_minus,
    ticks,
    width,
    zero_apart,
)

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

_NOT_TUNED = ("horizon", "runs", "seed")


def draw_final(axes: Axes, table: pd.DataFrame, parameter: str) -> None:
    """Draw mean pseudo-regret at the horizon, with its 95 % confidence, against a parameter, and mark the lowest.

    Of the problem's sizes and the seed nobody looks for the best: there no value is marked.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        Where to draw.
    table : pandas.DataFrame
        One row a value: value, pseudo_regret_mean, pseudo_regret_se, pseudo_regret_q05 and pseudo_regret_q95; a column
        `policy` makes one line of each policy. The quantiles are drawn for a single line. Columns `runs` and `horizon`
        are told in the caption.
    parameter : str
        What the values are, such as "c (factor of the exploration term)".
    """
    from matplotlib.ticker import NullLocator

    groups = [(str(name), part) for name, part in table.groupby("policy", sort=False)] if "policy" in table else []
    groups = [(name, part.sort_values("value")) for name, part in groups or [("mean", table)]]
    many, labels, tuned = len(groups) > 1, called_all(name for name, _ in groups), parameter not in _NOT_TUNED
    bands: dict[str, Artist] = {}
    for place, (name, part) in enumerate(groups):
        x, mean, error, low, high = (
            part[column].to_numpy(np.float64)
            for column in ("value", *(f"pseudo_regret_{one}" for one in ("mean", "se", "q05", "q95")))
        )
        style = line_style(place) if many else {"color": PALETTE[0], "marker": MARKERS[0]}
        if not many and len(x) > 1 and bool(np.any(high > low)):
            shares = axes.fill_between(x, low, high, color=style["color"], alpha=0.16, linewidth=0)
            bands["5–95 % of replications"] = shares
        half = error * (np.array([half_width(int(n)) for n in part["runs"]]) if "runs" in part else half_width(None))
        axes.errorbar(x, mean, np.nan_to_num(half), fmt="none", ecolor=style["color"], capsize=3.0)
        best = int(np.argmin(mean))
        label = labels[name]
        if tuned:
            label += f"; lowest: {plus_minus(mean[best], half[best])} at {number(x[best], 4)}"
            axes.plot(x[best], mean[best], "o", color="0.1", markerfacecolor="none", markersize=11.0, zorder=4)
        axes.plot(x, mean, label=label, linewidth=1.4, markersize=5.0, zorder=3, **style)

    values, means = (table[column].to_numpy(np.float64) for column in ("value", "pseudo_regret_mean"))
    shown = np.unique(values)
    positive = shown[shown > 0.0]
    logarithmic = bool(shown[0] >= 0.0 and positive.size and positive[-1] > 10.0 * positive[0])
    if logarithmic:
        if shown[0] > 0.0:
            axes.set_xscale("log")
        else:
            zero_apart(axes, shown)
        axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xticks(apart(shown, logarithmic, width(axes)))
    drawn = means if many else np.concatenate([means, table["pseudo_regret_q95"].to_numpy(np.float64)])
    if means.min() > 0.0 and drawn.max() > WIDE * means.min():
        low, high = 0.5 * means.min(), 1.6 * drawn.max()
        axes.set_yscale("log")
        axes.set_ylim(low, high)
        ticks(axes.yaxis, low, high)
    else:
        axes.set_ylim(bottom=0.0)
    scales = {"log": " (log scale)", "symlog": " (log scale, 0 set apart)"}
    axes.set_xlabel(parameter + scales.get(axes.get_xscale(), ""))
    scale = ", log scale" if axes.get_yscale() == "log" else ""
    axes.set_ylabel(f"pseudo-regret at the horizon (rewards lost{scale})")
    certain = bool(np.isfinite(table["pseudo_regret_se"]).any())
    played = _played(table)
    bars = ", bars: its 95 % confidence" if certain else ""
    circle = "; circle: lowest mean" if tuned else ""
    caption(axes, f"{played}{'mean' if played else 'Mean'}{bars}{circle}", bands)
    plain(axes)
    axes.xaxis.set_major_formatter(lambda value, _: number(value, 4))


def _played(table: pd.DataFrame) -> str:
    """Say the replications and the horizon of a sweep, as far as its table holds them."""
    parts = []
    for column, name, unit in (("runs", "", " replications"), ("horizon", "horizon ", "")):
        if column in table:
            low, high = int(table[column].min()), int(table[column].max())
            unit = " replication" if unit and high == 1 else unit
            parts.append(f"{name}{number(low)}" + (f" to {number(high)}" if low < high else "") + unit)
    return ", ".join(parts) + "; " if parts else ""
