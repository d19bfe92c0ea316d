"""The figure of the leaderboard: regret over the best policy's, a row a policy and a column a problem."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from experiments.kinds.leaderboard.tables import EXACT, PROBLEMS
from numerics.output.figures import Caption, Facts, Figure
from numerics.output.style import SMALL

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

_MOST = 10.0  # a ratio at which the colours end


def draw_map(board: pd.DataFrame, problems: pd.DataFrame, axes: Axes, facts: Facts) -> Caption:
    """Draw the ratios as a map, the best policy on top; a cell is empty where a policy cannot play.

    Parameters
    ----------
    board, problems : pandas.DataFrame
        leaderboard.csv, which gives the order, and problems.csv.
    axes : matplotlib.axes.Axes
        Where to draw.
    facts : mapping
        "runs" are the replications of most problems.
    """
    import seaborn
    from matplotlib.colors import LogNorm

    wide = problems.pivot_table(index="policy", columns="problem", values="ratio", sort=False)
    order = [*board["policy"], *sorted({*wide.index} - {*board["policy"]})]
    columns = [name for name in (EXACT, *(problem.name for problem in PROBLEMS)) if name in wide.columns]
    ratios = wide.reindex(index=order, columns=columns).to_numpy(np.float64)
    scores = board.set_index("policy")["score"].reindex(order).to_numpy(np.float64)
    cells = np.column_stack([scores, ratios])
    texts = np.array([["" if np.isnan(cell) else _text(cell) for cell in row] for row in cells], dtype=object)
    seaborn.heatmap(
        np.clip(cells, 1.0, _MOST),
        mask=np.isnan(cells),
        norm=LogNorm(1.0, _MOST),
        cmap="Blues",
        annot=texts,
        fmt="",
        annot_kws={"fontsize": SMALL - 0.5},
        linewidths=1.0,
        cbar=False,
        ax=axes,
        xticklabels=["score", *columns],
        yticklabels=order,
    )
    axes.axvline(1.0, color="white", linewidth=6.0)
    axes.tick_params(length=0.0, labelsize=SMALL)
    axes.tick_params(axis="y", rotation=0.0)
    axes.tick_params(axis="x", rotation=30.0)
    for text in axes.get_xticklabels():
        text.set_horizontalalignment("right")
    axes.set_xlabel("")
    axes.set_ylabel("")
    return Caption(
        f"{int(facts['runs']):,} replications of most problems, the same random numbers for all; 1: the least regret "
        "there; score: geometric mean of what is simulated with rewards in [0,\u00a01]; empty: not played or "
        "not computed",
        "Regret over the best policy’s",
    )


def _text(ratio: float) -> str:
    return f"{ratio:.2f}" if ratio < 10.0 else f"{ratio:.0f}"


FIGURES = (
    Figure(
        "leaderboard",
        ("leaderboard.csv", "problems.csv"),
        draw_map,
        size=lambda board, problems, facts: (10.4, 1.9 + 0.3 * problems["policy"].nunique()),
    ),
)
