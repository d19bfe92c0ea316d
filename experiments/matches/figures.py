"""Figures of matches and tournaments: results by colour, lengths, cross table and ratings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from numerics.output.style import PALETTE, SMALL, called, caption, error_arms, number, plain

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

ONE, TWO, DRAW = PALETTE[0], PALETTE[1], "0.72"  # player 1 or stones X, player 2 or stones O, nobody
_BARS = 64  # of a histogram of lengths, at most
_SHORT, LONG = 9, 60  # letters of a name that fits under a column, and beside a row

Floats = npt.NDArray[np.float64]


def draw_results(axes: Axes, summary: pd.DataFrame, colours: Mapping[str, str]) -> None:
    """Draw the shares of wins, draws and losses of player 1 by colour, and the score with its 95 % interval.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        Where to draw.
    summary : pandas.DataFrame
        What `experiments.matches.match.summary_of` returns.
    colours : mapping
        What the rows are called.
    """
    rows = summary[summary["games"] > 0].reset_index(drop=True)
    player, opponent = called(str(rows["player"].iloc[0])), called(str(rows["opponent"].iloc[0]))
    start = np.zeros(len(rows))
    for name, colour, label in (
        ("wins", ONE, f"{player} wins"),
        ("draws", DRAW, "draws"),
        ("losses", TWO, f"{opponent} wins"),
    ):
        share = rows[name].to_numpy(np.float64) / rows["games"].to_numpy(np.float64)
        axes.barh(rows.index, 100.0 * share, left=100.0 * start, height=0.62, color=colour, label=label)
        for place, count in enumerate(rows[name]):
            if share[place] >= 0.05:
                middle = 100.0 * (start[place] + share[place] / 2.0)
                axes.text(
                    middle, place + 0.2, number(count), ha="center", va="center", fontsize=SMALL, color=_ink(name)
                )
        start += share
    score, low, high = (100.0 * rows[name].to_numpy(np.float64) for name in ("score", "score_low", "score_high"))
    axes.errorbar(
        score, rows.index, xerr=error_arms(score, low, high), fmt="o", color="0.05", markersize=4.5, capsize=3.0,
        linewidth=1.4, label="score, 95 % interval",
    )  # fmt: skip
    for place, text in enumerate(score_texts(rows)):
        axes.text(1.015, place, text, transform=axes.get_yaxis_transform(), va="center", fontsize=SMALL)
    axes.set_yticks(
        rows.index, [f"{colours[row['colour']]}\n({row['games']:,} games)" for row in rows.to_dict("records")]
    )
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_xlim(0.0, 100.0)
    axes.set_xlabel(f"score of {player} (% of the points: a win counts 1, a draw ½)")
    caption(axes, f"Results of {player}; numbers in the bars: games")
    plain(axes, "x")


def _ink(name: str) -> str:
    return "white" if name == "wins" else "0.1"


def score_texts(rows: pd.DataFrame) -> list[str]:
    """Return each row's score with its 95 % interval, as written beside it."""
    return [
        f"{100 * row['score']:.1f} % [{100 * row['score_low']:.1f}, {100 * row['score_high']:.1f}]"
        for row in rows.to_dict("records")
    ]


def draw_lengths(axes: Axes, games: pd.DataFrame) -> None:
    """Draw how many games lasted how many plies, by winner.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        Where to draw.
    games : pandas.DataFrame
        The games of one pair: player1, player2, plies, result and ending.
    """
    from matplotlib.ticker import MaxNLocator

    plies = games["plies"].to_numpy(np.int64)
    on_board = bool(games["ending"].isin(("row", "full")).all())
    step = 1
    while (int(plies.max()) - int(plies.min())) // step >= _BARS:
        step *= 2  # an even number of plies holds as many moves of either side
    edges = np.arange(plies.min(), plies.max() + step + 1, step) - 0.5
    start = np.zeros(len(edges) - 1)
    names = [called(str(games[name].iloc[0])) for name in ("player1", "player2")]
    for result, colour, name in ((1, ONE, f"{names[0]} wins"), (-1, TWO, f"{names[1]} wins"), (0, DRAW, "draw")):
        own = plies[games["result"].to_numpy() == result]
        if own.size == 0:
            continue
        counts = np.histogram(own, edges)[0]
        label = f"{name}: {number(own.size)} game{'s' if own.size > 1 else ''}, mean {number(own.mean(), 3)} plies"
        axes.bar(edges[:-1] + step / 2.0, counts, bottom=start, width=0.86 * step, color=colour, label=label)
        start += counts
    axes.set_xlabel("length of the game (plies)" + (f", {step} together" if step > 1 else ""))
    axes.set_ylabel("games")
    axes.set_ylim(0.0, 1.05 * start.max())
    odd = "; odd lengths are won by whoever moved first, even ones by the other" if step == 1 and on_board else ""
    caption(axes, f"Bars are stacked{odd}")
    plain(axes, "y")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MaxNLocator(integer=True, nbins="auto", steps=[1, 2, 5, 10]))


def draw_crosstable(figure: Figure | SubFigure, axes: Axes, pairs: pd.DataFrame, order: Sequence[str]) -> None:
    """Draw every player's score against every other as a heat map.

    Parameters
    ----------
    figure, axes : matplotlib.figure.Figure, matplotlib.axes.Axes
        Where to draw, the scale beside it.
    pairs : pandas.DataFrame
        One row a player and opponent: player, opponent, score.
    order : sequence of str
        The players from top to bottom and from left to right.
    """
    place = {name: number for number, name in enumerate(order)}
    scores = np.full((len(order), len(order)), np.nan)
    for row in pairs.to_dict("records"):
        scores[place[row["player"]], place[row["opponent"]]] = 100.0 * row["score"]
    axes.set_facecolor("0.88")  # of the diagonal, which is no score of 50
    image = axes.imshow(scores, cmap="PuOr_r", vmin=0.0, vmax=100.0, aspect="auto")
    for i, j in zip(*np.nonzero(np.isfinite(scores)), strict=True):
        dark = abs(scores[i, j] - 50.0) > 32.0
        axes.text(
            j, i, number(round(scores[i, j], 1)), ha="center", va="center", fontsize=SMALL + 1.0,
            color="white" if dark else "0.1",
        )  # fmt: skip
    short = all(len(name) <= _SHORT for name in order)
    numbered = [f"{called(name, LONG)}  {row + 1}" for name, row in place.items()]
    axes.set_yticks(range(len(order)), [called(name) for name in order] if short else numbered, fontsize=SMALL)
    columns = [called(name) if short else str(row + 1) for name, row in place.items()]
    axes.set_xticks(range(len(order)), columns, fontsize=SMALL)
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0.0)
    scale = figure.colorbar(image, ax=axes, fraction=0.05, pad=0.03)
    scale.ax.tick_params(labelsize=SMALL)
    scale.set_label("score (%)", fontsize=SMALL)
    games = int(pairs["games"].iloc[0])
    caption(axes, f"Score of the row against the column, in %; {number(games)} games of each pair")


def draw_ratings(axes: Axes, standings: pd.DataFrame) -> None:
    """Draw every player's Elo rating with its 95 % interval, the best on top.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        Where to draw.
    standings : pandas.DataFrame
        One row a player, sorted: player, elo, elo_low, elo_high.
    """
    elo, low, high = (standings[name].to_numpy(np.float64) for name in ("elo", "elo_low", "elo_high"))
    y = np.arange(len(standings))
    axes.axvline(0.0, color="0.6", linewidth=0.8)
    axes.errorbar(
        elo, y, xerr=error_arms(elo, low, high), fmt="o", color=PALETTE[0], markersize=5.0, capsize=3.0, linewidth=1.6
    )
    for place in y:
        text = f"{number(round(elo[place]))} [{number(round(low[place]))}, {number(round(high[place]))}]"
        axes.text(1.015, float(place), text, transform=axes.get_yaxis_transform(), va="center", fontsize=SMALL)
    axes.set_yticks(y, [called(str(name), LONG) for name in standings["player"]])
    axes.set_ylim(len(y) - 0.5, -0.5)
    axes.set_xlabel("Elo rating (the players' mean is 0)")
    caption(axes, "Bradley-Terry fit with 95 % intervals; 400 points: odds of 10 to 1")
    plain(axes, "x")
