"""What players choose in positions whose moves have exact scores, and what each choice is worth."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np

from connect4.referee import illegal
from experiments.graded_positions.positions import sourced_positions
from experiments.players.specs import PlayerSpec
from mcts import MonteCarloPlayer, UCTPlayer
from numerics.output import tables
from numerics.players import Player, failure
from numerics.random import Purpose, derived_seed

CHOICES = {
    "player": "str", "name": "str", "simulations": "Int64", "position": "int64", "source": "str", "ply": "int64",
    "column": "int64", "keeps_value": "bool", "best": "bool", "loss": "float64", "failure": "str",
}  # fmt: skip
"""The columns of choices.parquet, one row a player and position.

player, name
    The label, and the name with every parameter that is not the default.
simulations
    Of a move; empty for a player without, or whose moves rest on exact scores.
position, source, ply
    The number in the set, whether it is of "random" games or of "self_play", and the stones on the board.
column
    The 0-based column that was chosen; -1 where there was none.
keeps_value, best
    Whether win, draw or loss is what it was; whether no move has a higher score.
loss
    The best score minus that of the move; NaN after an illegal move or none.
failure
    What went wrong: "illegal move: column 1 is full", or an exception with its text; empty where nothing did.
"""
TIMINGS = {"player": "str", "position": "int64", "seconds": "float64"}


def ask(path: Path, spec: PlayerSpec, positions_from: str, seed: int, first: int, count: int) -> None:
    """Ask a player in positions `first` ... `first + count - 1` of a set, and store what it chose."""
    import pandas as pd

    player = spec.player(derived_seed(seed, (Purpose.STRENGTH_PLAYER,)))
    who = {"player": spec.label, "name": player.name, "simulations": simulations_of(player)}
    rows = [{**who, **judged(player, position, positions_from)} for position in range(first, first + count)]
    tables.write(pd.DataFrame(rows).astype({**CHOICES, "seconds": "float64"}), path)


def simulations_of(player: Player) -> int | None:
    """Return the simulations of a move; None for a player without, or whose moves rest on exact scores.

    Examples
    --------
    >>> simulations_of(UCTPlayer()), simulations_of(UCTPlayer(seconds=0.1))
    (1000, None)
    """
    if isinstance(player, UCTPlayer):
        return player.budget
    return player.simulations if isinstance(player, MonteCarloPlayer) else None


def judged(player: Player, position: int, positions_from: str) -> dict[str, Any]:
    """Ask a player for its move in a position of a set; return what it is worth, and the seconds it took."""
    graded, source = sourced_positions(positions_from)[position]
    board, column, why = graded.board, -1, ""
    start = time.perf_counter()
    try:
        player.reset(position)
        column = int(player.play(board))
    except Exception as error:
        why = failure(error)
    seconds = time.perf_counter() - start
    if not why and column not in graded.board.legal_moves():
        why = illegal(column, board.width)
    loss = np.nan if why else graded.loss(column)
    return {
        "position": position, "source": source, "ply": len(graded.moves), "column": column,
        "keeps_value": not why and graded.keeps_value(column), "best": loss == 0, "loss": loss, "failure": why,
        "seconds": seconds,
    }  # fmt: skip
