"""The figure of a comparison beside those of regret: all paired differences of final regret."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from bandits.figures.save import title_of
from experiments.replications import figures
from numerics.output.captions import Caption, called_all, width
from numerics.output.figures import Figure
from numerics.output.style import DIGIT, SMALL, number, replications

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

_FEWEST = 3  # policies whose differences make a map; of two there is one difference, which is printed
_SURE = 0.05


def size_of(differences: pd.DataFrame, facts: Mapping[str, Any]) -> tuple[float, float]:
    """Return the width and height in inches for `draw_differences`."""
    policies = _policies(differences)
    return min(11.0, max(7.6, 1.8 + 0.45 * policies)), min(11.0, 1.9 + 0.42 * policies)


def _policies(differences: pd.DataFrame) -> int:
    return len({*differences["policy_a"], *differences["policy_b"]})


def are_enough(differences: pd.DataFrame, facts: Mapping[str, Any]) -> bool:
    """Return whether there are policies enough for a map."""
    return _policies(differences) >= _FEWEST


def draw_differences(table: pd.DataFrame, axes: Axes, facts: Mapping[str, Any]) -> Caption:
    """Draw how much more each policy (row) loses than each better one (column), the best first, as a map.

    Each cell says the mean paired difference and half the width of its interval; one that cannot be told from 0 is
    white.

    Parameters
    ----------
    table : pandas.DataFrame
        One row a pair: policy_a, policy_b, runs, difference_mean, ci_low, ci_high, p_adjusted; the last three may be
        NaN.
    axes : matplotlib.axes.Axes
        Where to draw.
    facts : mapping
        What was `played`, for the title.
    """
    import seaborn
    from matplotlib.colors import PowerNorm

    a, b = table["policy_a"].astype(str), table["policy_b"].astype(str)
    policies = list(dict.fromkeys([*a, *b]))
    signed = _signed(table)
    total = {one: sum(signed[one, other][0] for other in policies if other != one) for one in policies}
    order = sorted(policies, key=lambda one: total[one])  # the differences of means: their sums are in the same order
    rows, columns = order[1:], order[:-1]
    means = np.full((len(rows), len(columns)), np.nan)
    sure, told = np.zeros(means.shape, dtype=np.bool_), np.full(means.shape, "", dtype=object)
    certain = False
    for i, row in enumerate(rows):
        for j, column in enumerate(columns[: i + 1]):
            means[i, j], half, p = signed[row, column]
            sure[i, j] = not p >= _SURE  # a single replication tests nothing
            certain |= bool(np.isfinite(half))
            told[i, j] = number(means[i, j], 3) + (f"\n± {number(half, 2)}" if np.isfinite(half) else "")
    top = float(np.nanmax(means)) or 1.0
    wide = width(axes) / len(columns) > 7.0 * DIGIT * SMALL
    names = called_all(order, 24)
    seaborn.heatmap(
        np.where(sure, means, 0.0),
        mask=np.isnan(means),
        norm=PowerNorm(0.5, 0.0, top),
        cmap="Blues",
        annot=told if wide else None,
        fmt="",
        annot_kws={"fontsize": SMALL - 0.5, "linespacing": 1.05},
        linewidths=1.0,
        cbar=not wide,
        cbar_kws={"label": "difference"},
        ax=axes,
        xticklabels=[names[one] for one in columns],
        yticklabels=[names[one] for one in rows],
    )
    axes.tick_params(length=0.0, labelsize=SMALL)
    axes.tick_params(axis="y", rotation=0.0)
    long = max(len(names[one]) for one in columns) * 0.9 * DIGIT * SMALL > width(axes) / len(columns)
    axes.tick_params(axis="x", rotation=30.0 if long else 0.0)
    for text in axes.get_xticklabels() if long else ():
        text.set_horizontalalignment("right")
    axes.set_xlabel("minus the final pseudo-regret of", fontsize=SMALL + 1.0)
    axes.set_ylabel("final pseudo-regret of", fontsize=SMALL + 1.0)
    said = (
        replications(int(table["runs"].max())).replace(", ", " on the same random numbers; ") if "runs" in table else ""
    )
    said += "mean of the paired differences"
    said += " ± half the 95 % interval; white: cannot be told from 0" if certain else "; one replication tests none"
    adjusted = f"; intervals and tests are adjusted for {len(table)} pairs" if certain else ""
    title = title_of("Differences of final regret", [], facts["played"])
    return Caption(said[0].upper() + said[1:] + adjusted, title)


def _signed(table: pd.DataFrame) -> dict[tuple[str, str], tuple[float, float, float]]:
    """Return the difference of each policy minus each other, half the width of its interval, and the adjusted p."""
    found: dict[tuple[str, str], tuple[float, float, float]] = {}
    names = ["policy_a", "policy_b", "difference_mean", "ci_low", "ci_high", "p_adjusted"]
    for a, b, mean, low, high, p in table[names].itertuples(index=False):
        found[str(a), str(b)], found[str(b), str(a)] = (
            (sign * float(mean), float(high - low) / 2.0, float(p)) for sign in (1.0, -1.0)
        )
    return found


FIGURES = (
    *figures.FIGURES,
    Figure("differences", "differences.csv", draw_differences, size=size_of, when=are_enough),
)
