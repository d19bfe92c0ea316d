"""The figure of the leaderboard: regret over the best policy's, a row a policy and a column a problem."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from experiments.kinds.leaderboard.problems import EXACT, PROBLEMS
from numerics.output import tables
from numerics.output.captions import caption
from numerics.output.style import SMALL, files, page

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

_MOST = 10.0  # a ratio at which the colours end


def draw(folder: Path, facts: Mapping[str, Any]) -> list[Path]:
    """Draw the map of a run folder."""
    board, problems = tables.read(folder / "leaderboard.csv"), tables.read(folder / "problems.csv")
    stem = folder / "figures" / "leaderboard"
    policies = problems["policy"].nunique()
    with page(stem, (10.4, 1.9 + 0.3 * policies)) as figure:
        draw_map(figure.subplots(), board, problems, int(facts["runs"]))
    return files(stem)


def draw_map(axes: Axes, board: pd.DataFrame, problems: pd.DataFrame, runs: int) -> None:
    """Draw the ratios as a map, the best policy on top; a cell is empty where a policy cannot play.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        Where to draw.
    board, problems : pandas.DataFrame
        leaderboard.csv, which gives the order, and problems.csv.
    runs : int
        Replications of most problems.
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
    caption(
        axes,
        f"{runs:,} replications of most problems, the same random numbers for all; 1: the least regret there; "
        "score: geometric mean of what is simulated with rewards in [0,\u00a01]; empty: not played or not computed",
        title="Regret over the best policy’s",
    )


def _text(ratio: float) -> str:
    return f"{ratio:.2f}" if ratio < 10.0 else f"{ratio:.0f}"
