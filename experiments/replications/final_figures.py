"""The figure of how the final regret is distributed over the replications: of one policy, or of several."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from bandits.differences import final_regret
from bandits.figures.save import title_of
from bandits.tables import policies_of
from numerics.output.captions import Caption, called_all
from numerics.output.style import PALETTE, SMALL, WIDE, number, plain, replications

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

_FEWEST = 5  # replications that have a distribution to show
_BOXES = 40  # and that have letter-value boxes; fewer are points


def is_enough(pulls: pd.DataFrame, facts: Mapping[str, Any]) -> bool:
    """Return whether there are replications enough to have a distribution."""
    return len(_finals(pulls, facts)) >= _FEWEST


def size_of(pulls: pd.DataFrame, facts: Mapping[str, Any]) -> tuple[float, float]:
    """Return the width and height in inches for `draw`."""
    count = _finals(pulls, facts).shape[1]
    return 7.6, 3.6 if count == 1 else 1.9 + 0.34 * count


def draw(pulls: pd.DataFrame, axes: Axes, facts: Mapping[str, Any]) -> Caption:
    """Draw how the final regret of the policies in `facts`, or of all, is distributed."""
    finals = _finals(pulls, facts)
    title = title_of("Final regret", policies_of(pulls, facts["policies"]), facts["played"])
    return (draw_share if finals.shape[1] == 1 else draw_boxes)(finals, axes, title)


def _finals(pulls: pd.DataFrame, facts: Mapping[str, Any]) -> pd.DataFrame:
    return final_regret(pulls[pulls["policy"].isin(policies_of(pulls, facts["policies"]))])


def draw_share(finals: pd.DataFrame, axes: Axes, title: str = "") -> Caption:
    """Draw the share of replications that end with at most so much regret, of one policy.

    Parameters
    ----------
    finals : pandas.DataFrame
        The final pseudo-regret of every replication (rows), as `bandits.differences.final_regret` returns it.
    axes : matplotlib.axes.Axes
        Where to draw.
    title : str, optional
        What was played, above the caption.
    """
    own = finals.iloc[:, 0].to_numpy(np.float64)
    axes.ecdf(own, color=PALETTE[0], linewidth=1.6)
    for value, name, dashes in ((own.mean(), "mean", "-"), (float(np.median(own)), "median", (0, (2, 1)))):
        axes.axvline(value, color="0.35", linewidth=1.0, linestyle=dashes, label=f"{name}: {number(value, 3)}")
    if own.min() > 0.0 and own.max() > WIDE * own.min() and np.median(own) * WIDE < own.max():
        axes.set_xscale("log")
    axes.set_ylim(0.0, 1.0)
    axes.set_xlabel("final pseudo-regret $L_T$" + " (log scale)" * (axes.get_xscale() == "log"))
    axes.set_ylabel("share of replications up to it")
    plain(axes)
    axes.yaxis.set_major_formatter(lambda share, _: f"{100.0 * share:g} %")
    return Caption(f"{replications(own.size)}".removesuffix(", "), title, {})


def draw_boxes(finals: pd.DataFrame, axes: Axes, title: str = "") -> Caption:
    """Draw how the final pseudo-regret of several policies is distributed, the lowest mean on top.

    Parameters
    ----------
    finals : pandas.DataFrame
        As for `draw_share`, a column a policy.
    axes, title
        As for `draw_share`.
    """
    import seaborn

    order = finals.mean().sort_values(kind="stable")
    names = called_all(order.index.astype(str), 28)
    shown = finals[list(order.index)].rename(columns=names)
    if len(shown) >= _BOXES:
        seaborn.boxenplot(
            shown,
            orient="h",
            color="#8fbcdb",
            width=0.66,
            linewidth=0.5,
            line_kws={"linewidth": 1.4, "color": "0.1"},
            flier_kws={"marker": ".", "s": 9.0, "color": "0.45"},
            ax=axes,
        )
        said = "line: median; widest box: the middle half; each further pair: half of what is left; dots: the rest"
    else:
        rng = np.random.default_rng(0)  # seaborn's stripplot draws from NumPy's global state: each picture differs
        for place, name in enumerate(names.values()):
            height = place + rng.uniform(-0.18, 0.18, len(shown))
            axes.plot(shown[name], height, "o", color="#5a9bc9", markersize=4.0, alpha=0.6, markeredgewidth=0.0)
        axes.set_yticks(range(len(names)), list(names.values()))
        axes.set_ylim(len(names) - 0.5, -0.5)
        said = "a dot a replication"
    axes.plot(order, range(len(names)), "D", color=PALETTE[3], markeredgecolor="white", markersize=5.5, zorder=9)
    medians = finals.median()
    if medians.min() > 0.0 and medians.max() >= WIDE * medians.min():
        axes.set_xscale("log")
    elif finals.min().min() >= 0.0:
        axes.set_xlim(left=0.0)
    axes.set_xlabel("final pseudo-regret $L_T$" + " (log scale)" * (axes.get_xscale() == "log"))
    axes.set_ylabel("")
    axes.tick_params(axis="y", length=0.0)
    plain(axes, "x")
    axes.tick_params(axis="y", labelsize=SMALL)
    return Caption(f"{replications(len(finals)).replace(', ', '; ')}diamond: mean; {said}", title)
