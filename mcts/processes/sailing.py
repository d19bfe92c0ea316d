"""Sailing: a boat crosses a lake of n by n points while the wind turns, at the least expected cost.

Wind and headings are 0 to 7, north, north-east and so on. A leg costs 1 + d, where d is the angle between heading and
wind in eighths of a circle. Sailing against the wind, d = 4, is impossible.
"""

from __future__ import annotations

import math

import numpy as np

from mcts.processes.base import NamedProcess
from mcts.processes.process import SIGNATURE, Process
from numerics.kernels.jit import kernel
from numerics.parameters import parameter

X, Y, WIND, TACK, SIZE, DELAY = range(6)  # a state; TACK is that of the last leg: PORT, STARBOARD, or 0 with the wind
PORT, STARBOARD = 1, 2
_SQRT2 = math.sqrt(2.0)
_EAST = np.array([0, 1, 1, 1, 0, -1, -1, -1])
_NORTH = np.array([1, 1, 0, -1, -1, -1, 0, 1])
# The wind of the next leg, by that of this one; the same in three programs of others.
_TURNS = np.array(
    [
        [0.4, 0.3, 0.0, 0.0, 0.0, 0.0, 0.0, 0.3],
        [0.4, 0.3, 0.3, 0.0, 0.0, 0.0, 0.0, 0.0],
        [0.0, 0.4, 0.3, 0.3, 0.0, 0.0, 0.0, 0.0],
        [0.0, 0.0, 0.4, 0.3, 0.3, 0.0, 0.0, 0.0],
        [0.0, 0.0, 0.0, 0.4, 0.2, 0.4, 0.0, 0.0],
        [0.0, 0.0, 0.0, 0.0, 0.3, 0.3, 0.4, 0.0],
        [0.0, 0.0, 0.0, 0.0, 0.0, 0.3, 0.3, 0.4],
        [0.4, 0.0, 0.0, 0.0, 0.0, 0.0, 0.3, 0.3],
    ]
)


@kernel(SIGNATURE)
def sail(state, action, states, chances, rewards):
    """Sail one leg in the direction `action`; the reward is its cost with the sign changed."""
    size = state[SIZE]
    x, y, turn = state[X] + _EAST[action], state[Y] + _NORTH[action], (action - state[WIND]) % 8
    at_goal = state[X] == size - 1 and state[Y] == size - 1
    if at_goal or turn == 4 or x < 0 or y < 0 or x >= size or y >= size:
        return 0
    cost, tack = 1.0 + min(turn, 8 - turn), 0
    if state[DELAY] > 0:
        if action % 2 == 1:
            cost *= _SQRT2
        tack = 0 if turn == 0 else PORT if turn < 4 else STARBOARD
        if state[TACK] + tack == PORT + STARBOARD:
            cost += state[DELAY]
    count = 0
    for wind in range(8):
        if _TURNS[state[WIND], wind] > 0.0:
            states[count, X], states[count, Y], states[count, WIND], states[count, TACK] = x, y, wind, tack
            states[count, SIZE], states[count, DELAY] = size, state[DELAY]  # word by word, which is faster
            chances[count], rewards[count] = _TURNS[state[WIND], wind], -cost
            count += 1
    return count


class Sailing(NamedProcess, name="sailing"):
    """A boat in the south-west corner of a lake, bound for the north-east one.

    Parameters
    ----------
    size : int, default 10
        n, from 2 to 1,000.
    wind : int, default 0
        Where the wind blows to at first: 0 is north, 1 north-east, ... 7 north-west.
    delay : int, default 0
        What going from one tack to the other costs. Above 0, diagonal legs are also sqrt(2) times as long:
        Vanderbei's lake, delay 3, which has costs of 1 to 8.66.

    Examples
    --------
    >>> from mcts import exact_values
    >>> exact_values(Sailing(3, wind=1)).value
    -2.7
    """

    size: int = parameter(10, low=2, high=1_000, help="points on each side of the lake")
    wind: int = parameter(0, low=0, high=7, help="initial wind direction: 0 north, 1 north-east, ... 7 north-west")
    delay: int = parameter(
        0, low=0, high=1_000, help="cost of a change of tack; if above 0, diagonal legs are sqrt(2) times as long"
    )

    @property
    def process(self) -> Process:
        """The process at its beginning."""
        state = np.array([0, 0, self.wind, 0, self.size, self.delay], dtype=np.int64)
        return Process(state, most_actions=8, most_outcomes=3, outcomes=sail)
