"""The choices of players in positions whose moves have exact scores, and the worth of each choice."""

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
"""The columns of choices.parquet, a row for each player and position.

player, name
    The label, and the name with every parameter that is not the default.
simulations
    For each move; empty for players without simulations, or whose moves use exact scores.
position, source, ply
    The number in the set, the kind, such as "random" or "self_play", and the stones on the board.
column
    The chosen 0-based column; -1 if it was not a legal move.
keeps_value, best
    Whether the move keeps the win, draw or loss; whether no move has a higher score.
loss
    The best score minus that of the move; NaN without a legal move.
value
    The player's value for the side to move, from 0 to 1; NaN if it gives none.
failure
    The error: "illegal move: column 1 is full", or an exception with its text; empty if there was none.
"""
TIMINGS = {"player": "str", "position": "int64", "seconds": "float64", "processor": "float64"}
"""The columns of timings.parquet: wall time and processor time of a move in the calling thread."""


def ask(path: Path, spec: PlayerSpec, seed: int, first: int, positions: Sequence[tuple[Graded, str]]) -> None:
    """Store a player's choices in positions numbered from `first`; each position comes with its kind."""
    player = spec.player(derived_seed(seed, (Purpose.STRENGTH_PLAYER,)))
    who = {"player": spec.label, "name": spec.name, "simulations": simulations_of(player)}
    rows = [{**who, **judged(player, number, *position)} for number, position in enumerate(positions, first)]
    tables.write(tables.of(rows).astype({**CHOICES, **TIMINGS}), path)


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


def judged(player: Any, position: int, graded: Graded, source: str) -> dict[str, Any]:
    """Ask a player for its move in position number `position`; return the worth of the move, and its time."""
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
        column, why = -1, illegal(column, board.width)  # the column may be too large for the table
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
