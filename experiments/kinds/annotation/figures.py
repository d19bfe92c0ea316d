"""The figure of judged moves: mean loss of score by ply."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from experiments.games.results import ground
from experiments.kinds.annotation.tables import by_ply
from experiments.players.labels import short_columns
from numerics.output.captions import Caption, called
from numerics.output.figures import Facts, Figure
from numerics.output.style import line_style, plain

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

_GROUP = 3  # plies of a point
_FEWEST = 5  # games that a point needs
_BARS = 6  # players; the intervals of more would hide each other
_STEP = 0.25  # plies from an interval to that of the next player


def draw_loss(moves: pd.DataFrame, axes: Axes, facts: Facts) -> Caption:
    """Draw each player's mean loss of score against the stones on the board, with intervals of 95 %.

    Points of fewer than five games are left out, and those where fewer than half of the moves have a known loss.
    """
    from matplotlib.ticker import MaxNLocator

    table = by_ply(short_columns(moves, "player"), _GROUP)
    names = list(dict.fromkeys(table["player"]))
    sure = table[(table["games"] >= _FEWEST) & (2 * table["known"] >= table["moves"])]
    barred = len(names) <= _BARS
    for index, player in enumerate(names):
        of_player = sure[sure["player"] == player]
        loss, low, high = (of_player[name].to_numpy(np.float64) for name in ("loss", "loss_low", "loss_high"))
        ply = of_player["ply"].to_numpy(np.float64) + (_GROUP - 1) / 2.0 + _STEP * (index - (len(names) - 1) / 2.0)
        style = line_style(index)
        if barred:
            axes.vlines(ply, low, high, color=style["color"], linewidth=1.0)
        axes.plot(ply, loss, label=called(str(player)), linewidth=1.4, markersize=4.5, **style)
    axes.set_ylim(bottom=0.0)
    axes.set_xlabel("stones on the board before the move")
    axes.set_ylabel("loss of score, mean")
    bars = "; bars: 95 % intervals over games" if barred else ""
    partly = "; only where most moves have a score" if bool((2 * table["known"] < table["moves"]).any()) else ""
    plain(axes)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    text = f"Mean loss of {_GROUP} plies together, by exact scores{bars}{partly}"
    return Caption(text, f"What moves cost {ground(facts['settings'])}")


FIGURES = (Figure("loss_by_ply", "moves.parquet", draw_loss, size=(7.6, 4.4)),)
