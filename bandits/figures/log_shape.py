"""Figures of the shape of a log: the share of each arm over time, and the histogram of propensities."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from numerics.output.captions import Caption, End, called_all
from numerics.output.scales import Scale, is_logarithmic, percent
from numerics.output.style import line_colour, plain

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

_OTHERS = "0.85"  # the grey of all other arms together
_DATES = (1e8, 1e10)  # seconds since 1970 that are taken for dates, from 1973 on; milliseconds are not
_DAYS = 2.0  # over which the axis shows dates, not times of a day
_LONGEST = 28  # letters of an arm's name beside its band


def draw_shares(shares: pd.DataFrame, axes: Axes, *, arms: int, timed: bool, rows_are: str = "rows") -> Caption:
    """Draw the share of each arm in every period, one on top of the other, the arm of most rows at the bottom.

    Parameters
    ----------
    shares : pandas.DataFrame
        Columns as of `bandits.logs.shape.shares_of`.
    axes : matplotlib.axes.Axes
    arms : int
        How many arms the log has; the last of fewer names stands for all others.
    timed : bool
        Whether periods are of time, not of rows.
    rows_are : str, default "rows"
        What rows are called.
    """
    table = shares.pivot(index="begin", columns="rank", values="share")
    counts = shares.groupby("rank")["rows"].sum().to_numpy(np.float64)
    whole = shares.drop_duplicates("rank").set_index("rank")["arm"]
    edges = np.append(table.index.to_numpy(np.float64), shares["end"].iloc[-1])
    places = places_of(edges, timed=timed)
    names, ends, base = called_all(whole, _LONGEST), list[End](), np.zeros(len(table))
    for rank, name in enumerate(whole):
        top = base + table[rank].to_numpy(np.float64)
        look: dict[str, Any] = {"color": _OTHERS if rank == len(whole) - 1 < arms - 1 else line_colour(rank)}
        axes.stairs(top, places, baseline=base, fill=True, linewidth=0.0, label=names[name], **look)
        whole_share = 100.0 * counts[rank] / counts.sum()
        named = f"{names[name]}: {whole_share:.{int(whole_share < 9.95)}f} %"
        ends.append(End(named, (base[-1] + top[-1]) / 2.0, look))
        base = top
    plain(axes)
    set_time(axes, edges, timed=timed, label="time, as in the log" if timed else f"{rows_are}, in order")
    Scale(f"share of {rows_are}", log=False, low=0.0, high=1.0, form=percent).set(axes.yaxis, [])
    text = f"Share of each arm in {len(table)} periods of equal length; numbers: its share of all {rows_are}"
    return Caption(text, "How often each arm was shown", ends=ends)


def places_of(times: Any, *, timed: bool) -> Any:
    """Return where times stand on an axis: as dates where they are seconds since 1970, else as they are."""
    import matplotlib.dates

    calendar: Any = matplotlib.dates
    numbers = np.asarray(times, np.float64)
    is_dated = timed and numbers.size > 0 and _DATES[0] <= numbers.min() and numbers.max() < _DATES[1]
    return calendar.date2num((1e6 * numbers).astype("datetime64[us]")) if is_dated else numbers


def set_time(axes: Axes, edges: Any, *, timed: bool, label: str) -> None:
    """Give an axis of time or rows its view, ticks and label; the label is for numbers that are no dates."""
    import matplotlib.dates

    calendar: Any = matplotlib.dates
    places = places_of(edges, timed=timed)
    axes.set_xlim(places[0], places[-1])
    is_dated = places[0] != edges[0]
    axes.set_xlabel(label)
    if is_dated:
        axes.set_xlabel("date (UTC)" if places[-1] - places[0] > _DAYS else "time (UTC)")
        where = calendar.AutoDateLocator(maxticks=8)
        axes.xaxis.set_major_locator(where)
        axes.xaxis.set_major_formatter(calendar.ConciseDateFormatter(where))


def draw_propensities(bins: pd.DataFrame, axes: Axes, *, arms: int) -> Caption:
    """Draw the histogram of propensities, that of the weights for uniform play, and a line at 1 / K.

    Parameters
    ----------
    bins : pandas.DataFrame
        Columns as of `bandits.logs.shape.propensities_of`.
    axes : matplotlib.axes.Axes
    arms : int
        K.
    """
    low, high, rows = (bins[name].to_numpy(np.float64) for name in ("low", "high", "rows"))
    edges = np.append(low, high[-1])
    look: dict[str, Any] = {"color": line_colour(1), "linewidth": 1.6}
    axes.stairs(rows / rows.sum(), edges, fill=True, color=line_colour(0), label="rows")
    axes.stairs(bins["weight"], edges, label="their weight in an estimate of uniform play", **look)
    axes.axvline(1.0 / arms, color="0.4", linestyle="--", linewidth=1.0)
    label = "propensity: the probability with which the row's arm was shown"
    is_wide = is_logarithmic([low[0], high[-1]], measured=True)
    plain(axes)
    Scale(label, log=is_wide, form=lambda value: np.format_float_positional(value, 6, trim="-")).set(axes.xaxis, edges)
    Scale("share", log=False, low=0.0, form=percent).set(axes.yaxis, rows / rows.sum(), bins["weight"], measured=True)
    text = f"Dashed: 1 / {arms}, uniform play. Rows with low propensities have large weights"
    return Caption(text, "Propensities of the rows")
