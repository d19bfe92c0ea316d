"""The result of a search as JSON, without its history: the top of its tree, and the index of every move."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from connect4 import Board
from experiments.recordings.packed import count_steps, position_of
from experiments.recordings.rules import describe_rule
from mcts import SearchResult

_NODES = 1_500  # of the tree, the most visited ones


def result_recording(result: SearchResult) -> dict[str, Any]:
    """Return the result of a board's search as JSON.

    Raises
    ------
    ValueError
        A search of another game, a search without simulations, or a board that was not reached by moves.

    Examples
    --------
    >>> from mcts import search
    >>> result_recording(search(Board.from_moves("4453"), simulations=100))["title"]
    'ucb c=1 searched 4453: 100 simulations'
    """
    board = result.board
    if not isinstance(board, Board) or len(board.moves) != board.plies or not result.visits.sum():
        raise ValueError(f"result must have simulations and a board that was reached by moves; got {result!r}")
    rule = describe_rule(result.policy)
    return {
        "kind": "search",
        "version": 1,
        "title": f"{rule['label']} searched {board.notation or 'the empty board'}: "
        + count_steps(result.simulations, "simulation"),
        "command": "",
        "position": position_of(board),
        "exact": None,
        "searches": [
            {
                **rule,
                "simulations": result.simulations,
                "moves": result.moves.tolist(),
                "tree": _most_visited(result),
                "scores": [_number(score) for score in result.scores.tolist()],
            }
        ],
    }


def _most_visited(result: SearchResult) -> dict[str, list[Any]]:
    """Return the root, its moves and the most visited nodes below them, each after its parent."""
    visits, parents = result.tree.visits, result.parents
    least = max(1.0, float(np.sort(visits)[-_NODES])) if visits.size > _NODES else 1.0
    places: dict[int, int] = {}
    kept = [
        node
        for node in range(visits.size)
        if (visits[node] >= least or parents[node] <= 0)
        and (node == 0 or int(parents[node]) in places)
        and places.setdefault(node, len(places)) >= 0
    ]
    values = np.nan_to_num(result.node_values(np.array(kept)), nan=0.5)
    return {
        "parent": [places.get(int(parents[node]), -1) for node in kept],
        "move": [int(result.tree.move[node]) for node in kept],
        "visits": [int(visits[node]) for node in kept],
        "value": [round(float(value), 6) for value in values],
    }


def _number(value: float) -> float | str | None:
    """Return a number for JSON: -inf as JavaScript's word for it, NaN as None."""
    return None if math.isnan(value) else value if math.isfinite(value) else f"{'-' if value < 0 else ''}Infinity"
