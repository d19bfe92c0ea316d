"""The search of `imparaai-montecarlo`, which plays a game from every child of the node that it expands."""

from __future__ import annotations

import random
from typing import Any

from board import Board, report
from montecarlo.montecarlo import MonteCarlo
from montecarlo.node import Node


def node_of(board: Board, move: int | None) -> Any:
    """Return a node, which knows who moves and how it was reached."""
    node = Node(board)
    node.player_number, node.move = board.mover, move
    return node


def find_children(node: Any, searcher: Any) -> None:
    """Add the node after each move, or count the result of an end once more: else it would be chosen for ever."""
    if node.state.is_over():
        node.update_win_value(node.state.score())
        return
    node.add_children([node_of(node.state.after(move), move) for move in node.state.free()])


def value_of(node: Any, searcher: Any) -> int | None:
    """Return the result of a node at the end for the player who moves first."""
    return node.state.score() if node.state.is_over() else None


def searched(simulations: int) -> tuple[int, int]:
    """Search from the empty board, until as many games have been played."""
    random.seed(0)
    searcher = MonteCarlo(node_of(Board(), None))
    searcher.child_finder, searcher.node_evaluator = find_children, value_of
    while searcher.root_node.visits < simulations:
        searcher.simulate()
    return searcher.root_node.visits, searcher.make_choice().move


if __name__ == "__main__":
    report(searched)
