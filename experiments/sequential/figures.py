"""The figure of a sequential test: the log-likelihood ratio after each pair, between its bounds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from experiments.games.figures import with_key
from experiments.games.results import ground
from experiments.players.labels import short_labels
from experiments.sequential.notes import read
from numerics.output.captions import Caption, called
from numerics.output.figures import Facts, Figure
from numerics.output.style import PALETTE, number, plain

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

_ROOM = 0.12  # beyond the bounds, of the distance between them


def draw_llr(path: pd.DataFrame, table: pd.DataFrame, axes: Axes, facts: Facts) -> Caption:
    """Draw the log-likelihood ratio after each pair, and the bounds that end the test."""
    from matplotlib.ticker import MaxNLocator

    row, counts, test = read(table, facts)
    low, high = test.bounds
    short = short_labels([row["player"], row["opponent"]])
    names = [called(short[row[side]]) for side in ("player", "opponent")]
    pairs, llr = [0, *path["pair"]], [0.0, *path["llr"]]
    for bound, colour, hypothesis, elo, above in (
        (high, PALETTE[2], "H1", test.elo1, True),
        (low, PALETTE[3], "H0", test.elo0, False),
    ):
        axes.axhline(bound, color=colour, linewidth=1.2)
        axes.annotate(
            f"{hypothesis} accepted: {elo:g} Elo",
            (0.0, bound),
            xycoords=("axes fraction", "data"),
            xytext=(6, 4 if above else -4),
            textcoords="offset points",
            va="bottom" if above else "top",
            color=colour,
        )
    axes.axhline(0.0, color="0.6", linewidth=0.8)
    axes.plot(pairs, llr, color=PALETTE[0], linewidth=1.3)
    axes.plot(pairs[-1], llr[-1], "o", color=PALETTE[0], markersize=5.0)
    room = _ROOM * (high - low)
    axes.set_ylim(min(low, min(llr)) - room, max(high, max(llr)) + room)
    axes.set_xlim(0, pairs[-1] * 1.03)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_xlabel("pairs of games")
    axes.set_ylabel("log-likelihood ratio of H1 against H0")
    axes.xaxis.set_major_formatter(lambda value, _: number(value))
    ended = "undecided after" if row["accepted"] == "none" else f"{row['accepted']} accepted after"
    text = f"{test.model} Elo, alpha {test.alpha:g}, beta {test.beta:g}; LL, LD, WL+DD, WD, WW: " + ", ".join(
        number(count) for count in counts
    )
    title = f"{names[0]} against {names[1]} {ground(facts['settings'])}: {ended} {number(sum(counts))} pairs"
    plain(axes)
    return Caption(with_key(text, [row["player"], row["opponent"]]), title, legend=False)


FIGURES = (Figure("llr", ("llr.parquet", "sprt.csv"), draw_llr, size=(7.6, 4.2)),)
