"""A window in two halves: an alarm where their sums are far apart, as of M-UCB."""

from __future__ import annotations

from numerics.kernels.jit import kernel

WINDOW_ROWS = 2  # of the state of a window, which its last rewards follow
_COUNT, _DIFFERENCE = range(WINDOW_ROWS)


def halves(window: int) -> int:
    """Return the length of two whole halves of a window."""
    return window - window % 2


@kernel()
def window_step(memory, row, r, reward, window, threshold):
    """Take a reward into the window of column r that begins at a row; return whether it gives an alarm.

    It gives an alarm if the sums of the two halves of the last `window` rewards differ by more than `threshold`. See
    Cao, Wen, Kveton and Xie, "Nearly optimal adaptive procedure with change detection for piecewise-stationary bandit",
    AISTATS 2019, algorithm 1. Without a change, rewards in [0, 1] are further apart than b with a probability of at
    most 2 exp(-2 b^2 / w) at each reward.

    The rows are the number of rewards, the sum of the newer half minus that of the older, and the last `window`
    rewards. A new window has 0 rewards. It costs the same for windows of any length.
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
