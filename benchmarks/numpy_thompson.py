"""Thompson sampling in NumPy: one Beta draw for every arm of every replication, all in one call, then the argmax.

The parameters of the posteriors are kept and changed where an arm is pulled. Like our kernel it pays an independent
reward of the best arm at every step and keeps regret, gain and best gain at the checkpoints.
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
    gain, best_gain, column = np.zeros(runs), np.zeros(runs), np.arange(runs)
    curves, reached = Curves(*(np.empty((runs, checkpoints.size)) for _ in Curves._fields)), 0
    for t in range(1, horizon + 1):
        arm = rng.beta(alpha, beta).argmax(axis=0)
        reward = (rng.random(runs) < means[arm]).astype(np.float64)
        alpha[arm, column] += reward
        beta[arm, column] += 1.0 - reward
        gain += reward
        best_gain += rng.random(runs) < best
        if t == checkpoints[reached]:
            curves.pseudo_regret[:, reached] = gaps @ (alpha + beta - 2.0)
            curves.gain[:, reached], curves.best_gain[:, reached] = gain, best_gain
            reached += 1
    return curves
