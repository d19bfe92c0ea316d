"""The best arm of each replication, ties broken at random: the one place where the highest score is looked for."""

from __future__ import annotations

from numerics.jit import kernel
from numerics.random import next_uniform


@kernel()
def choose_best(scores, rng, top, ties, arm):
    """Write into arm[r] an index of the highest of the K scores of replication r, uniform among equals.

    Ties are rare after the first pulls: a fast pass, which the compiler vectorises over replications, only counts them,
    and a slow one, which draws one uniform, runs where there is one.

    Shapes: scores float64[K * L], arm-major; rng uint64[L, 4]; top and ties (scratch) float64[L]; arm int64[L].
    """
    size = arm.size
    arms = scores.size // size
    for r in range(size):
        top[r] = scores[r]
    for a in range(1, arms):
        row = scores[a * size : (a + 1) * size]
        for r in range(size):
            top[r] = row[r] if row[r] > top[r] else top[r]
    for r in range(size):
        ties[r] = 0.0
        arm[r] = 0
    for a in range(arms):
        row = scores[a * size : (a + 1) * size]
        for r in range(size):
            equal = row[r] == top[r]
            ties[r] += 1.0 if equal else 0.0
            arm[r] = a if equal else arm[r]
    found = 0.0
    for r in range(size):
        found += ties[r]
    if found == size:
        return
    for r in range(size):
        if ties[r] > 1.0:
            skip = int(next_uniform(rng, r) * ties[r])
            for a in range(arms):
                if scores[a * size + r] == top[r]:
                    if skip == 0:
                        arm[r] = a
                        break
                    skip -= 1
