"""Thompson sampling in NumPy: one Beta draw for every arm of every replication, all in one call, then the argmax.

The parameters of the posteriors are kept and changed where an arm is pulled. Like our kernel it pays an independent
reward of the best arm at every step and keeps regret, reward_sum and best reward_sum at the checkpoints.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from benchmarks.numpy_ucb1 import Curves, Floats


def play(means: Floats, horizon: int, runs: int, checkpoints: npt.NDArray[np.int64], seed: int) -> Curves:
    """Play Thompson sampling with the prior Beta(1, 1)."""
    rng = np.random.default_rng(seed)
    arms, best, gaps = means.size, means.max(), means.max() - means
    alpha, beta = np.ones((arms, runs)), np.ones((arms, runs))
    reward_sum, best_reward_sum, column = np.zeros(runs), np.zeros(runs), np.arange(runs)
    curves, reached = Curves(*(np.empty((runs, checkpoints.size)) for _ in Curves._fields)), 0
    for t in range(1, horizon + 1):
        arm = rng.beta(alpha, beta).argmax(axis=0)
        reward = (rng.random(runs) < means[arm]).astype(np.float64)
        alpha[arm, column] += reward
        beta[arm, column] += 1.0 - reward
        reward_sum += reward
        best_reward_sum += rng.random(runs) < best
        if t == checkpoints[reached]:
            curves.pseudo_regret[:, reached] = gaps @ (alpha + beta - 2.0)
            curves.reward_sum[:, reached], curves.best_reward_sum[:, reached] = reward_sum, best_reward_sum
            reached += 1
    return curves
