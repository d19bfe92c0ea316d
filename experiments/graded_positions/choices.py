"""The choices of players in positions whose moves have exact scores: the worth of each choice, and of all together."""

from __future__ import annotations

import time
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from connect4.players.open_spiel import OpenSpielPlayer
from experiments.games.rules import Connect4, Rules
from experiments.graded_positions.positions import Graded
from experiments.players.specs import PlayerSpec
from mcts import MonteCarloPlayer, UCTPlayer
from numerics.output import tables
from numerics.players import Player, why_lost
from numerics.random import Purpose, derived_seed
from numerics.statistics.bounded import mean_interval, rare_values
from numerics.statistics.holm import holm
from numerics.statistics.intervals import wilson
from numerics.statistics.paired_rates import compare_rates

if TYPE_CHECKING:
    import pandas as pd

CHOICES = {
    "player": "str",
    "name": "str",
    "simulations": "Int64",
    "position": "int64",
    "source": "str",
    "ply": "int64",
    "column": "int64",
    "keeps_value": "bool",
    "best": "bool",
    "loss": "float64",
    "value": "float64",
    "failure": "str",
}
"""The columns of choices.parquet, a row for each player and position.

player, name
    The label, and the name with every parameter that is not the default.
simulations
    For each move; empty for players without simulations, or whose moves use exact scores.
position, source, ply
    The number in the set, the kind, such as "random" or "self_play", and the moves so far: the stones on the board.
column
    The chosen 0-based column; -1 if it was not a legal move. Another game than Connect 4 has `ELSEWHERE` instead.
keeps_value, best
    Whether the move keeps the win, draw or loss; whether no move has a higher score.
loss
    The best score minus that of the move; NaN without a legal move.
value
    The player's value for the side to move, from 0 to 1; NaN if it gives none.
failure
    The error: "illegal move: column 1 is full", or an exception with its text; empty if there was none.
"""
ELSEWHERE = {"place": "int64", "move": "str"}
"""The columns of another game than Connect 4 in place of `column`.

place
    The place of the chosen move among the legal ones, from 0; -1 if it was not one of them.
move
    The move as a text; empty if it was not legal.
"""
TIMINGS = {"player": "str", "position": "int64", "seconds": "float64", "processor": "float64"}
"""The columns of timings.parquet: wall time and processor time of a move in the calling thread."""


def ask(path: Path, spec: PlayerSpec, seed: int, first: int, positions: Sequence[tuple[Graded, str]]) -> None:
    """Store a player's choices in positions numbered from `first`; each position comes with its kind."""
    player = spec.player(derived_seed(seed, (Purpose.STRENGTH_PLAYER,)))
    who = {"player": spec.label, "name": spec.name, "simulations": simulations_of(player)}
    rows = [{**who, **judge_choice(player, number, *position)} for number, position in enumerate(positions, first)]
    columns = {**columns_of(positions[0][0].rules), **TIMINGS}
    tables.write(tables.table_of(rows).astype(columns), path)


def columns_of(rules: Rules) -> dict[str, str]:
    """Return the columns of choices.parquet, with their types, of a game."""
    if isinstance(rules, Connect4):
        return CHOICES
    columns: dict[str, str] = {}
    for name, kind in CHOICES.items():
        columns |= ELSEWHERE if name == "column" else {name: kind}
    return columns


def simulations_of(player: Player) -> int | None:
    """Return the simulations of a move; None for players without simulations, or whose moves use exact scores.

    Examples
    --------
    >>> simulations_of(UCTPlayer()), simulations_of(UCTPlayer(seconds=0.1))
    (1000, None)
    """
    if isinstance(player, UCTPlayer | OpenSpielPlayer):
        return player.budget
    return player.simulations if isinstance(player, MonteCarloPlayer) else None


def judge_choice(player: Any, position: int, graded: Graded, source: str) -> dict[str, Any]:
    """Ask a player for its move in position number `position`; return the worth of the move, and its time."""
    board, answer, value, why = graded.board, None, None, ""
    start, processor = time.perf_counter(), time.thread_time()
    try:
        player.reset(position)
        answer = player.play(board)
        value = getattr(player, "value", None)
    except Exception as error:
        why = why_lost(error)
    seconds, processor = time.perf_counter() - start, time.thread_time() - processor
    if not why and not graded.is_legal(answer):
        why = graded.rules.refusal(graded.board, answer)
    place = -1 if why else graded.place(answer)
    loss = np.nan if why else graded.loss(answer)
    return {
        "position": position,
        "source": source,
        "ply": len(graded.moves),
        **_played(graded, place),
        "keeps_value": not why and graded.keeps_value(answer),
        "best": loss == 0,
        "loss": loss,
        "value": np.nan if value is None else value,
        "failure": why,
        "seconds": seconds,
        "processor": processor,
    }


def _played(graded: Graded, place: int) -> dict[str, Any]:
    """Return the columns that hold the move of a place among the options; -1 is none."""
    if isinstance(graded.rules, Connect4):
        return {"column": place}
    return {"place": place, "move": "" if place < 0 else graded.rules.words(graded.board)[place]}


Floats = npt.NDArray[np.float64]

WORST = 42.0  # points: scores on 7 x 6 are from -21 to 21


def worst_loss(positions: Sequence[Graded]) -> float:
    """Return the most that a move can lose in a game: twice the highest score.

    It is that of Connect 4 on its board, and of another game the highest one of the positions.

    Examples
    --------
    >>> from experiments.games.rules import GAMES
    >>> worst_loss([Graded((), (0,) * 7)]), worst_loss([Graded((), (-1, 3, 1, -1), GAMES.of("hex size=2"))])
    (42.0, 6.0)
    """
    rules = positions[0].rules
    if isinstance(rules, Connect4):
        return float(rules.size[0] * rules.size[1])
    return 2.0 * max(abs(score) for position in positions for score in position.legal_scores)


def summary_of(choices: pd.DataFrame, worst: float = WORST) -> pd.DataFrame:
    """Return a row for each player, in the order of the configuration; `worst` is the most that a move can lose.

    Returns
    -------
    pandas.DataFrame
        player, name, positions, and the simulations of a move (empty for players without). `keeps_value` and `best` are
        rates with the ends of their 95 % Wilson intervals. `loss` is the mean over the legal moves, with the ends of
        the 95 % interval of `numerics.statistics.bounded`. That interval includes the losses that may have been missed.
        `failures` is the number of missing and illegal moves.
    """
    rows = []
    for (player, name), chosen in choices.groupby(["player", "name"], sort=False):
        rows.append(
            {"player": player, "name": name, "simulations": chosen["simulations"].iloc[0], "positions": len(chosen)}
            | _rates(chosen)
            | _mean(chosen, worst)
            | {"failures": int((chosen["failure"] != "").sum())}
        )
    return tables.table_of(rows).astype({"simulations": "Int64"})


def with_times(summary: pd.DataFrame, timings: pd.DataFrame) -> pd.DataFrame:
    """Return a summary with the median seconds of a move of each player."""
    return summary.assign(seconds=summary["player"].map(timings.groupby("player")["seconds"].median()))


def _rates(choices: pd.DataFrame) -> dict[str, float]:
    """Return the rates of two columns with the ends of their intervals."""
    rates: dict[str, float] = {}
    for name in ("keeps_value", "best"):
        low, high = wilson(float(choices[name].sum()), len(choices))
        rates |= {name: float(choices[name].mean()), f"{name}_low": low, f"{name}_high": high}
    return rates


def _mean(choices: pd.DataFrame, worst: float) -> dict[str, float]:
    """Return the mean loss with the ends of its interval; NaN if there are too few losses.

    If losses are rare, the interval allows for the worst loss. Suppose no move lost anything. Then the upper end is the
    worst loss times the rate at which so many moves would lose nothing with probability 1/40.
    """
    losses = choices["loss"].dropna().to_numpy(np.float64)
    if not losses.size:
        return {"loss": np.nan, "loss_low": np.nan, "loss_high": np.nan}
    bounds = (0.0, worst) if rare_values(losses, worst) else (np.nan, np.nan)
    low, high = (float(end) for end in mean_interval(losses, *bounds))
    return {"loss": float(losses.mean()), "loss_low": max(0.0, low), "loss_high": high}


def rates_by(choices: pd.DataFrame, column: str, worst: float = WORST) -> pd.DataFrame:
    """Return a row for each player and value of a column: positions, both rates and the mean loss with intervals."""
    rows = [
        {"player": player, column: value, "positions": len(chosen)} | _rates(chosen) | _mean(chosen, worst)
        for player, of_player in choices.groupby("player", sort=False)
        for value, chosen in of_player.groupby(column, sort=True)
    ]
    return tables.table_of(rows)


def differences_of(choices: pd.DataFrame) -> pd.DataFrame:
    """Compare every pair of players on the same positions.

    Returns
    -------
    pandas.DataFrame
        player_a, player_b and positions. `only_a` and `only_b` count the positions in which only a, or only b, kept the
        value. `difference` is the rate of a minus that of b, with the ends of its interval
        (`numerics.statistics.paired_rates`). With 95 % confidence the intervals of all pairs hold, so that they remain
        valid for the player that turned out best. `p_value` is that of the exact McNemar test. `p_adjusted` is adjusted
        by Holm's method over all pairs. `loss_difference` is the mean loss of a minus that of b where both moves were
        legal.
    """
    kept, losses = (choices.pivot(index="position", columns="player", values=name) for name in ("keeps_value", "loss"))
    pairs = list(combinations(choices["player"].unique(), 2))
    rows = [
        {"player_a": a, "player_b": b, **compare_rates(kept[a].to_numpy(bool), kept[b].to_numpy(bool), len(pairs))}
        | {"loss_difference": float((losses[a] - losses[b]).mean())}
        for a, b in pairs
    ]
    table = tables.table_of(rows)
    table.insert(list(table.columns).index("p_value") + 1, "p_adjusted", holm(list(table["p_value"])))
    return table


def from_best(differences: pd.DataFrame) -> pd.DataFrame:
    """Return how every player differs from the one that keeps the value most often, which is `player_b` in all rows.

    Parameters
    ----------
    differences : pandas.DataFrame
        Of every pair, as `differences_of` returns them.
    """
    import pandas as pd

    first = differences["player_a"].iloc[0]
    others = differences[differences["player_a"] == first]
    best = first if others["difference"].min() >= 0.0 else others["player_b"].iloc[others["difference"].argmin()]
    turned = {"player_a": "player_b", "only_a": "only_b", "difference_low": "difference_high"}
    turned |= {new: old for old, new in turned.items()}
    other_way = differences[differences["player_a"] == best].rename(columns=turned)
    signed = ["difference", "difference_low", "difference_high"]
    other_way[signed] = -other_way[signed]
    turned_to_best: pd.DataFrame = pd.concat([differences[differences["player_b"] == best], other_way])
    return turned_to_best
