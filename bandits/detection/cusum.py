"""Two-sided cumulative sums against the mean of the first rewards, as of CUSUM-UCB."""

from __future__ import annotations

from numerics.kernels.jit import kernel

CUSUM_ROWS = 4  # of the state of a detector
_COUNT, _TOTAL, _UP, _DOWN = range(CUSUM_ROWS)


@kernel()
def cusum_step(memory, row, r, reward, first, epsilon, threshold):
    """Take a reward into the sums of column r that begin at a row; return whether it gives an alarm.

    Liu, Lee and Shroff, "A change-detection based framework for piecewise-stationary multi-armed bandit problem", AAAI
    2018, algorithm 2. Let u be the mean of the first M = `first` rewards. Each later reward y updates
    g+ = max(0, g+ + y - u - epsilon) and g- = max(0, g- + u - y - epsilon). An alarm is a sum of at least `threshold`.
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
