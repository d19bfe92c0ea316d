"""Figures of pull counts: how often each policy pulled each arm, as boxes, or for many policies as a heat map."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bandits.figures.lines import EVERYTHING, Context
from bandits.summaries import policies_of
from numerics.output.captions import called_all, caption, fill
from numerics.output.plots import heat_map
from numerics.output.scales import Scale, is_logarithmic, percent
from numerics.output.style import DIGIT, MARKERS, SMALL, line_colour, number, plain, replications, width
from numerics.statistics.means import quantiles_to_come

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

_WIDEST = 11.0  # inches, of a figure
_MOST_BOXES = 4  # policies side by side over ten arms

Floats = npt.NDArray[np.float64]


def draw_pulls(axes: Axes, pulls: pd.DataFrame, context: Context = EVERYTHING) -> None:
    """Draw N_T(a) for every arm: median, mean, the middle half and 5-95 % of the replications.

    If there are too many policies and arms for boxes, it is the map of `draw_pulls_map`. If the means differ between
    replications, the arms of each replication are ranked by their true means first. `pulls` is a table as of
    `bandits.summaries.pulls`.
    """
    if pulls_crowded(int(pulls["arm"].nunique()), len(policies_of(pulls, context.policies))):
        draw_pulls_map(axes, pulls, context)
        return
    counts = _read(pulls, policies_of(pulls, context.policies), context.estimated)
    count, arms = len(counts.quantiles), counts.means.size
    plain(axes, "y")
    low = min(float(quantiles.min()) for quantiles in counts.quantiles.values())
    high = max(float(values.max()) for values in (*counts.quantiles.values(), *counts.averages.values()))
    log = is_logarithmic([max(low, 1.0), high], measured=True)  # then a 0 stands a step below 1
    label = "pulls of the arm, $N_T(a)$" + "; logarithmic above 1" * (log and low < 1.0)
    ends = [0.0 if low < 1.0 else low, max(low, 1.0), high] if log else [high]
    Scale(label, log=log, low=None if log else 0.0, high=None if log else 1.08 * high, whole=True).set(axes.yaxis, ends)
    for index, policy in enumerate(counts.quantiles):
        look, shift = policies_of(pulls).index(policy), 0.8 * (index - (count - 1) / 2) / count
        _draw_boxes(axes, counts, policy, look, 0.8 / count, shift)
    if count > 1:
        for edge in range(arms - 1):
            axes.axvline(edge + 0.5, color="0.9", linewidth=0.6, zorder=0.5)
    axes.set_xlim(-0.6, arms - 0.4)
    _label_arms(axes, counts, context.names)
    whiskers = "5–95 %" if counts.runs >= 19 else "smallest to largest"
    shown = f"; point: median, dash: mean, box: 25–75 %, whiskers: {whiskers}" if counts.runs > 1 else ""
    text = f"{replications(counts.runs)}horizon {counts.horizon:,}{shown}"
    caption(axes, text, title=context.title, legend=count > 1)


def draw_pulls_map(axes: Axes, pulls: pd.DataFrame, context: Context = EVERYTHING) -> None:
    """Draw the mean share of pulls of every policy (rows) and arm (columns) as a map.

    For more arms and policies than boxes can show; see `pulls_crowded`, and `pulls_size` for the size of a figure.
    """
    import pandas as pd
    from matplotlib.colors import LogNorm

    counts = _read(pulls, policies_of(pulls, context.policies), context.estimated)
    shares = pd.DataFrame(counts.averages).T / counts.horizon
    shares.index = list(called_all(counts.quantiles, 28).values())
    low = max(float(np.nanmin(shares[shares > 0.0])), 1e-5)
    is_roomy = width(axes) / counts.means.size > 4.0 * DIGIT * SMALL  # as wide as "0.1 %"
    norm, texts = LogNorm(low, 1.0), shares.map(_percent) if is_roomy else None
    mesh = heat_map(
        axes,
        shares.clip(lower=low),
        texts,
        norm=norm,
        bar="mean share of pulls, $N_T(a)\\,/\\,T$ (log scale)",
        size=SMALL - 1.0,
    )
    mesh.colorbar.ax.yaxis.set_major_formatter(lambda value, _: percent(value))
    mesh.colorbar.ax.minorticks_off()
    _label_arms(axes, counts, context.names, shift=0.5)
    text = f"{replications(counts.runs)}horizon {counts.horizon:,}" + "; numbers: %" * is_roomy
    caption(axes, text, title=context.title)


def pulls_crowded(arms: int, policies: int) -> bool:
    """Return whether there are too many policies and arms to draw boxes side by side."""
    return policies > 1 and (policies > _MOST_BOXES or arms * policies > _MOST_BOXES * 10)


def pulls_size(arms: int, policies: int) -> tuple[float, float]:
    """Return the width and height in inches for `draw_pulls`, or for `draw_pulls_map` if that is crowded."""
    wide = min(_WIDEST, max(7.6, 2.0 + 0.16 * arms))
    return wide, 2.3 + 0.3 * policies if pulls_crowded(arms, policies) else 4.8


class _Counts(NamedTuple):
    """N_T(a) for every arm: quantiles (5, 25, 50, 75, 95 %) and averages of each policy over the replications."""

    quantiles: dict[str, Floats]
    averages: dict[str, Floats]
    means: Floats  # of the arms; if they differ between replications, of the ranks, averaged over replications
    ranked: bool
    runs: int
    horizon: int
    kind: str  # what the means are


def _read(pulls: pd.DataFrame, policies: Sequence[str], estimated: bool) -> _Counts:
    """Return the counts to draw from a table of pulls; if means differ between replications, rank the arms in each."""
    by_run = pulls.pivot(index=["policy", "run"], columns="arm", values=["pulls", "mean"])
    matrices = {policy: by_run.loc[policy] for policy in policies}
    ranked = any(bool(np.ptp(table["mean"].to_numpy(), axis=0).any()) for table in matrices.values())
    quantiles, averages, truths = {}, {}, []
    for policy, table in matrices.items():
        counts, means = table["pulls"].to_numpy(np.int64), table["mean"].to_numpy(np.float64)
        if ranked:
            order = np.argsort(-means, axis=1, kind="stable")
            counts, means = np.take_along_axis(counts, order, axis=1), np.take_along_axis(means, order, axis=1)
        quantiles[policy] = quantiles_to_come(counts.astype(np.float64), (0.05, 0.25, 0.5, 0.75, 0.95))
        averages[policy] = counts.mean(axis=0)
        truths.append(means.mean(axis=0))
    first = matrices[policies[0]]["pulls"]
    kind = "mean over time" if "regret" in pulls else "estimated mean" if estimated else "true mean"
    return _Counts(quantiles, averages, np.mean(truths, axis=0), ranked, len(first), int(first.iloc[0].sum()), kind)


def _draw_boxes(axes: Axes, counts: _Counts, policy: str, look: int, room: float, shift: float) -> None:
    """Draw a policy's counts as boxes `room` wide, `shift` from the middle of each arm; an arm is 1 wide."""
    from matplotlib.collections import PolyCollection

    q05, q25, q50, q75, q95 = counts.quantiles[policy]
    arms, points = counts.means.size, room * width(axes) / counts.means.size
    x = np.arange(arms) + shift
    colour, half = line_colour(look), min(0.4 * room, 0.25)
    if counts.runs > 1:
        axes.vlines(x, q05, q95, color=colour, linewidth=min(1.2, 0.5 * points), zorder=2)
        left, right = x - half, x + half
        corners = np.stack([left, q25, right, q25, right, q75, left, q75], axis=1).reshape(arms, 4, 2)
        box = PolyCollection(list(corners), facecolor=colour, edgecolor=colour, alpha=0.45, linewidth=0.6, zorder=2.1)
        axes.add_collection(box)
        axes.hlines(counts.averages[policy], x - half, x + half, color="0.1", linewidth=1.2, zorder=2.9)
    style: dict[str, Any] = {"marker": MARKERS[look % len(MARKERS)], "color": colour, "markeredgecolor": "0.1"}
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


def _percent(share: float) -> str:
    """Return a share in per cent, with as many digits as fit a cell."""
    per_cent = 100.0 * share
    return f"{per_cent:.0f}" if per_cent >= 9.95 else f"{per_cent:.1f}" if per_cent >= 0.1 else f"{per_cent:.1g}"


def _label_arms(axes: Axes, counts: _Counts, names: Sequence[str] | None, *, shift: float = 0.0) -> None:
    """Label the arms with names and means as large as fits: on two lines, rotated, or only some arms."""
    means, ranked, kind_of_mean = counts.means, counts.ranked, counts.kind
    names = [_ordinal(rank) for rank in range(means.size)] if ranked else list(names or map(str, range(means.size)))
    written = [number(mean, 4) for mean in means]
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
        label = f"{kind} (below: {mean}{'' if ranked else '; bold: best'})"
    else:
        every = math.ceil(8.5 / slot)
        size, rotation = min(SMALL, max(5.0, slot * every / 1.7)), 90
        labels = [f"{name} ({value})" for name, value in zip(names, written, strict=True)]
        label = f"{kind} (in brackets: {mean}{'' if ranked else '; bold: best'})"
        label += f", every {_ordinal(every - 1)} named" if every > 1 else ""
    labelled = range(0, len(names), every)
    axes.set_xticks(
        [arm + shift for arm in labelled], [labels[arm] for arm in labelled], fontsize=size, rotation=rotation
    )
    axes.tick_params(axis="x", length=2.0)
    axes.set_xlabel(fill(label, width(axes), SMALL + 1.0))
    for arm, text in zip(labelled, axes.get_xticklabels(), strict=True):
        if not ranked and means[arm] == means.max():
            text.set_fontweight("bold")


def _ordinal(rank: int) -> str:
    """Return the name of a rank counted from 0: best, 2nd, 3rd, 4th ..."""
    number = rank + 1
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10 if number % 100 not in (11, 12, 13) else 0, "th")
    return "best" if rank == 0 else f"{number}{ending}"
