"""The search of `gymcts`, which seeks the highest reward at every node; positions are kept, not copied."""

from __future__ import annotations

import random
from typing import Any

import gymnasium
from board import Board, report
from gymcts.gymcts_agent import GymctsAgent
from gymcts.gymcts_env_abc import GymctsABC


class Crosses(GymctsABC):
    """With the methods that it asks for."""

    action_space = gymnasium.spaces.Discrete(9)

    def __init__(self) -> None:
        self.board = Board()

    def get_state(self) -> Board:
        """Return the position."""
        return self.board

    def load_state(self, state: Board) -> None:
        """Go on from a position."""
        self.board = state

    def is_terminal(self) -> bool:
        """Return whether the game is over."""
        return self.board.is_over()

    def get_valid_actions(self) -> list[int]:
        """Return the free cells."""
        return self.board.free()

    def action_masks(self) -> None:
        """Return that there are none."""

    def step(self, action: Any) -> Any:
        """Move."""
        self.board = self.board.after(action)
        return None, self.board.score(), self.board.is_over(), False, {}

    def rollout(self) -> float:
        """Play at random, and return the result."""
        board = self.board
        while not board.is_over():
            board = board.after(random.choice(board.free()))
        return board.score()


def searched(simulations: int) -> tuple[int, int]:
    """Search from the empty board."""
    random.seed(0)
    searcher = GymctsAgent(Crosses())
    move = searcher.vanilla_mcts_search(num_simulations=simulations)
    return searcher.search_root_node.visit_count, move


if __name__ == "__main__":
    report(searched)
