"""The figure of pull counts: how often each policy pulled each arm, as boxes, or of many as a map of shares."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bandits.tables import places_of, policies_of
from numerics.output.captions import called_all, caption, fill, width
from numerics.output.style import DIGIT, MARKERS, SMALL, WIDE, line_colour, plain, replications, ticks
from numerics.statistics.means import PLACED, quantiles_to_come

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

_WIDEST = 11.0  # inches that a figure has at most
_MOST_BOXES = 4  # policies beside each other over ten arms
_VECTORS = 5_000  # cells that an SVG holds as such

Floats = npt.NDArray[np.float64]


def draw_pulls(
    axes: Axes,
    pulls: pd.DataFrame,
    names: Sequence[str] | None = None,
    *,
    policies: Sequence[str] | None = None,
    estimated: bool = False,
    title: str = "",
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
    title : str, optional
        What was played, above the caption.
    """
    counts = _read(pulls, policies_of(pulls, policies))
    count, arms = len(counts.quantiles), counts.means.size
    looks = places_of(pulls)
    for place, policy in enumerate(counts.quantiles):
        _draw_boxes(axes, counts, policy, looks[policy], 0.8 / count, 0.8 * (place - (count - 1) / 2) / count)
    if count > 1:
        for edge in range(arms - 1):
            axes.axvline(edge + 0.5, color="0.9", linewidth=0.6, zorder=0.5)
    axes.set_ylabel("pulls of the arm, $N_T(a)$" + _scale(axes, counts))
    axes.set_xlim(-0.6, arms - 0.4)
    _label_arms(axes, counts, names, estimated)
    caption(axes, _told(counts), title=title, legend=count > 1)
    plain(axes, "y")


def draw_pulls_map(
    axes: Axes,
    pulls: pd.DataFrame,
    names: Sequence[str] | None = None,
    *,
    policies: Sequence[str] | None = None,
    estimated: bool = False,
    title: str = "",
) -> None:
    """Draw the mean share of pulls of every policy (rows) and arm (columns, the best first) as a map.

    For arms and policies too many to stand side by side; see `pulls_crowded`.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        Where to draw; `pulls_size` is a good size of its figure.
    pulls, names, policies, estimated, title
        As for `draw_pulls`.
    """
    import seaborn
    from matplotlib.colors import LogNorm

    counts = _read(pulls, policies_of(pulls, policies))
    order = np.argsort(-counts.means, kind="stable")
    if names is not None and not counts.ranked:
        names = [names[arm] for arm in order]
    elif not counts.ranked:
        names = [str(arm) for arm in order]
    shares = np.array([own[order] for own in counts.averages.values()]) / counts.horizon
    low = max(float(shares[shares > 0.0].min()), 1e-5)
    slot = width(axes) / order.size
    told = slot > 4.0 * DIGIT * SMALL  # as wide as "0.1 %"
    seaborn.heatmap(
        np.maximum(shares, low),
        norm=LogNorm(low, 1.0),
        cmap="Blues",
        linewidths=0.6 if slot > 8.0 else 0.0,
        annot=np.array([[_percent(one) for one in row] for row in shares]) if told else None,
        fmt="",
        ax=axes,
        annot_kws={"fontsize": SMALL - 1.0},
        cbar_kws={"label": "share of pulls", "pad": 0.02, "fraction": 0.06},
        rasterized=shares.size > _VECTORS,
    )
    bar = axes.collections[0].colorbar
    assert bar is not None
    bar.ax.yaxis.set_major_formatter(lambda value, _: f"{100.0 * value:g} %")
    bar.ax.minorticks_off()
    bar.ax.tick_params(labelsize=SMALL)
    bar.ax.yaxis.label.set_fontsize(SMALL)
    _label_arms(axes, counts._replace(means=counts.means[order]), names, estimated, shift=0.5)
    labels = called_all(counts.quantiles, 28)
    axes.set_yticks(np.arange(len(labels)) + 0.5, list(labels.values()), fontsize=SMALL, rotation=0.0)
    axes.tick_params(length=0.0)
    caption(axes, f"{replications(counts.runs)}horizon {counts.horizon:,}; mean share of pulls", title=title)


def pulls_crowded(arms: int, policies: int) -> bool:
    """Say whether so many policies do not stand well beside each other over so many arms."""
    return policies > 1 and (policies > _MOST_BOXES or arms * policies > _MOST_BOXES * 10)


def pulls_size(arms: int, policies: int) -> tuple[float, float]:
    """Return the width and height in inches for `draw_pulls`, or for `draw_pulls_map` where that is crowded."""
    wide = min(_WIDEST, max(7.6, 2.0 + 0.16 * arms))
    return wide, 2.3 + 0.3 * policies if pulls_crowded(arms, policies) else 4.8


class _Counts(NamedTuple):
    """N_T(a) of every arm: of each policy its quantiles (5, 25, 50, 75, 95 %) and averages over the replications."""

    quantiles: dict[str, Floats]
    averages: dict[str, Floats]
    means: Floats  # of the arms; of the ranks, over all replications, where the means differ between these
    ranked: bool
    runs: int
    horizon: int


def _read(pulls: pd.DataFrame, policies: Sequence[str]) -> _Counts:
    """Return what is drawn of a table of pulls; where means differ between replications, arms are ranked in each."""
    matrices = {policy: _matrices(pulls[pulls["policy"] == policy]) for policy in policies}
    ranked = any(bool(np.ptp(means, axis=0).any()) for _, means in matrices.values())
    quantiles, averages, truths = {}, {}, []
    for policy, (counts, means) in matrices.items():
        if ranked:
            order = np.argsort(-means, axis=1, kind="stable")
            counts, means = np.take_along_axis(counts, order, axis=1), np.take_along_axis(means, order, axis=1)
        quantiles[policy] = quantiles_to_come(counts.astype(np.float64), (0.05, 0.25, 0.5, 0.75, 0.95))
        averages[policy] = counts.mean(axis=0)
        truths.append(means.mean(axis=0))
    first = matrices[policies[0]][0]
    return _Counts(quantiles, averages, np.mean(truths, axis=0), ranked, len(first), int(first[0].sum()))


def _draw_boxes(axes: Axes, counts: _Counts, policy: str, place: int, room: float, shift: float) -> None:
    """Draw a policy's counts, in `room` (of an arm's place), `shift` beside the middle of each arm's."""
    from matplotlib.collections import PolyCollection

    q05, q25, q50, q75, q95 = counts.quantiles[policy]
    arms, points = counts.means.size, room * width(axes) / counts.means.size
    x = np.arange(arms) + shift
    colour, half = line_colour(place), min(0.4 * room, 0.25)
    if counts.runs > 1:
        axes.vlines(x, q05, q95, color=colour, linewidth=min(1.2, 0.5 * points), zorder=2)
        left, right = x - half, x + half
        corners = np.stack([left, q25, right, q25, right, q75, left, q75], axis=1).reshape(arms, 4, 2)
        box = PolyCollection(list(corners), facecolor=colour, edgecolor=colour, alpha=0.45, linewidth=0.6, zorder=2.1)
        axes.add_collection(box)
        axes.hlines(counts.averages[policy], x - half, x + half, color="0.1", linewidth=1.2, zorder=2.9)
    style: dict[str, Any] = {"marker": MARKERS[place % len(MARKERS)], "color": colour, "markeredgecolor": "0.1"}
    size = min(5.5, max(1.5, 0.6 * points))
    axes.plot(
        x,
        q50,
        linestyle="",
        markersize=size,
        markeredgewidth=0.5,
        zorder=3,
        clip_on=False,
        label=called_all(counts.quantiles)[policy],
        **style,
    )


def _scale(axes: Axes, counts: _Counts) -> str:
    """Give the counts a logarithmic axis where they are far apart; return what to add to its name."""
    low = min(float(one.min()) for one in counts.quantiles.values())
    high = max(float(one.max()) for one in (*counts.quantiles.values(), *counts.averages.values()))
    if high > WIDE * max(low, 1.0) and low < 1.0:
        axes.set_yscale("symlog", linthresh=1.0, linscale=0.5)
        axes.set_ylim(-0.25, 1.6 * high)
        return "; logarithmic above 1"
    if high > WIDE * max(low, 1.0):
        axes.set_yscale("log")
        axes.set_ylim(low / 1.6, 1.6 * high)
        ticks(axes.yaxis, low / 1.6, 1.6 * high, enough=1e4)
        return ""
    axes.set_ylim(0.0, 1.08 * high)
    axes.locator_params(axis="y", integer=True)
    return ""


def _told(counts: _Counts) -> str:
    of_all = f" ({PLACED})" if counts.runs >= 19 else " (smallest to largest)"
    parts = f"; point: median, box: 25–75 %, whiskers: 5–95 %{of_all}, dash: mean" if counts.runs > 1 else ""
    return f"{replications(counts.runs)}horizon {counts.horizon:,}{parts}"


def _matrices(pulls: pd.DataFrame) -> tuple[npt.NDArray[np.int64], Floats]:
    """Return N_T(a) and the true means of one policy, both of shape (runs, arms)."""
    table, arms = pulls.sort_values(["run", "arm"]), pulls["arm"].nunique()
    return table["pulls"].to_numpy(np.int64).reshape(-1, arms), table["mean"].to_numpy(np.float64).reshape(-1, arms)


def _percent(share: float) -> str:
    """Write a share in per cent, with as many figures as a cell has room for."""
    per_cent = 100.0 * share
    return f"{per_cent:.0f}" if per_cent >= 9.95 else f"{per_cent:.1f}" if per_cent >= 0.1 else f"{per_cent:.1g}"


def _label_arms(
    axes: Axes, counts: _Counts, names: Sequence[str] | None, estimated: bool, *, shift: float = 0.0
) -> None:
    """Name the arms, with their means, as large as there is room for: on two lines, upright, or only some of them."""
    means, ranked, kind_of_mean = counts.means, counts.ranked, "estimated mean" if estimated else "true mean"
    names = [_ordinal(rank) for rank in range(means.size)] if ranked else list(names or map(str, range(means.size)))
    written = _decimals(means)
    slot = width(axes) / len(names)
    most = max(16, int(slot / (DIGIT * SMALL)) - 1)
    short = called_all(names, most)
    names = [short[name] for name in names]
    longest = max(map(len, [*names, *written]))
    every = 1
    kind = f"arms of each replication, ranked by {kind_of_mean}" if ranked else "arm"
    mean = f"average {kind_of_mean} of that rank" if ranked else kind_of_mean
    if (longest + 0.6) * DIGIT * 7.0 <= slot:
        size, rotation = min(SMALL, slot / ((longest + 0.6) * DIGIT)), 0
        labels = [f"{name}\n{value}" for name, value in zip(names, written, strict=True)]
        said = f"{kind} (below: {mean}{'' if ranked else '; bold: best'})"
    else:
        every = math.ceil(8.5 / slot)
        size, rotation = min(SMALL, max(5.0, slot * every / 1.7)), 90
        labels = [f"{name} ({value})" for name, value in zip(names, written, strict=True)]
        said = f"{kind} (in brackets: {mean}{'' if ranked else '; bold: best'})"
        said += f", every {_ordinal(every - 1)} named" if every > 1 else ""
    places = range(0, len(names), every)
    axes.set_xticks(
        [place + shift for place in places], [labels[place] for place in places], fontsize=size, rotation=rotation
    )
    axes.tick_params(axis="x", length=2.0)
    axes.set_xlabel(fill(said, width(axes), SMALL + 1.0))
    for place, text in zip(places, axes.get_xticklabels(), strict=True):
        if not ranked and means[place] == means.max():
            text.set_fontweight("bold")


def _decimals(values: Iterable[float]) -> list[str]:
    """Write numbers with 2 to 4 decimals, as few as keep different ones apart; huge or tiny ones with 3 figures."""
    exact = [float(value) for value in values]
    largest = max(map(abs, exact))
    if largest >= 1e6 or 0.0 < largest < 1e-3:
        return [f"{value:.3g}".replace("-", "−") for value in exact]
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
