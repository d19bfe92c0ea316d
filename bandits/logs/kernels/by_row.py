"""A rule that sees features, played on the rows of a log: a row counts where the rule chooses the arm that it shows.

Li, Chu, Langford and Wang, "Unbiased offline evaluation of contextual-bandit-based news article recommendation
algorithms", WSDM 2011, algorithm 2. The rule is asked again for every row, with that row's features; of the others it
learns nothing, and t does not move.
"""

from __future__ import annotations

import math

import numpy as np

from bandits.kernels.arguments import KernelSpec, row
from bandits.kernels.signatures import SIGNATURES, Chosen, Learn, Select, Vector, Words
from bandits.kernels.step import add_reward, add_to_variance, roots_up_to
from numerics.kernels.jit import kernel

_HOOKS = ", ".join(f"FunctionType({SIGNATURES[kind]})" for kind in ("select", "learn"))


@kernel(
    f"int64({_HOOKS}, KernelSpec, float64[:, ::1], int64[::1], float64[:, ::1], int64, uint64[:, ::1], "
    "int64[::1], float64[::1])"
)
def play_rows(
    select: Select,
    learn: Learn,
    spec: KernelSpec,
    features: Vector,
    shown: Chosen,
    paid: Vector,
    arms: int,
    rng: Words,
    chosen: Chosen,
    earned: Vector,
) -> int:
    """Play a choice rule on rows, and write arms and rewards of those that count, until there is no room for more.

    Shapes, of n rows: features float64[n, d], shown int64[n], paid float64[n, 1]; rng uint64[1, 4], the rule's stream;
    chosen int64[N] and earned float64[N]. Of a log that knows all rewards `shown` is empty and `paid` float64[n, K].
    Returns how many rows count.
    """
    estimates, t = spec.estimates, 0
    weight, start = estimates.prior_pulls, estimates.prior_pulls * estimates.initial
    roots = roots_up_to(chosen.size)
    pulls, sums, origins, squares = row(arms, 0.0), row(arms, 0.0), row(arms, 0.0), row(arms, 0.0)
    means, widths = row(arms, estimates.initial), row(arms, np.inf)
    variances = row(arms, 0.0 if spec.needs_variances else np.nan)
    priors = row(arms, 1.0 / arms if spec.needs_priors else np.nan)
    memory = row(spec.memory + spec.arm_memory * arms, 0.0).reshape((-1, 1))
    arm, reward = np.zeros(1, np.int64), np.zeros(1)
    for i in range(features.shape[0]):
        if t == chosen.size:
            break
        memory[0, 0] = spec.features
        for j in range(spec.features):
            memory[1 + j, 0] = features[i, j]
        if t < estimates.explore * arms:
            arm[0] = t % arms
        else:
            select(pulls, means, widths, variances, priors, t + 1.0, spec.horizon, spec.params, rng, memory, arm)
        a = arm[0]
        if shown.size > 0 and a != shown[i]:
            continue
        reward[0] = paid[i, 0 if shown.size > 0 else a]
        if spec.needs_variances:
            add_to_variance(pulls, sums, origins, squares, variances, a, reward[0])
        moved = means[a] + estimates.step_size * (reward[0] - means[a])
        add_reward(pulls, sums, a, means, widths, a, reward[0], start, weight, roots)
        if pulls[a] >= roots.size:
            widths[a] = 1.0 / math.sqrt(pulls[a])
        if estimates.step_size > 0.0:
            means[a] = moved
        if spec.has_learn:
            learn(memory, arm, reward)
        chosen[t], earned[t] = a, reward[0]
        t += 1
    return t
