"""The generalised likelihood ratio of a change in rewards within [0, 1], as of GLR-klUCB."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from bandits.kernels.indices.kl_index import bernoulli_kl
from numerics import checks
from numerics.kernels.jit import kernel

GLR_ROWS = 3  # of the state of a detector: how many rewards, their sum, and its last entry of the pool
COUNT, TOTAL, LAST = range(GLR_ROWS)
SUM, BEFORE = range(2)  # rows of an entry of the pool: the sum of an arm's rewards so far, and its entry before, or 0
_SLACK = 1.0 - 1e-9  # covers rounding where a bound rules an alarm out


def detect_by_likelihood(rewards: Iterable[float], delta: float, every: int = 1, splits: int = 1) -> int | None:
    """Return the number of rewards at the first alarm of the Bernoulli likelihood ratio, or None.

    Parameters
    ----------
    rewards : sequence of float, [N]
        In [0, 1], in the order in which they arrived.
    delta : float
        In (0, 1): about the probability of a false alarm.
    every : int, default 1
        Look after each so many rewards only, at least 1.
    splits : int, default 1
        Look only at changes after a multiple of so many rewards, at least 1.

    Notes
    -----
    Besson, Kaufmann, Maillard and Seznec, "Efficient change-point detection for tackling piecewise-stationary bandits",
    JMLR 23 (2022), section 3. There is an alarm after n rewards if some split s has
    s kl(m_1, m) + (n - s) kl(m_2, m) > ln(n^1.5 / delta). Here m_1, m_2 and m are the means of the first s rewards, of
    the others and of all. The threshold is that of the authors' experiments. A larger one is proved to give a false
    alarm with a probability of at most delta.

    Examples
    --------
    >>> detect_by_likelihood([0] * 20 + [1] * 20, delta=0.05)
    23
    """
    values = np.array(checks.number_list("rewards", rewards))
    if values.size and not (values.min() >= 0.0 and values.max() <= 1.0):
        raise ValueError(f"rewards must be in [0, 1]; got {values.min():g} to {values.max():g}")
    delta = checks.number("delta", delta, low=0.0, high=1.0, above=True, below=True)
    every, splits = checks.check_whole("every", every, low=1), checks.check_whole("splits", splits, low=1)
    state = np.zeros((1 + GLR_ROWS + 2 * (values.size // splits), 1))
    scan: Any = _scan
    return scan(values, state, -math.log(delta), every, splits) or None


@kernel()
def _scan(rewards, state, level, every, splits):
    for i in range(rewards.size):
        if glr_step(state, 1, 0, 1 + GLR_ROWS, 0, rewards[i], level, every, splits):
            return i + 1
    return 0


@kernel()
def glr_step(memory, row, used, pool, r, reward, level, every, splits):
    """Take a reward into the detector of column r that begins at a row; return whether it gives an alarm.

    After each `splits` rewards their sum so far is kept in the next entry of a pool of two rows an entry, which many
    detectors may share: row `used` counts its entries. `level` is ln(1 / delta).
    """
    count = int(memory[row + COUNT, r]) + 1
    total = memory[row + TOTAL, r] + reward
    memory[row + COUNT, r], memory[row + TOTAL, r] = count, total
    if count % splits == 0:
        entry = pool + 2 * int(memory[used, r])
        memory[entry + SUM, r], memory[entry + BEFORE, r] = total, memory[row + LAST, r]
        memory[used, r] += 1.0
        memory[row + LAST, r] = memory[used, r]
    if count % every != 0:
        return False
    mean = total / count
    spread = mean * (1.0 - mean)
    if spread <= 0.0:  # all rewards are equal
        return False
    level += 1.5 * math.log(float(count))
    excluded = level * spread / count * _SLACK
    split, last = count - count % splits, int(memory[row + LAST, r])
    while last > 0:
        entry = pool + 2 * (last - 1)
        before, after = float(split), float(count - split)
        moved = memory[entry + SUM, r] / before - mean
        # kl(p, q) <= (p - q)^2 / (q (1 - q)), so that nearly all splits need no logarithm
        if split < count and before * moved * moved > excluded * after:
            rest = min(max((total - memory[entry + SUM, r]) / after, 0.0), 1.0)
            ratio = before * bernoulli_kl(mean + moved, mean) + after * bernoulli_kl(rest, mean)
            if ratio > level:
                return True
        last, split = int(memory[entry + BEFORE, r]), split - splits
    return False
