"""The figure of the distribution of the final regret over the replications, of one policy or of several."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bandits.differences import final_regret
from numerics.output.captions import called_all, caption
from numerics.output.style import PALETTE, SMALL, WIDE, files, number, page, plain, replications

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

_FEWEST = 5  # replications that have a distribution to show
_BOXES = 40  # and that have letter-value boxes; fewer are points


def draw(stem: Path, pulls: pd.DataFrame, title: str, policies: Sequence[str] | None = None) -> list[Path]:
    """Draw the figure at a place, unless the replications are too few; return its files."""
    shown = pulls if policies is None else pulls[pulls["policy"].isin(policies)]
    finals = final_regret(shown)
    if len(finals) < _FEWEST:
        return []
    count = finals.shape[1]
    with page(stem, (7.6, 3.6 if count == 1 else 1.9 + 0.34 * count)) as figure:
        (draw_share if count == 1 else draw_boxes)(figure.subplots(), finals, title=title)
    return files(stem)


def draw_share(axes: Axes, finals: pd.DataFrame, *, title: str = "") -> None:
    """Draw the share of replications that end with at most a given regret, for one policy.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        Where to draw.
    finals : pandas.DataFrame
        The final pseudo-regret of every replication (rows), as `bandits.differences.final_regret` returns it.
    title : str, optional
        What was played, above the caption.
    """
    regrets = finals.iloc[:, 0].to_numpy(np.float64)
    axes.ecdf(regrets, color=PALETTE[0], linewidth=1.6)
    for value, name, dashes in ((regrets.mean(), "mean", "-"), (float(np.median(regrets)), "median", (0, (2, 1)))):
        axes.axvline(value, color="0.35", linewidth=1.0, linestyle=dashes, label=f"{name}: {number(value, 3)}")
    if regrets.min() > 0.0 and regrets.max() > WIDE * regrets.min() and np.median(regrets) * WIDE < regrets.max():
        axes.set_xscale("log")
    axes.set_ylim(0.0, 1.0)
    axes.set_xlabel("final pseudo-regret $L_T$" + " (log scale)" * (axes.get_xscale() == "log"))
    axes.set_ylabel("share of replications up to it")
    caption(axes, f"{replications(regrets.size)}".removesuffix(", "), {}, title=title)
    plain(axes)
    axes.yaxis.set_major_formatter(lambda share, _: f"{100.0 * share:g} %")


def draw_boxes(axes: Axes, finals: pd.DataFrame, *, title: str = "") -> None:
    """Draw the distributions of the final pseudo-regret of several policies, the lowest mean on top.

    Parameters
    ----------
    axes, title
        As for `draw_share`.
    finals : pandas.DataFrame
        As for `draw_share`, a column a policy.
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
        key = "line: median; widest box: the middle half; each further pair: half of what is left; dots: the rest"
    else:
        seaborn.stripplot(shown, orient="h", color="#5a9bc9", size=4.0, alpha=0.6, jitter=0.18, ax=axes)
        key = "a dot a replication"
    axes.plot(order, range(len(names)), "D", color=PALETTE[3], markeredgecolor="white", markersize=5.5, zorder=9)
    medians = finals.median()
    if medians.min() > 0.0 and medians.max() >= WIDE * medians.min():
        axes.set_xscale("log")
    elif finals.min().min() >= 0.0:
        axes.set_xlim(left=0.0)
    axes.set_xlabel("final pseudo-regret $L_T$" + " (log scale)" * (axes.get_xscale() == "log"))
    axes.set_ylabel("")
    axes.tick_params(axis="y", length=0.0)
    caption(axes, f"{replications(len(finals)).replace(', ', '; ')}diamond: mean; {key}", title=title)
    plain(axes, "x")
    axes.tick_params(axis="y", labelsize=SMALL)
