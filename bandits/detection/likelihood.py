"""The generalised likelihood ratio of a change in rewards within [0, 1], as of GLR-klUCB."""

from __future__ import annotations

import math

from bandits.kernels.indices.kl_index import bernoulli_kl
from numerics.kernels.jit import kernel

GLR_ROWS = 3  # of the state of a detector: how many rewards, their sum, and its last entry of the pool
COUNT, TOTAL, LAST = range(GLR_ROWS)
SUM, BEFORE = range(2)  # rows of an entry of the pool: the sum of an arm's rewards so far, and its entry before, or 0
_SLACK = 1.0 - 1e-9  # covers rounding where a bound rules an alarm out


@kernel()
def glr_step(memory, row, used, pool, r, reward, level, every, splits):
    """Take a reward into the detector of column r that begins at a row; return whether it gives an alarm.

    Besson, Kaufmann, Maillard and Seznec, "Efficient change-point detection for tackling piecewise-stationary bandits",
    JMLR 23 (2022), section 3. The test runs when the number n of rewards is a multiple of `every`. It gives an alarm if
    s kl(m_1, m) + (n - s) kl(m_2, m) > ln(n^1.5 / delta) for some split s, a multiple of `splits`. Here m_1, m_2 and m
    are the means of the first s rewards, of the others and of all. The threshold is that of the authors' experiments. A
    larger one is proved to give a false alarm with a probability of at most delta.

    After every `splits` rewards, their sum so far is stored in the next entry of a pool. An entry has two rows. Many
    detectors may share a pool; row `used` counts its entries. `level` is ln(1 / delta).
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
