"""How far an engine's value of a position is to be trusted: Brier score and reliability.

The positions of the sets are never lost for the side to move, so that their values alone would tell little. An engine
is asked in pairs: in a position, and after the best move there, where the other side is to move. What is drawn stays
drawn and what is won is lost, so that pairs hold as many wins as losses.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from experiments.graded_positions.positions import RANDOM, SELF_PLAY, Graded, sign
from experiments.players.specs import PlayerSpec
from numerics.output import tables
from numerics.players import failure
from numerics.random import Purpose, derived_seed
from numerics.statistics import means
from numerics.statistics.intervals import wilson

if TYPE_CHECKING:
    import pandas as pd

REPLIES = {"player": "str", "position": "int64", "value": "float64", "result": "float64", "failure": "str"}
"""The columns of replies.parquet: a player, the number of the position before the move, what the player says that the
side to move gets after it, what it gets under best play (1, 1/2 or 0), and what went wrong."""

_PERIOD, _PAIRED = 12, 6  # of so many positions of the test set, which are in turns of six, the first ones have pairs
_SILENT = 3  # answers without a value after which a part is not asked for more
BINS = 10  # of the reliability curve


def paired(chosen: Sequence[tuple[Graded, str]]) -> list[int]:
    """Return the numbers of the positions that are asked in pairs: a half of those of random games and of self-play."""
    kinds = (RANDOM, SELF_PLAY)
    return [number for number, (_, kind) in enumerate(chosen) if kind in kinds and number % _PERIOD < _PAIRED]


def ask_values(path: Path, spec: PlayerSpec, seed: int, numbered: Sequence[tuple[int, Graded]]) -> None:
    """Ask a player after the best move of positions, by their numbers, and store what it says that they are worth."""
    import pandas as pd

    player: Any = spec.player(derived_seed(seed, (Purpose.STRENGTH_PLAYER,)))
    rows: list[dict[str, Any]] = []
    silent = 0
    for number, graded in numbered:
        board, value, why = graded.board, None, ""
        board.play(int(np.argmax([-np.inf if score is None else score for score in graded.scores])))
        if board.is_finished():
            continue
        try:
            player.reset(number)
            player.play(board)
            value = getattr(player, "value", None)
        except Exception as error:
            why = failure(error)
        said = np.nan if value is None else value
        result = result_of(-sign(graded.top))
        rows.append({"player": spec.label, "position": number, "value": said, "result": result, "failure": why})
        silent += value is None
        if silent == len(rows) == _SILENT:
            break
    tables.write(pd.DataFrame(rows, columns=list(REPLIES)).astype(REPLIES), path)


def result_of(value: int) -> float:
    """Return 1, 1/2 or 0 for a win (1), a draw (0) or a loss (-1)."""
    return 0.5 + 0.5 * value


def brier_of(pairs: pd.DataFrame) -> dict[str, float]:
    """Return the Brier score, the mean of (value - result)^2, with its 95 % interval, and what 1/2 always would get.

    Parameters
    ----------
    pairs : pandas.DataFrame
        position, value, result; two rows a position.

    Returns
    -------
    dict
        pairs, brier, brier_low, brier_high, brier_of_half; NaN without pairs.
    """
    errors = ((pairs["value"] - pairs["result"]) ** 2).groupby(pairs["position"]).mean().to_numpy(np.float64)
    half = float(((0.5 - pairs["result"]) ** 2).mean())
    found = float(errors.mean()) if errors.size else np.nan
    low, high = (float(end) for end in means.interval_of(errors)) if errors.size > 1 else (np.nan, np.nan)
    return {
        "pairs": errors.size,
        "brier": found,
        "brier_low": max(0.0, low),
        "brier_high": high,
        "brier_of_half": half,
    }


def reliability_of(pairs: pd.DataFrame) -> pd.DataFrame:
    """Return of the values in each tenth of [0, 1] how many there are, their mean, and what was got in the mean.

    Returns
    -------
    pandas.DataFrame
        low, high (the ends of the tenth); said, the mean value; positions; got, the mean result, with the ends of its
        95 % interval (Wilson, which is wide where games are drawn). Tenths without a value are left out.
    """
    import pandas as pd

    rows = []
    place = np.minimum((pairs["value"] * BINS).astype(int), BINS - 1)
    for number, own in pairs.groupby(place, sort=True):
        low, high = wilson(float(own["result"].sum()), len(own))
        tenth = int(str(number))
        rows.append(
            {
                "low": tenth / BINS,
                "high": (tenth + 1) / BINS,
                "said": float(own["value"].mean()),
                "positions": len(own),
                "got": float(own["result"].mean()),
                "got_low": low,
                "got_high": high,
            }
        )
    columns = ["low", "high", "said", "positions", "got", "got_low", "got_high"]
    return pd.DataFrame(rows, columns=columns)


def pairs_of(choices: pd.DataFrame, replies: pd.DataFrame, results: Sequence[float]) -> pd.DataFrame:
    """Return both values of each pair in which the player said two: player, position, value, result."""
    import pandas as pd

    columns = ["player", "position", "value", "result"]
    before = choices.assign(result=np.asarray(results)[choices["position"]])
    both = pd.concat([before[columns], replies[columns]]).dropna()
    complete = both.groupby(["player", "position"])["value"].transform("size") == 2
    return both[complete].reset_index(drop=True)
