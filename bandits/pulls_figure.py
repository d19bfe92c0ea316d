"""The figure of pull counts: how often each policy pulled each arm."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from bandits.drawing import (
    DIGIT,
    MARKERS,
    SMALL,
    WIDE,
    called,
    caption,
    fill,
    line_colour,
    plain,
    replications,
    ticks,
    width,
)
from bandits.tables import policies_of

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

Floats = npt.NDArray[np.float64]


def draw_pulls(
    axes: Axes,
    pulls: pd.DataFrame,
    names: Sequence[str] | None = None,
    *,
    policies: Sequence[str] | None = None,
    estimated: bool = False,
) -> None:
    """Draw N_T(a) of every arm: median, mean, the middle half and 5-95 % of the replications.

    Where the means differ between replications, the arms of each are ranked by their true means first.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        Where to draw.
    pulls : pandas.DataFrame
        Columns policy, run, arm, mean, pulls; see `bandits.tables.pulls`.
    names : sequence of str, optional
        What the arms are called; their numbers when left out.
    policies : sequence of str, optional
        As for `draw_regret`.
    estimated : bool, default False
        The means are estimates, such as those of a click log, and are called so.
    """
    from matplotlib.collections import PolyCollection

    chosen = policies_of(pulls, policies)
    counts, means = {}, {}
    for policy in chosen:
        counts[policy], means[policy] = _matrices(pulls[pulls["policy"] == policy])
    runs, arms = counts[chosen[0]].shape
    horizon = int(counts[chosen[0]][0].sum())
    ranked = any(bool(np.ptp(one, axis=0).any()) for one in means.values())
    if ranked:
        for policy in chosen:
            order = np.argsort(-means[policy], axis=1, kind="stable")
            counts[policy] = np.take_along_axis(counts[policy], order, axis=1)
            means[policy] = np.take_along_axis(means[policy], order, axis=1)
    quantiles = {policy: np.quantile(counts[policy], (0.05, 0.25, 0.5, 0.75, 0.95), axis=0) for policy in chosen}
    averages = {policy: counts[policy].mean(axis=0) for policy in chosen}
    low = min(float(one.min()) for one in quantiles.values())
    high = max(float(one.max()) for one in (*quantiles.values(), *averages.values()))

    room = 0.8 / len(chosen)  # for one policy, in arms
    points = room * width(axes) / arms
    for place, policy in enumerate(chosen):
        q05, q25, q50, q75, q95 = quantiles[policy]
        x = np.arange(arms) + room * (place - (len(chosen) - 1) / 2)
        colour, half = line_colour(place), min(0.4 * room, 0.25)
        if runs > 1:
            axes.vlines(x, q05, q95, color=colour, linewidth=min(1.2, 0.5 * points), zorder=2)
            left, right = x - half, x + half
            corners = np.stack([left, q25, right, q25, right, q75, left, q75], axis=1).reshape(arms, 4, 2)
            box = PolyCollection(
                list(corners), facecolor=colour, edgecolor=colour, alpha=0.45, linewidth=0.6, zorder=2.1
            )
            axes.add_collection(box)
            axes.hlines(averages[policy], x - half, x + half, color="0.1", linewidth=1.2, zorder=2.9)
        style: dict[str, Any] = {"marker": MARKERS[place % len(MARKERS)], "color": colour, "markeredgecolor": "0.1"}
        size = min(5.5, max(1.5, 0.6 * points))
        axes.plot(
            x, q50, linestyle="", markersize=size, markeredgewidth=0.5, zorder=3, clip_on=False, label=called(policy),
            **style,
        )  # fmt: skip
    if len(chosen) > 1:
        for edge in range(arms - 1):
            axes.axvline(edge + 0.5, color="0.9", linewidth=0.6, zorder=0.5)

    unit = "pulls of the arm, N_T(a)"
    if high > WIDE * max(low, 1.0) and low < 1.0:
        axes.set_yscale("symlog", linthresh=1.0, linscale=0.5)
        axes.set_ylim(-0.25, 1.6 * high)
        unit += "; logarithmic above 1"
    elif high > WIDE * max(low, 1.0):
        axes.set_yscale("log")
        axes.set_ylim(low / 1.6, 1.6 * high)
        ticks(axes.yaxis, low / 1.6, 1.6 * high)
    else:
        axes.set_ylim(0.0, 1.08 * high)
        axes.locator_params(axis="y", integer=True)
    axes.set_ylabel(unit)
    axes.set_xlim(-0.6, arms - 0.4)
    average = np.mean([one.mean(axis=0) for one in means.values()], axis=0)
    shown = [_ordinal(rank) for rank in range(arms)] if ranked else list(names or map(str, range(arms)))
    _label_arms(axes, shown, average, ranked, "estimated mean" if estimated else "true mean")
    parts = "; point: median, box: 25–75 %, whiskers: 5–95 %, dash: mean" if runs > 1 else ""
    caption(axes, f"{replications(runs)}horizon {horizon:,}{parts}")
    plain(axes, "y")


def _matrices(pulls: pd.DataFrame) -> tuple[npt.NDArray[np.int64], Floats]:
    """Return N_T(a) and the true means of one policy, both of shape (runs, arms)."""
    table, arms = pulls.sort_values(["run", "arm"]), pulls["arm"].nunique()
    return table["pulls"].to_numpy(np.int64).reshape(-1, arms), table["mean"].to_numpy(np.float64).reshape(-1, arms)


def _label_arms(axes: Axes, names: Sequence[str], means: Floats, ranked: bool, kind_of_mean: str) -> None:
    """Name the arms, with their means, as large as there is room for: on two lines, upright, or only some of them."""
    written = _decimals(means)
    slot = width(axes) / len(names)
    most = max(16, int(slot / (DIGIT * SMALL)) - 1)
    names = [called(name, most) for name in names]
    longest = max(map(len, [*names, *written]))
    every = 1
    kind = f"arms of each replication, ranked by {kind_of_mean}" if ranked else "arm"
    mean = f"average {kind_of_mean} of that rank" if ranked else kind_of_mean
    if (longest + 0.6) * DIGIT * 7.0 <= slot:
        size, rotation = min(SMALL, slot / ((longest + 0.6) * DIGIT)), 0
        labels = [f"{name}\n{value}" for name, value in zip(names, written, strict=True)]
        said = f"{kind} (below: {mean}{'' if ranked else '; bold: best'})"
    else:
        every = math.ceil(6.5 / slot)
        size, rotation = min(SMALL, max(5.0, slot * every / 1.3)), 90
        labels = [f"{name} ({value})" for name, value in zip(names, written, strict=True)]
        said = f"{kind} (in brackets: {mean}{'' if ranked else '; bold: best'})"
        said += f", every {_ordinal(every - 1)} named" if every > 1 else ""
    places = range(0, len(names), every)
    axes.set_xticks(list(places), [labels[place] for place in places], fontsize=size, rotation=rotation)
    axes.tick_params(axis="x", length=2.0)
    axes.set_xlabel(fill(said, width(axes), SMALL + 1.0))
    for place, text in zip(places, axes.get_xticklabels(), strict=True):
        if not ranked and means[place] == means.max():
            text.set_fontweight("bold")


def _decimals(values: Iterable[float]) -> list[str]:
    """Write numbers with 2 to 4 decimals: as few as keep different ones apart."""
    exact = [float(value) for value in values]
    for digits in (2, 3, 4):
        written = [f"{value:.{digits}f}".replace("-", "−") for value in exact]
        if len(set(written)) == len(set(exact)):
            break
    return written


def _ordinal(rank: int) -> str:
    """Name a rank that counts from 0: best, 2nd, 3rd, 4th ..."""
    place = rank + 1
    ending = {1: "st", 2: "nd", 3: "rd"}.get(place % 10 if place % 100 not in (11, 12, 13) else 0, "th")
    return "best" if rank == 0 else f"{place}{ending}"
