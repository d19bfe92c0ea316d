"""What players choose in positions whose moves have exact scores, and what each choice is worth."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from connect4.players.open_spiel import OpenSpielPlayer
from connect4.referee import illegal
from experiments.graded_positions.positions import Graded
from experiments.players.specs import PlayerSpec
from mcts import MonteCarloPlayer, UCTPlayer
from numerics.output import tables
from numerics.players import Player, failure
from numerics.random import Purpose, derived_seed

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
"""The columns of choices.parquet, one row a player and position.

player, name
    The label, and the name with every parameter that is not the default.
simulations
    Of a move; empty for a player without, or whose moves rest on exact scores.
position, source, ply
    The number in the set, the kind, such as "random" or "self_play", and the stones on the board.
column
    The 0-based column that was chosen; -1 where that was no legal move.
keeps_value, best
    Whether win, draw or loss is what it was; whether no move has a higher score.
loss
    The best score minus that of the move; NaN after an illegal move or none.
value
    What the player says that the side to move gets, from 0 to 1; NaN where it says nothing.
failure
    What went wrong: "illegal move: column 1 is full", or an exception with its text; empty where nothing did.
"""
TIMINGS = {"player": "str", "position": "int64", "seconds": "float64", "processor": "float64"}
"""The columns of timings.parquet: the seconds of a move by the clock, and those of the processor in our own thread."""


def ask(path: Path, spec: PlayerSpec, seed: int, first: int, positions: Sequence[tuple[Graded, str]]) -> None:
    """Ask a player in positions, whose numbers count from `first` and whose kinds are given; store what it chose."""
    import pandas as pd

    player = spec.player(derived_seed(seed, (Purpose.STRENGTH_PLAYER,)))
    who = {"player": spec.label, "name": spec.name, "simulations": simulations_of(player)}
    rows = [{**who, **judged(player, number, *one)} for number, one in enumerate(positions, first)]
    tables.write(pd.DataFrame(rows).astype({**CHOICES, **TIMINGS}), path)


def simulations_of(player: Player) -> int | None:
    """Return the simulations of a move; None for a player without, or whose moves rest on exact scores.

    Examples
    --------
    >>> simulations_of(UCTPlayer()), simulations_of(UCTPlayer(seconds=0.1))
    (1000, None)
    """
    if isinstance(player, UCTPlayer | OpenSpielPlayer):
        return player.budget
    return player.simulations if isinstance(player, MonteCarloPlayer) else None


def judged(player: Any, position: int, graded: Graded, source: str) -> dict[str, Any]:
    """Ask a player for its move in position number `position`; return what it is worth, and the seconds it took."""
    board, column, value, why = graded.board, -1, None, ""
    start, processor = time.perf_counter(), time.thread_time()
    try:
        player.reset(position)
        column = int(player.play(board))
        value = getattr(player, "value", None)
    except Exception as error:
        why = failure(error)
    seconds, processor = time.perf_counter() - start, time.thread_time() - processor
    if not why and column not in graded.board.legal_moves():
        column, why = -1, illegal(column, board.width)  # which may be too large for the table
    loss = np.nan if why else graded.loss(column)
    return {
        "position": position,
        "source": source,
        "ply": len(graded.moves),
        "column": column,
        "keeps_value": not why and graded.keeps_value(column),
        "best": loss == 0,
        "loss": loss,
        "value": np.nan if value is None else value,
        "failure": why,
        "seconds": seconds,
        "processor": processor,
    }
