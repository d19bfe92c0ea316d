"""Figures of a match: results by colour and lengths of games; and heat maps of scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from experiments.games.anytime import LAST, LOOKS
from experiments.games.results import COLOURS, ground
from numerics.output import plots
from numerics.output.captions import Caption, label_of
from numerics.output.figures import Facts, Figure
from numerics.output.scales import Scale
from numerics.output.style import DARK, PALETTE, SMALL, number, plain

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

ONE, TWO, DRAW = PALETTE[0], PALETTE[1], "0.72"  # player 1 or stones X, player 2 or stones O, nobody
LONG = 60  # letters of a name that fits beside a row


def draw_results(summary: pd.DataFrame, axes: Axes, facts: Facts) -> Caption:
    """Draw the shares of wins, draws and losses of player 1 by colour, and the score with its 95 % interval."""
    rows = summary[summary["games"] > 0].reset_index(drop=True)
    player, opponent = label_of(str(rows["player"].iloc[0])), label_of(str(rows["opponent"].iloc[0]))
    places, start = np.arange(len(rows)) - 0.14, np.zeros(len(rows))
    for name, colour, label, ink in (
        ("wins", ONE, f"{player} wins", "white"),
        ("draws", DRAW, "draws", "0.1"),
        ("losses", TWO, f"{opponent} wins", "0.1"),
    ):
        share = rows[name].to_numpy(np.float64) / rows["games"].to_numpy(np.float64)
        bars = axes.barh(places, 100.0 * share, left=100.0 * start, height=0.46, color=colour, label=label)
        counts = [number(count) if part >= 0.03 else "" for count, part in zip(rows[name], share, strict=True)]
        axes.bar_label(bars, counts, label_type="center", fontsize=SMALL, color=ink)
        start += share
    names = [f"{COLOURS[row['colour']]}\n({row['games']:,} games)" for row in rows.to_dict("records")]
    scores = plots.estimates(rows, "score", 100.0)
    texts, look = plots.interval_texts(scores, " %", 1), {"color": "0.1", "markersize": 4.5, "label": "score"}
    label = f"score of {player} (%; a draw counts ½)"
    scale = Scale(label, log=False, low=0.0, high=100.0)
    plots.rows(axes, names, (scores, look), beside=texts, scale=scale, below=0.28)
    for line in [*axes.lines, *axes.collections]:
        line.set_clip_on(False)  # the marks of 0 and 100 % are whole
    text = "Numbers in the bars: games; points: score with its 95 % interval (score test)"
    return Caption(text, f"{player} against {opponent} {ground(facts['settings'])}")


def draw_looks(looks: pd.DataFrame, last: pd.DataFrame, axes: Axes, facts: Facts) -> Caption:
    """Draw the score of player 1 after each round with its interval at all times, and at the end the fixed interval."""
    end = last.iloc[0]
    player, opponent = label_of(str(end["player"])), label_of(str(end["opponent"]))
    games, ends, total = looks["games"], 100.0 * looks[["score_low", "score_high"]], int(end["games"])
    plain(axes)
    Scale("games", log=False, low=0.0, high=1.04 * total).set(axes.xaxis, games)
    Scale(f"score of {player} (%)", log=False).set(axes.yaxis, ends)
    axes.axhline(50.0, color="0.6", linewidth=0.8)
    axes.fill_between(
        games,
        ends["score_low"],
        ends["score_high"],
        step="post",
        color=ONE,
        alpha=DARK,
        linewidth=0.0,
        label="95 % interval at any time",
    )
    axes.plot(games, 100.0 * looks["score"], color=ONE, label="score so far")
    fixed = plots.estimates(last.assign(fixed=last["score"]), "fixed", 100.0)
    look: dict[str, Any] = {
        "fmt": "o",
        "color": "0.1",
        "markersize": 4.0,
        "label": f"95 % interval for {number(total)} games only",
    }
    plots.draw_whiskers(axes, 1.02 * last["games"], fixed, **look)
    text = "Dark band: with 95 % confidence it contains the true score after every game"
    return Caption(text, f"{player} against {opponent} {ground(facts['settings'])}, game by game")


def draw_lengths(games: pd.DataFrame, axes: Axes, facts: Facts) -> Caption:
    """Draw how many games lasted how many plies, by winner."""
    import seaborn

    plies = games["plies"]
    first, two = (label_of(str(games[name].iloc[0])) for name in ("player1", "player2"))
    outcomes = {1: (ONE, f"{first} wins"), -1: (TWO, f"{two} wins"), 0: (DRAW, "draw")}
    palette = {result: colour for result, (colour, _) in outcomes.items()}
    seaborn.histplot(
        games,
        x="plies",
        hue="result",
        hue_order=[0, -1, 1],
        palette=palette,
        discrete=True,
        multiple="stack",
        shrink=0.86,
        alpha=1.0,
        linewidth=0.0,
        legend=False,
        ax=axes,
    )
    for result, (colour, name) in outcomes.items():
        lengths = plies[games["result"] == result]
        if len(lengths):
            games_of = f"{number(len(lengths))} game{'s' * (len(lengths) > 1)}"
            label = f"{name}: {games_of}, mean {number(float(lengths.mean()), 3)} plies"
            axes.plot([], [], "s", color=colour, label=label)
    on_board = bool(games["ending"].isin(("row", "full")).all())
    odd = "; whoever moved first wins at odd lengths" if on_board else ""
    plain(axes, "y")
    low, high = plies.min() - 0.8, plies.max() + 0.8
    Scale("length of the game (plies)", log=False, low=low, high=high, whole=True).set(axes.xaxis, plies)
    Scale("games", log=False, low=0.0, high=axes.get_ylim()[1], whole=True).set(axes.yaxis, [])
    title = f"How long {first} and {two} play {ground(facts['settings'])}"
    return Caption(f"Bars are stacked{odd}", title)


FIGURES = (
    Figure("results", "summary.csv", draw_results, size=(8.0, 2.9)),
    Figure("lengths", "games.parquet", draw_lengths, size=(8.0, 4.2)),
    Figure("anytime", (LOOKS, LAST), draw_looks, size=(8.0, 4.2)),
)
