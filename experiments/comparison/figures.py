"""The figures of a comparison: those of regret, the distributions of the final regret, and its paired differences."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from bandits.differences import final_regret
from experiments.regret import figures
from numerics.output import tables
from numerics.output.style import (
    LETTER,
    PALETTE,
    SMALL,
    WIDE,
    called_all,
    files,
    heading,
    number,
    page,
    plain,
    replications,
)

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

_FEWEST = 5  # replications that have a distribution to show
_ROOMY = 16  # rows of differences that stand well apart; more stand closer
_AHEAD = 4.0  # differences this many times as large as all others leave the view

Floats = npt.NDArray[np.float64]


def draw(folder: Path, facts: Mapping[str, Any], **options: Any) -> list[Path]:
    """Draw the figures of regret, and all others unless options choose some; see experiments.regret.figures."""
    drawn = figures.draw(folder, facts, **options)
    if options or not (folder / "differences.csv").exists():  # there is none of a single policy
        return drawn
    pulls = tables.read(folder / "pulls.parquet")
    if int(pulls["run"].nunique()) >= _FEWEST:
        place = folder / "figures" / "final_regret"
        with page(place, (7.6, 1.7 + 0.34 * int(pulls["policy"].nunique()))) as figure:
            draw_final_regret(figure.subplots(), pulls)
        drawn += files(place)
    differences, place = tables.read(folder / "differences.csv"), folder / "figures" / "differences"
    with page(place, differences_size(differences)) as figure:
        draw_differences(figure.subplots(), differences)
    return drawn + files(place)


def draw_final_regret(axes: Axes, pulls: pd.DataFrame) -> None:
    """Draw how the final pseudo-regret of each policy is distributed over the replications, as boxes.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        Where to draw.
    pulls : pandas.DataFrame
        One row a policy, replication and arm: policy, run, mean, pulls.
    """
    import seaborn

    finals = final_regret(pulls)
    names = called_all(finals.columns.astype(str))
    seaborn.boxenplot(
        finals.rename(columns=names), orient="h", color="#7fb2d6", width=0.66, linewidth=0.6,
        flier_kws={"marker": ".", "s": 9.0, "color": "0.45"}, ax=axes,
    )  # fmt: skip
    axes.plot(
        finals.mean(), range(len(names)), "D", color=PALETTE[3], markeredgecolor="white", markersize=5.5, zorder=9
    )
    medians = finals.median()
    if medians.min() > 0.0 and medians.max() >= WIDE * medians.min():
        axes.set_xscale("log")
    axes.set_xlabel("final pseudo-regret (rewards lost)")
    axes.set_ylabel("")
    said = replications(len(finals)).replace(", ", "; ")
    heading(
        axes.figure,
        f"{said}widest box: the middle half, with the median; each further pair of boxes: half of what is left on "
        "either side; dots: the rest; diamond: mean",
    )
    plain(axes, "x")


def differences_size(table: pd.DataFrame) -> tuple[float, float]:
    """Return width and height in inches that paired differences need: long labels leave the axes their room."""
    longest = max((len(label) for label in _pairs(table)), default=0)
    rows = len(table)
    height = 0.34 * min(rows, _ROOMY) + 0.17 * max(rows - _ROOMY, 0)
    return max(8.0, 6.0 + longest * LETTER * SMALL * 1.2 / 72.0), 1.6 + height


def draw_differences(axes: Axes, table: pd.DataFrame) -> None:
    """Draw paired differences of final regret, sorted, each with its 95 % interval and its numbers.

    Differences many times as large as all others, up to half of them, leave the view, so that the others keep their
    scale: a triangle at the edge stands for them, and their numbers beside it.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        Where to draw, the only axes of a figure of `differences_size`; the caption goes above the whole figure.
    table : pandas.DataFrame
        One row a pair: policy_a, policy_b, difference_mean, ci_low, ci_high, p_adjusted; the last three may be NaN.
    """
    rows = table.sort_values("difference_mean", kind="stable").reset_index(drop=True)
    mean, low, high, p = (
        rows[name].to_numpy(np.float64) for name in ("difference_mean", "ci_low", "ci_high", "p_adjusted")
    )
    y = np.arange(len(rows))
    far = _far(mean, low, high)
    axes.axvline(0.0, color="0.2", linewidth=1.0)
    axes.hlines(y, low, high, color=PALETTE[0], linewidth=1.8)
    sure = p < 0.05
    for kept, face in ((sure, PALETTE[0]), (~sure, "white")):
        axes.plot(mean[kept], y[kept], "o", color=PALETTE[0], markerfacecolor=face, markersize=5.5, zorder=3)
        for sign, edge, marker in ((1.0, 1.0, ">"), (-1.0, 0.0, "<")):
            gone = y[kept & far & (np.sign(mean) == sign)]
            if gone.size:  # a layout leaves room for nothing, too
                axes.plot(
                    np.full(gone.size, edge), gone, marker, color=PALETTE[0], markerfacecolor=face, markersize=5.5,
                    transform=axes.get_yaxis_transform(), clip_on=False, zorder=3,
                )  # fmt: skip
    if far.any():
        ends = np.append(np.nan_to_num(np.concatenate([mean[~far], low[~far], high[~far]])), 0.0)
        pad = 0.06 * float(np.ptp(ends))
        axes.set_xlim(ends.min() - pad, ends.max() + pad)
    for place in y:
        interval = f" [{number(low[place], 3)}, {number(high[place], 3)}]" if np.isfinite(low[place]) else ""
        text = number(mean[place], 3) + interval + _p_value(p[place])
        axes.text(1.02, float(place), text, transform=axes.get_yaxis_transform(), va="center", fontsize=SMALL)
    axes.set_yticks(y, _pairs(rows))
    axes.set_ylim(max(len(rows), 1) - 0.4, -0.6)
    axes.set_xlabel("difference of final pseudo-regret (rewards lost)")
    runs = int(rows["runs"].max()) if "runs" in rows and len(rows) else None
    said = (
        f"{replications(runs).replace(', ', '; ')}left of 0 the first policy loses less; 95 % intervals; p adjusted "
        "for the number of pairs (Benjamini and Hochberg), intervals not; filled: p < 0.05"
    )
    if not np.isfinite(p).any():
        said = "Differences of one replication: they allow no statement on the mean"
    elif far.any():
        said += "; triangle: lies outside the view"
    heading(axes.figure, said[0].upper() + said[1:])
    plain(axes, "x")
    if len(rows) > _ROOMY:  # the eye is led from a name to its numbers
        axes.grid(True, axis="y", color="0.93", linewidth=0.6)


def _far(mean: Floats, low: Floats, high: Floats) -> npt.NDArray[np.bool_]:
    """Say which differences leave the view: those many times as far from 0 as all others, at most half of them."""
    reach = np.fmax(np.abs(mean), np.fmax(np.abs(low), np.abs(high)))
    order = np.argsort(-np.abs(mean), kind="stable")
    for count in range(mean.size // 2, 0, -1):
        if abs(mean[order[count - 1]]) > _AHEAD * reach[order[count:]].max() > 0.0:
            return np.isin(np.arange(mean.size), order[:count])
    return np.zeros(mean.size, dtype=np.bool_)


def _pairs(table: pd.DataFrame) -> list[str]:
    names = called_all([*table["policy_a"].astype(str), *table["policy_b"].astype(str)])
    return [f"{names[str(a)]} − {names[str(b)]}" for a, b in zip(table["policy_a"], table["policy_b"], strict=True)]


def _p_value(p: float) -> str:
    return "" if np.isnan(p) else "   p < 0.001" if p < 0.001 else f"   p = {p:.3f}"
