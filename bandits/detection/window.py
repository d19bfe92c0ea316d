"""A window in two halves: an alarm where their sums are far apart, as of M-UCB."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from numerics import checks
from numerics.kernels.jit import kernel

WINDOW_ROWS = 2  # of the state of a window, which its last rewards follow
_COUNT, _DIFFERENCE = range(WINDOW_ROWS)


def detect_by_window(rewards: Iterable[float], window: int, threshold: float) -> int | None:
    """Return the number of rewards at the first alarm of a window in two halves, or None.

    Parameters
    ----------
    rewards : sequence of float, [N]
        In the order in which they arrived.
    window : int
        w, at least 2; an odd one counts as the even number below.
    threshold : float
        b, at least 0: an alarm is a difference above b between the sums of the two halves of the last w rewards.

    Notes
    -----
    Cao, Wen, Kveton and Xie, "Nearly optimal adaptive procedure with change detection for piecewise-stationary
    bandit", AISTATS 2019, algorithm 1. Without a change, rewards in [0, 1] are further apart than b with a probability
    of at most 2 exp(-2 b^2 / w) at each reward.

    Examples
    --------
    >>> detect_by_window([0, 0, 0, 0, 1, 1, 1, 1], window=4, threshold=1.5)
    6
    """
    values = np.array(checks.number_list("rewards", rewards))
    window = halves(checks.check_whole("window", window, low=2))
    threshold = checks.number("threshold", threshold, low=0.0)
    state = np.zeros((WINDOW_ROWS + window, 1))
    scan: Any = _scan
    return scan(values, state, threshold) or None


def halves(window: int) -> int:
    """Return the length of two whole halves of a window."""
    return window - window % 2


@kernel()
def _scan(rewards, state, threshold):
    for i in range(rewards.size):
        if window_step(state, 0, 0, rewards[i], state.shape[0] - WINDOW_ROWS, threshold):
            return i + 1
    return 0


@kernel()
def window_step(memory, row, r, reward, window, threshold):
    """Take a reward into the window of column r that begins at a row; return whether it gives an alarm.

    The rows are the count of rewards, 0 for a new window, the sum of the newer half less that of the older, and the
    last `window` rewards. It costs the same for windows of any length.
    """
    count = int(memory[row + _COUNT, r])
    half, slot = window // 2, count % window
    difference = memory[row + _DIFFERENCE, r] + reward if count > 0 else reward
    kept = row + WINDOW_ROWS
    if count >= half:  # this one passes to the older half
        difference -= 2.0 * memory[kept + (slot + half) % window, r]
    if count >= window:
        difference += memory[kept + slot, r]
    memory[kept + slot, r] = reward
    memory[row + _DIFFERENCE, r] = difference
    memory[row + _COUNT, r] = count + 1.0
    return count + 1 >= window and abs(difference) > threshold
