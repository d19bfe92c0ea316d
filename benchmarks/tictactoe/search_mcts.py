"""The search of `mcts` (pbsinclair42), which seeks the highest reward at every node."""

from __future__ import annotations

from typing import Any

from board import Board, report

import mcts


class Crosses(Board):
    """With the methods that it asks for."""

    getPossibleActions, takeAction, isTerminal, getReward = Board.free, Board.after, Board.is_over, Board.score


def searched(simulations: int) -> tuple[int, int]:
    """Search from the empty board."""
    searcher: Any = mcts.mcts(iterationLimit=simulations)
    move = searcher.search(initialState=Crosses())
    return searcher.root.numVisits, move


if __name__ == "__main__":
    report(searched)
