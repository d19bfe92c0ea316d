"""Bots of OpenSpiel, as somebody writes them."""

from __future__ import annotations

import random
from typing import Any

import pyspiel


class Leftmost(pyspiel.Bot):
    """Plays the first open column."""

    def __init__(self) -> None:
        pyspiel.Bot.__init__(self)

    def step(self, state: Any) -> int:
        return int(state.legal_actions()[0])


class Teller(Leftmost):
    """Fails by telling what it was made with and what it was told."""

    def __init__(self, player_id: int, seed: int, seconds: float = 0.0) -> None:
        super().__init__()
        self.made = (player_id, seconds, random.Random(seed).random() < 2.0)
        self.told: list[tuple[int, int, int]] = []

    def inform_action(self, state: Any, player_id: int, action: int) -> None:
        self.told.append((len(state.history()), player_id, action))

    def step(self, state: Any) -> int:
        if len(state.history()) > 2:
            raise RuntimeError(f"{self.made} {self.told}")
        return super().step(state)


class Wrong(Leftmost):
    """Plays into a column that there is not."""

    def step(self, state: Any) -> int:
        return 7


def no_bot() -> int:
    return 3


def fails(game: Any) -> None:
    raise OSError(f"no network for {game.num_distinct_actions()} columns")


def hangs() -> Any:
    class Hanging(Leftmost):
        def step(self, state: Any) -> int:
            while True:
                pass

    return Hanging()
