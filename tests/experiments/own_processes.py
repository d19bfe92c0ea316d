"""Processes of a user's, which tests name by their paths."""

from __future__ import annotations

from typing import Any

from mcts import Process


def step(state: Any, action: int, states: Any, chances: Any, rewards: Any) -> int:
    """Go left (0) or right (1), as meant with probability 0.6; 1 is paid at 6."""
    if action > 1 or state[0] == 0 or state[0] == 6:
        return 0
    for side in range(2):
        states[side, 0] = state[0] + 2 * side - 1
        chances[side] = 0.6 if side == action else 0.4
        rewards[side] = 1.0 if states[side, 0] == 6 else 0.0
    return 2


walk = Process([3], 2, 2, step)


def walk_from(start: int = 3) -> Process:
    return Process([start], 2, 2, step)


class Walk:
    process = walk


def broken() -> Process:
    raise RuntimeError("no walk today")
