"""Pig: two players roll a die for points; who rolls a 1 loses those of the turn. Piglet has a coin.

A player's action is to roll, or to hold and keep the points. Who has the goal wins. Values are the probability that
player 0 wins.

Neller and Presser, "Optimal play of the dice game Pig", The UMAP Journal 25 (2004).
"""

from __future__ import annotations

import numpy as np

from mcts.processes.base import NamedProcess
from mcts.processes.process import SIGNATURE, Process
from numerics.kernels.jit import kernel
from numerics.parameters import parameter

OWN, OTHERS, TURN, MOVER, GOAL, SIDES = range(6)  # a state, as the player to move sees it; SIDES is 2 of a coin
ROLL, HOLD = 0, 1


@kernel(SIGNATURE)
def roll_or_hold(state, action, states, chances, rewards):
    """Roll or hold; the reward is 1 if player 0 then has the goal."""
    if state[OWN] + state[TURN] >= state[GOAL] or (action == HOLD and state[TURN] == 0):
        return 0
    count = 1 if action == HOLD else state[SIDES]
    for side in range(count):
        states[side] = state
        chances[side], rewards[side] = 1.0 / count, 0.0
        if side == 0:  # the turn ends
            states[side, OWN], states[side, TURN] = state[OTHERS], 0
            states[side, OTHERS] = state[OWN] + (state[TURN] if action == HOLD else 0)
            states[side, MOVER] = 1 - state[MOVER]
        else:
            gained = 1 if state[SIDES] == 2 else side + 1
            states[side, TURN] = min(state[TURN] + gained, state[GOAL] - state[OWN])
            wins = states[side, OWN] + states[side, TURN] == state[GOAL]
            rewards[side] = 1.0 if wins and state[MOVER] == 0 else 0.0
    return count


class Pig(NamedProcess, name="pig"):
    """Two players roll a die for points: who rolls a 1 loses those of the turn.

    Parameters
    ----------
    goal : int, default 100
        Points that win, from 1 to 100.
    coin : bool, default False
        Piglet: heads is a point, tails ends the turn.

    Examples
    --------
    >>> from mcts import exact_values
    >>> round(exact_values(Pig(goal=20)).value, 9)
    0.61555855
    """

    goal: int = parameter(100, low=1, high=100, help="points to win")
    coin: bool = parameter(False, help="toss a coin instead of a die: heads scores a point, tails ends the turn")

    @property
    def process(self) -> Process:
        """The process at its beginning."""
        state = np.array([0, 0, 0, 0, self.goal, 2 if self.coin else 6], dtype=np.int64)
        return Process(state, most_actions=2, most_outcomes=6, outcomes=roll_or_hold, to_move=MOVER)


class Piglet(Pig, name="piglet", goal=10, coin=True):
    """Pig with a coin: heads is a point, tails ends the turn."""
