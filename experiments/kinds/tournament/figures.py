"""The figures of a tournament: the cross table as a heat map, and the ratings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from experiments.games.figures import LONG, draw_rows, draw_scores, with_key
from experiments.games.results import ground
from experiments.players.labels import short_columns
from numerics.output.captions import Caption, called
from numerics.output.figures import Facts, Figure
from numerics.output.style import number, plain

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

_MOST_NAMED = 8  # columns with names under them and intervals in their cells; more have numbers
_WORD = 11  # letters of a line there, about


def size_of_crosstable(pairs: pd.DataFrame, standings: pd.DataFrame, facts: Facts) -> tuple[float, float]:
    """Return the width and height in inches for `draw_crosstable`."""
    names = list(short_columns(standings, "player")["player"])
    lines = [name.splitlines() for name in names_below(names) or []]
    roomy = len(names) <= _MOST_NAMED
    cell = max([0.72 if roomy else 0.46, *(0.082 * len(line) for name in lines for line in name)])
    below = 0.15 * max(map(len, lines), default=0)
    return _beside(names) + 1.6 + cell * len(names), 1.5 + below + (0.5 if roomy else 0.36) * len(names)


def size_of_ratings(standings: pd.DataFrame, facts: Facts) -> tuple[float, float]:
    """Return the width and height in inches for `draw_ratings`."""
    return _beside(list(short_columns(standings, "player")["player"])) + 6.0, 1.5 + 0.38 * len(standings)


def _beside(names: Sequence[str]) -> float:
    """Return the inches that the longest name takes beside the axes."""
    return 0.6 + 0.065 * min(LONG, max(map(len, names)))


def draw_crosstable(pairs: pd.DataFrame, standings: pd.DataFrame, axes: Axes, facts: Facts) -> Caption:
    """Draw every player's score against every other as a heat map."""
    pairs = short_columns(pairs, "player", "opponent")
    order = list(short_columns(standings, "player")["player"])
    numbers = 100.0 * pairs[["score", "score_low", "score_high"]].to_numpy()
    roomy = len(order) <= _MOST_NAMED
    annotations = [
        f"{number(round(score, 1))}\n{low:.0f} to {high:.0f}" if roomy else f"{score:.0f}"
        for score, low, high in numbers
    ]
    cells = pairs.assign(score=numbers[:, 0], told=annotations)
    scores, texts = (
        cells.pivot(index="player", columns="opponent", values=name).loc[order, order] for name in ("score", "told")
    )
    draw_scores(axes, scores, texts)
    below = names_below(order)
    rows = [called(name, LONG) + f"  {position}" * (below is None) for position, name in enumerate(order, start=1)]
    axes.set_yticklabels(rows)
    axes.set_xticklabels(below or [str(position) for position in range(1, len(order) + 1)], linespacing=0.9)
    axes.set(xlabel="", ylabel="")
    games = number(int(pairs["games"].iloc[0]))
    interval = ", and its 95 % interval" if roomy else ""
    sentence = f"Score of the row against the column in %{interval}; {games} games of each pair"
    title = f"{len(order)} players {ground(facts['settings'])}, each against each"
    return Caption(with_key(sentence, order), title, wide=True)


def names_below(names: Sequence[str]) -> list[str] | None:
    r"""Return names broken between words to stand under narrow columns; None where they do not fit there.

    Examples
    --------
    >>> names_below(["uct playouts=biased n=9", "random"])
    ['uct\nplayouts=\nbiased\nn=9', 'random']
    """
    broken = []
    for name in names:
        words = [word if len(word) <= _WORD else word.replace("=", "=\n") for word in called(name).split()]
        broken.append(called(name) if len(name) <= _WORD else "\n".join(words))
    fits = len(names) <= _MOST_NAMED and max(len(line) for name in broken for line in name.splitlines()) <= _WORD + 2
    return broken if fits else None


def draw_ratings(standings: pd.DataFrame, axes: Axes, facts: Facts) -> Caption:
    """Draw every player's Elo rating with its 95 % interval, the best on top."""
    standings = short_columns(standings, "player")
    axes.axvline(0.0, color="0.6", linewidth=0.8)
    names = [called(str(name), LONG) for name in standings["player"]]
    draw_rows(axes, standings[["elo", "elo_low", "elo_high"]], names, markersize=5.0)
    axes.set_xlabel("Elo rating (the players' mean is 0)")
    sentence = "Bradley-Terry fit with 95 % intervals; 400 points: odds of 10 to 1"
    plain(axes, "x")
    title = f"Elo ratings of {len(names)} players {ground(facts['settings'])}"
    return Caption(with_key(sentence, standings["player"]), title, wide=True)


FIGURES = (
    Figure("crosstable", ("pairs.csv", "standings.csv"), draw_crosstable, size=size_of_crosstable),
    Figure("ratings", "standings.csv", draw_ratings, size=size_of_ratings),
)
