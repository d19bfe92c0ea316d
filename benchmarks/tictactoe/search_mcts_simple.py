"""The search of `mcts-simple`, whose games change in place and are copied."""

from __future__ import annotations

from board import Board, report
from mcts_simple import UCT, Game


class Crosses(Board, Game):
    """With the methods that it asks for."""

    possible_actions = Board.free

    def get_state(self) -> tuple[int | None, ...]:
        """Return the cells."""
        return self.cells

    def number_of_players(self) -> int:
        """Return 2."""
        return 2

    def current_player(self) -> int:
        """Return who moves."""
        return self.mover

    def take_action(self, action: int) -> None:
        """Move."""
        self.cells, self.mover = self.filled(action), 1 - self.mover

    def winner(self) -> list[int]:  # type: ignore[override]
        """Return who has won: both in a draw."""
        winner = Board.winner(self)
        return [0, 1] if winner is None else [winner]

    def has_outcome(self) -> bool:
        """Return whether the game is over."""
        return Board.winner(self) is not None or None not in self.cells


def searched(simulations: int) -> tuple[int, int]:
    """Search from the empty board."""
    searcher = UCT(Crosses(), seed=0)
    searcher.self_play(simulations)
    children = searcher.root.children
    return searcher.root.n, max(children, key=lambda move: children[move].n)


if __name__ == "__main__":
    report(searched)
