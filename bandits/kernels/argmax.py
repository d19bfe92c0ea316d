"""The best arm of each replication, ties broken at random: the one place where the highest score is looked for."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from numerics.kernels.jit import kernel
from numerics.kernels.pointers import at
from numerics.kernels.simd import LANES, bits_of, first_bit, lanes_at, lanes_of, put_lanes, select_lanes
from numerics.random import next_uniform


@kernel()
def choose_best(scores, rng, arm):
    """Write into arm[r] an index of the highest of the K scores of replication r, uniform among equals.

    Returns whether a score is NaN: then there is no highest.

    A fast pass, eight replications at once, keeps the highest score and the second highest. They are equal only in a
    tie, which is rare after the first pulls; there a slow pass counts the equals and draws one uniform.

    Shapes: scores float64[K * L], arm-major; rng uint64[L, 4]; arm int64[L].
    """
    size = arm.size
    arms = scores.size // size
    wrong = False
    for begun in range(0, size, 64):
        end = min(begun + 64, size)
        whole = end - (end - begun) % LANES
        tied = 0  # bit k: look closer at replication begun + k
        for r in range(begun, whole, LANES):
            high, second = lanes_at(scores, r), lanes_of(-math.inf)
            missing = select_lanes(high == high, lanes_of(0.0), high)  # NaN from the first one on
            best, number = lanes_of(np.uint64(0)), lanes_of(np.uint64(0))
            for a in range(1, arms):
                number = number + np.uint64(1)
                score = lanes_at(scores, a * size + r)
                missing = select_lanes(score == score, missing, score)
                low = select_lanes(score > high, high, score)
                best = select_lanes(score > high, number, best)
                high = select_lanes(score > high, score, high)
                second = select_lanes(low > second, low, second)
            put_lanes(arm, r, best)
            wrong |= bits_of(missing == missing) != 2**LANES - 1
            tied |= bits_of(high == second) << (r - begun)
        for r in range(whole, end):
            arm[r] = 0
            wrong |= math.isnan(scores[r])
            for a in range(1, arms):
                wrong |= math.isnan(scores[at(a * size + r)])
                arm[r] = a if scores[at(a * size + r)] > scores[at(arm[r] * size + r)] else arm[r]
            tied |= 1 << (r - begun)
        while tied:
            r = begun + first_bit(tied)
            tied &= tied - 1
            top, ties = scores[at(arm[r] * size + r)], 0
            for a in range(arms):
                ties += scores[at(a * size + r)] == top
            if ties == 1:  # a replication that the fast pass left out, or a single arm, of score -inf
                continue
            skip = int(next_uniform(rng, r) * ties)
            for a in range(arms):  # no branch and no early exit: which of the equal arms wins cannot be predicted
                equal = scores[at(a * size + r)] == top
                arm[r] = a if equal & (skip == 0) else arm[r]
                skip -= equal
    return wrong


@kernel()
def choose_one(scores: npt.NDArray[np.float64], count: int, rng: npt.NDArray[np.uint64], r: int) -> int:
    """Return an index of the highest of `count` scores, uniform among equals; draws from stream r only in a tie.

    The same choice as `choose_best` makes for a single replication, without its scratch. With branches: a processor
    that guesses which arm is best loads what a tree has below it while the scores are still compared.
    """
    top, arm, ties = scores[0], 0, 1
    for a in range(1, count):
        score = scores[at(a)]
        if score > top:
            top, arm, ties = score, a, 1
        elif score == top:
            ties += 1
    if ties == 1:
        return arm
    skip = int(next_uniform(rng, r) * ties)
    for a in range(arm, count):
        if scores[at(a)] == top:
            if skip == 0:
                return a
            skip -= 1
    return arm


@kernel("int64(float64[::1], uint64[:, ::1], int64)")
def choose_highest(scores: npt.NDArray[np.float64], rng: npt.NDArray[np.uint64], r: int) -> int:
    """Choose as `choose_one` does among all scores, for Python: the machine code of a signature is kept."""
    return choose_one(scores, scores.size, rng, r)


@kernel()
def choose_by_bonus(means, widths, bonus, count, rng, r):
    """Return what `choose_one` would for the scores means[a] + bonus * widths[a], which are written nowhere."""
    top, arm, ties = means[0] + bonus * widths[0], 0, 1
    for a in range(1, count):
        score = means[at(a)] + bonus * widths[at(a)]
        if score > top:
            top, arm, ties = score, a, 1
        elif score == top:
            ties += 1
    if ties == 1:
        return arm
    skip = int(next_uniform(rng, r) * ties)
    while skip > 0:
        arm += 1
        skip -= means[at(arm)] + bonus * widths[at(arm)] == top
    return arm


@kernel()
def share_of_best(scores, size, shares):
    """Write the probability with which `choose_best` chooses each arm: equal shares for all of the highest score.

    Shapes: scores and shares float64[K * L], L = `size`.
    """
    if scores.size == 2 * size:  # without branches, so that it vectorises
        for r in range(size):
            first, second = scores[r], scores[size + r]
            shares[r] = 0.5 * ((first >= second) + 1.0 - (second >= first))
            shares[size + r] = 1.0 - shares[r]
        return
    for r in range(size):
        top, ties = scores[r], 0.0
        for i in range(size + r, scores.size, size):
            top = max(top, scores[i])
        for i in range(r, scores.size, size):
            ties += 1.0 if scores[i] == top else 0.0
        for i in range(r, scores.size, size):
            shares[i] = 1.0 / ties if scores[i] == top else 0.0
