"""Two-sided cumulative sums against the mean of the first rewards, as of CUSUM-UCB."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from numerics import checks
from numerics.kernels.jit import kernel

CUSUM_ROWS = 4  # of the state of a detector
_COUNT, _TOTAL, _UP, _DOWN = range(CUSUM_ROWS)


def detect_by_cusum(rewards: Iterable[float], first: int, epsilon: float, threshold: float) -> int | None:
    """Return the number of rewards at the first alarm of two cumulative sums, or None.

    Parameters
    ----------
    rewards : sequence of float, [N]
        In the order in which they arrived.
    first : int
        M, at least 1: the mean of the first M rewards is what later ones are compared with.
    epsilon : float
        How far the mean may move without being a change, at least 0.
    threshold : float
        h, above 0: an alarm is a sum of at least h.

    Notes
    -----
    Liu, Lee and Shroff, "A change-detection based framework for piecewise-stationary multi-armed bandit problem", AAAI
    2018, algorithm 2. Let u be the mean of the first M rewards. Each later reward y updates
    g+ = max(0, g+ + y - u - epsilon) and g- = max(0, g- + u - y - epsilon).

    Examples
    --------
    >>> detect_by_cusum([0, 0, 0, 0, 1, 1, 1, 1], first=4, epsilon=0.5, threshold=1.0)
    6
    """
    values = np.array(checks.number_list("rewards", rewards))
    first = checks.check_whole("first", first, low=1)
    epsilon = checks.number("epsilon", epsilon, low=0.0)
    threshold = checks.number("threshold", threshold, low=0.0, above=True)
    scan: Any = _scan
    return scan(values, np.zeros((CUSUM_ROWS, 1)), float(first), epsilon, threshold) or None


@kernel()
def _scan(rewards, state, first, epsilon, threshold):
    for i in range(rewards.size):
        if cusum_step(state, 0, 0, rewards[i], first, epsilon, threshold):
            return i + 1
    return 0


@kernel()
def cusum_step(memory, row, r, reward, first, epsilon, threshold):
    """Take a reward into the sums of column r that begin at a row; return whether it gives an alarm.

    The rows are the count of rewards, the sum of the first ones, g+ and g-; all are 0 for a new detector.
    """
    memory[row + _COUNT, r] += 1.0
    if memory[row + _COUNT, r] <= first:
        memory[row + _TOTAL, r] += reward
        return False
    moved = reward - memory[row + _TOTAL, r] / first
    up = max(0.0, memory[row + _UP, r] + moved - epsilon)
    down = max(0.0, memory[row + _DOWN, r] - moved - epsilon)
    memory[row + _UP, r], memory[row + _DOWN, r] = up, down
    return up >= threshold or down >= threshold
