"""The best arm of each replication, ties broken at random: the one place where the highest score is looked for."""

from __future__ import annotations

import math

from numerics.jit import kernel
from numerics.pointers import at
from numerics.random import next_uniform


@kernel()
def choose_best(scores, rng, top, second, arm):
    """Write into arm[r] an index of the highest of the K scores of replication r, uniform among equals.

    A fast pass, which the compiler vectorises over replications, keeps the highest score and the second highest. They
    are equal only in a tie, which is rare after the first pulls; there a slow pass counts the equals and draws one
    uniform. Two arms are taken at a time, so that the running values are loaded and stored half as often.

    Shapes: scores float64[K * L], arm-major; rng uint64[L, 4]; top and second (scratch) float64[L]; arm int64[L].
    """
    size = arm.size
    arms = scores.size // size
    begun = 2 - arms % 2  # one arm or two, so that the rest are pairs
    row, other = scores[:size], scores[(begun - 1) * size : begun * size]
    for r in range(size):
        score, rival = row[r], other[r]
        top[r], second[r] = score if score > rival else rival, score if score < rival else rival
        arm[r] = 1 if rival > score else 0
    if begun == 1:
        for r in range(size):
            second[r] = -math.inf
    for a in range(begun, arms, 2):
        row, other = scores[a * size : (a + 1) * size], scores[(a + 1) * size : (a + 2) * size]
        for r in range(size):
            score, high, best, runner_up = row[r], top[r], arm[r], second[r]
            low = score if score < high else high
            runner_up = low if low > runner_up else runner_up
            best = a if score > high else best
            high = score if score > high else high
            score = other[r]
            low = score if score < high else high
            second[r] = low if low > runner_up else runner_up
            arm[r] = a + 1 if score > high else best
            top[r] = score if score > high else high
    tied = False
    for r in range(size):
        tied |= top[r] == second[r]
    if not tied:
        return
    for r in range(size):
        if top[r] == second[r]:
            ties = 0
            for a in range(arms):
                ties += scores[a * size + r] == top[r]
            if ties == 1:  # a single arm, of score -inf
                continue
            skip = int(next_uniform(rng, r) * ties)
            for a in range(arms):
                if scores[a * size + r] == top[r]:
                    if skip == 0:
                        arm[r] = a
                        break
                    skip -= 1


@kernel()
def choose_one(scores, count, rng, r):
    """Return an index of the highest of `count` scores, uniform among equals; draws from stream r only in a tie.

    The same choice as `choose_best` makes for a single replication, without its scratch.
    """
    top = scores[0]
    for a in range(1, count):
        top = scores[at(a)] if scores[at(a)] > top else top
    arm, ties = 0, 0
    for a in range(count - 1, -1, -1):  # two passes without branches: which arm is best cannot be foreseen
        equal = scores[at(a)] == top
        ties += equal
        arm = a if equal else arm
    if ties == 1:
        return arm
    skip = int(next_uniform(rng, r) * ties)
    for a in range(arm, count):
        if scores[at(a)] == top:
            if skip == 0:
                return a
            skip -= 1
    return arm
