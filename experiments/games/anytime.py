"""Scores that may be looked at after every round of games: the sequence of their intervals, its table and its sheet.

The two games of an opening, one with either player moving first, are one observation. A round of openings is a block.
So the interval is for the score over all openings and both colours. Games count in their own order, not in that in
which they ended, so that the intervals are the same for any number of workers.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from experiments.engine.tasks import Task
from experiments.games.results import tally_of
from numerics.output import tables
from numerics.output.sheets import Sheet, interval_ends, number, share, word
from numerics.statistics.confidence_sequences import hedged_capital

if TYPE_CHECKING:
    import pandas as pd

LOOKS, LAST = "looks.parquet", "anytime.csv"

Floats = npt.NDArray[np.float64]

ANYTIME = Sheet(
    LAST,
    "anytime-valid scores: with 95 % confidence, the intervals of a pair contain its score at all times",
    (
        word("player"),
        word("opponent"),
        number("games"),
        share("score"),
        interval_ends("at any time", "score", scale=100, unit=" %"),
        interval_ends("fixed number of games", "fixed", scale=100, unit=" %"),
        number("times as wide", "times_as_wide", ".2f", optional=1),
        number("not 50 % after", "told_after", ",.0f", unit=" games"),
    ),
)


def looks_of(results: npt.ArrayLike, openings: int, planned: int) -> pd.DataFrame:
    """Return the score of a player after each whole round of openings, with an interval that holds at all times.

    Parameters
    ----------
    results : array_like
        1 won, 0 drawn, -1 lost, of games in their order; games 2 i and 2 i + 1 have one opening.
    openings : int
        How many there are.
    planned : int
        The number of games of the whole run.

    Returns
    -------
    pandas.DataFrame
        One row a round: games so far, score, and the ends score_low and score_high of a 95 % confidence sequence.
    """
    scores = (np.asarray(results, dtype=np.float64) + 1.0) / 2.0
    pairs = scores[: scores.size // 2 * 2].reshape(-1, 2).mean(axis=1)
    low, high = hedged_capital(pairs, block=openings, planned=max(planned // 2, 1))
    count = np.arange(1, pairs.size + 1)
    rows = {"games": 2 * count, "score": np.cumsum(pairs) / count, "score_low": low, "score_high": high}
    return tables.table_of(rows)[openings - 1 :: openings].reset_index(drop=True)


def write(games: pd.DataFrame, openings: int, folder: Path) -> None:
    """Write the score after each round of each pair of players, and the last one beside the fixed interval.

    `looks.parquet` has player, opponent and the columns of `looks_of`. `anytime.csv` has the last row of each pair,
    followed by fixed_low, fixed_high, times_as_wide and told_after. `fixed_low` and `fixed_high` are the ends of the
    95 % interval for exactly this number of games. `told_after` is the number of games after which the interval has
    excluded 50 %, or NaN if it never has.
    """
    import pandas as pd

    looks, last = list[pd.DataFrame](), list[pd.DataFrame]()
    for _, of_pair in games.groupby(["player1", "player2"], sort=False):
        pair = {"player": of_pair["player1"].iloc[0], "opponent": of_pair["player2"].iloc[0]}
        of_looks = looks_of(of_pair["result"], openings, len(of_pair))
        looks.append(pd.DataFrame({**pair, **of_looks}))
        if len(of_looks):
            end = of_looks.iloc[[-1]]
            counted = tally_of(of_pair[: int(end["games"].iloc[0])])
            low, high = counted["score_low"], counted["score_high"]
            wide = (end["score_high"] - end["score_low"]) / (high - low)
            decided = of_looks["games"][(of_looks["score_low"] > 0.5) | (of_looks["score_high"] < 0.5)].min()
            fixed = {"fixed_low": low, "fixed_high": high, "times_as_wide": wide, "told_after": decided}
            last.append(pd.DataFrame({**pair, **end, **fixed}))
    tables.write(pd.concat(looks, ignore_index=True), folder / LOOKS)
    if last:
        tables.write(pd.concat(last, ignore_index=True), folder / LAST)


def watcher(openings: int, planned: int) -> Callable[[Task], str]:
    """Return what says the score of the pair that plays, with its interval, from the files of tasks in their order."""
    seen: dict[tuple[str, str], list[npt.NDArray[np.int64]]] = {}

    def watch(task: Task) -> str:
        games = tables.read(task.path)
        pair = str(games["player1"].iloc[0]), str(games["player2"].iloc[0])
        results = seen.setdefault(pair, [])
        results.append(games["result"].to_numpy())
        looks = looks_of(np.concatenate(results), openings, planned)
        if looks.empty:
            return ""
        end = looks.iloc[-1]
        return (
            f"{pair[0]} against {pair[1]}: {100 * end['score']:.1f} %, at any time "
            f"{100 * end['score_low']:.1f} to {100 * end['score_high']:.1f} %"
        )

    return watch
