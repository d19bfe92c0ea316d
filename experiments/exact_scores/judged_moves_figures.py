"""The figure of judged moves: mean loss of score by ply."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from numerics.output.style import called, caption, line_style, plain

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


_FEWEST = 5  # games that a point needs
_BANDS = 6  # players; those of more would hide each other


def draw_loss(axes: Axes, table: pd.DataFrame, group: int) -> None:
    """Draw each player's mean loss of score against the stones on the board, with intervals of 95 %.

    Points of fewer than five games are left out, and those where fewer than half of the moves have a known loss.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        Where to draw.
    table : pandas.DataFrame
        What `experiments.exact_scores.judged_moves_tables.by_ply` returns for groups of plies.
    group : int
        How many plies are told together.
    """
    from matplotlib.ticker import MaxNLocator

    names = list(dict.fromkeys(table["player"]))
    sure = table[(table["games"] >= _FEWEST) & (2 * table["known"] >= table["moves"])]
    banded = len(names) <= _BANDS
    for place, player in enumerate(names):
        own = sure[sure["player"] == player]
        loss, low, high = (own[name].to_numpy(np.float64) for name in ("loss", "loss_low", "loss_high"))
        ply = own["ply"].to_numpy(np.float64) + (group - 1) / 2.0
        style = line_style(place)
        if banded:
            axes.fill_between(ply, low, high, color=style["color"], alpha=0.14, linewidth=0.0)
        axes.plot(ply, loss, label=called(str(player)), linewidth=1.4, markersize=4.5, **style)
    axes.set_ylim(bottom=0.0)
    axes.set_xlabel("stones on the board before the move")
    axes.set_ylabel("loss of score, mean")
    bands = "; bands: 95 % intervals over games" if banded else ""
    partly = "; only where most moves have a score" if bool((2 * table["known"] < table["moves"]).any()) else ""
    caption(axes, f"Mean loss of {group} plies together, by exact scores{bands}{partly}")
    plain(axes)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
