"""Our search of the class."""

from __future__ import annotations

from board import Board, report

from mcts import search


class Crosses(Board):
    """With the methods that we ask for."""

    moves, play = Board.free, Board.after

    def player(self) -> int:
        """Return who moves."""
        return self.mover

    def result(self) -> tuple[int, int] | None:
        """Return a number for each player, or None before the end."""
        winner = self.winner()
        if winner is None:
            return None if None in self.cells else (0, 0)
        return (1, -1) if winner == 0 else (-1, 1)


def searched(simulations: int) -> tuple[int, int]:
    """Search from the empty board."""
    found = search(Crosses(), simulations=simulations, seed=0)
    return int(found.visits.sum()), int(found.best_move)


if __name__ == "__main__":
    report(searched)
