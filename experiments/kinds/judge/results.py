"""The tables of the judge beside those of strength: by kind, by ply, and of the engine's values."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from experiments.graded_positions.candidates import DEPTHS, trap_depth
from experiments.graded_positions.choices import rates_by, worst_loss
from experiments.graded_positions.positions import MISLEADING, RANDOM, SELF_PLAY, TRAPS, Graded, sign
from experiments.players.specs import PlayerSpec
from numerics.output import tables
from numerics.players import why_lost
from numerics.random import Purpose, derived_seed
from numerics.statistics.bounded import mean_interval
from numerics.statistics.intervals import wilson

if TYPE_CHECKING:
    import pandas as pd

REPLIES = {"player": "str", "position": "int64", "value": "float64", "result": "float64", "failure": "str"}
"""The columns of replies.parquet: a player, the number of the position before the move, what the player says that the
side to move gets after it, what it gets under best play (1, 1/2 or 0), and what went wrong."""

_PERIOD, _PAIRED = 12, 6  # of so many positions of the test set, which are in turns of six, the first ones have pairs
_SILENT = 3  # answers without a value after which a part is not asked for more
BINS = 10  # of the reliability curve


def paired_positions(chosen: Sequence[tuple[Graded, str]]) -> list[int]:
    """Return the numbers of the positions that are asked in pairs: a half of those of random games and of self-play."""
    kinds = (RANDOM, SELF_PLAY)
    return [number for number, (_, kind) in enumerate(chosen) if kind in kinds and number % _PERIOD < _PAIRED]


def ask_values(path: Path, spec: PlayerSpec, seed: int, numbered: Sequence[tuple[int, Graded]]) -> None:
    """Ask a player for the values of positions, by their numbers, after the best move, and store them."""
    player: Any = spec.player(derived_seed(seed, (Purpose.STRENGTH_PLAYER,)))
    rows: list[dict[str, Any]] = []
    silent = 0
    for number, graded in numbered:
        board, value, why = after_best(graded), None, ""
        if graded.rules.is_over(board):
            continue
        top = sign(graded.top)
        result = result_of(top if graded.rules.mover(board) == graded.rules.mover(graded.board) else -top)
        try:
            player.reset(number)
            player.play(board)
            value = getattr(player, "value", None)
        except Exception as error:
            why = why_lost(error)
        reply = np.nan if value is None else value
        rows.append({"player": spec.label, "position": number, "value": reply, "result": result, "failure": why})
        silent += value is None
        if silent == len(rows) == _SILENT:
            break
    tables.write(tables.table_of(rows, columns=list(REPLIES)).astype(REPLIES), path)


def after_best(graded: Graded) -> Any:
    """Return the position after the first of a position's best moves."""
    return graded.rules.after(graded.board, graded.best[0])


def result_of(value: int) -> float:
    """Return 1, 1/2 or 0 for a win (1), a draw (0) or a loss (-1)."""
    return 0.5 + 0.5 * value


def brier_of(pairs: pd.DataFrame) -> dict[str, float]:
    """Return the Brier score, the mean of (value - result)^2, with its 95 % interval, and that of the constant 1/2.

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
    brier = float(errors.mean()) if errors.size else np.nan
    low, high = (float(end) for end in mean_interval(errors, 0.0, 1.0)) if errors.size > 1 else (np.nan, np.nan)
    return {"pairs": errors.size, "brier": brier, "brier_low": low, "brier_high": high, "brier_of_half": half}


def reliability_of(pairs: pd.DataFrame) -> pd.DataFrame:
    """Return for the values in each tenth of [0, 1] their number, their mean, and the mean result.

    Returns
    -------
    pandas.DataFrame
        low, high (the ends of the tenth); said, the mean value; positions; got, the mean result. The 95 % interval of
        got is Wilson's, which is wide if games are drawn. Tenths without a value are left out.
    """
    rows = []
    bins = np.minimum((pairs["value"] * BINS).astype(int), BINS - 1)
    for number, of_bin in pairs.groupby(bins, sort=True):
        low, high = wilson(float(of_bin["result"].sum()), len(of_bin))
        tenth = int(str(number))
        rows.append(
            {
                "low": tenth / BINS,
                "high": (tenth + 1) / BINS,
                "said": float(of_bin["value"].mean()),
                "positions": len(of_bin),
                "got": float(of_bin["result"].mean()),
                "got_low": low,
                "got_high": high,
            }
        )
    columns = ["low", "high", "said", "positions", "got", "got_low", "got_high"]
    types = dict.fromkeys(columns, "float64") | {"positions": "int64"}
    return tables.table_of(rows, columns=columns).astype(
        types
    )  # beside others, no rows must not turn numbers into words


def pairs_of(choices: pd.DataFrame, replies: pd.DataFrame, results: Sequence[float]) -> pd.DataFrame:
    """Return both values of each pair in which the player gave two: player, position, value, result."""
    import pandas as pd

    columns = ["player", "position", "value", "result"]
    before = choices.assign(result=np.asarray(results)[choices["position"]])
    both = pd.concat([before[columns], replies[columns]]).dropna()
    complete = both.groupby(["player", "position"])["value"].transform("size") == 2
    return both[complete].reset_index(drop=True)


_TRAPS = {
    ends: f"traps, {ends[0]} to {ends[1]} plies" if ends[1] < 42 else f"traps, {ends[0]} plies and more"
    for ends in DEPTHS
}
KINDS = ("random games", "self-play", *_TRAPS.values(), "misleading playouts")
"""What the kinds of positions are called, in the order of reports."""
_SAID = dict(zip((RANDOM, SELF_PLAY, MISLEADING), (KINDS[0], KINDS[1], KINDS[-1]), strict=True))
_PLIES = 3  # plies of a row


def write_tables(folder: Path, chosen: Sequence[tuple[Graded, str]], replies: Sequence[Path]) -> None:
    """Write by_kind.csv, by_plies.csv, replies.parquet, calibration.csv and reliability.csv into a run folder."""
    import pandas as pd

    choices = tables.read(folder / "choices.parquet")
    answers = pd.concat(
        [pd.DataFrame(columns=list(REPLIES)).astype(REPLIES), *map(tables.read, replies)], ignore_index=True
    )
    positions, worst = choices["position"].to_numpy(), worst_loss([position for position, _ in chosen])
    kinds, first = [kind_of(*position) for position in chosen], min(len(position.moves) for position, _ in chosen)
    starts = [len(position.moves) - (len(position.moves) - first) % _PLIES for position, _ in chosen]
    chances = np.array([position.chance for position, _ in chosen])
    for name, labels in (("kind", np.array(kinds, dtype=object)), ("ply", np.array(starts))):
        rates = rates_by(choices.assign(**{name: labels[positions]}), name, worst)
        rates["chance"] = [float(chances[labels == label].mean()) for label in rates[name]]
        tables.write(rates, folder / f"by_{'kind' if name == 'kind' else 'plies'}.csv")
    results = [result_of(sign(position.top)) for position, _ in chosen]
    pairs = pairs_of(choices, answers, results)
    tables.write(answers, folder / "replies.parquet")
    players = list(dict.fromkeys(choices["player"]))
    paired = [chosen[number][0] for number in paired_positions(chosen)]
    asked = sum(not position.rules.is_over(after_best(position)) for position in paired)
    scores = pd.DataFrame([{"player": player} | brier_of(pairs[pairs["player"] == player]) for player in players])
    scores.insert(2, "dropped", asked - scores["pairs"])
    tables.write(scores, folder / "calibration.csv")
    curves = [reliability_of(pairs[pairs["player"] == player]).assign(player=player) for player in players]
    tables.write(pd.concat(curves, ignore_index=True), folder / "reliability.csv")


def kind_of(graded: Graded, kind: str) -> str:
    """Return a report's name for the kind of a position: traps include their depths.

    Examples
    --------
    >>> kind_of(Graded((), (0,) * 7), "self_play")
    'self-play'
    """
    if kind != TRAPS:
        return _SAID[kind]
    depths = trap_depth(graded)
    assert depths is not None
    return _TRAPS[depths]
