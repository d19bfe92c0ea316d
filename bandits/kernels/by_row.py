"""A policy on the rows of a log: a row counts where the policy chooses the arm that it shows.

Li, Chu, Langford and Wang, "Unbiased offline evaluation of contextual-bandit-based news article recommendation
algorithms", WSDM 2011, algorithm 2. A rule that uses features chooses again for every row, with that row's features.
The choice of another rule waits for the next row of its arm. Neither learns from the other rows, and t does not
advance.
"""

from __future__ import annotations

from bandits.kernels.agent import choose, new_state, update
from bandits.kernels.arguments import Hooks, KernelSpec
from bandits.kernels.signatures import Chosen, Vector, Words
from numerics.kernels.jit import kernel
from numerics.kernels.pointers import pointers_of


@kernel(
    "int64(Hooks, KernelSpec, float64[:, ::1], int64[::1], float64[:, ::1], int64, uint64[:, ::1], int64[::1], "
    "float64[::1])"
)
def play_rows(
    hooks: Hooks,
    spec: KernelSpec,
    features: Vector,
    shown: Chosen,
    paid: Vector,
    arms: int,
    rng: Words,
    chosen: Chosen,
    earned: Vector,
) -> int:
    """Play a policy on rows, and write arms and rewards of those that count, until there is no room for more.

    Shapes, of n rows: features float64[n, d], shown int64[n], paid float64[n, 1]; rng uint64[1, 4], the rule's stream;
    chosen int64[N] and earned float64[N]. Of a log that knows all rewards `shown` is empty and `paid` float64[n, K].
    `features` matter only to a rule that sees them. Returns how many rows count, or -t if a score was NaN at pull t.
    """
    state, t, arm = new_state(spec, arms, rng), 0, -1
    known = pointers_of(state)
    for i in range(paid.shape[0]):
        if t == chosen.size:
            break
        if spec.features > 0:  # `state`, not `known`: what is used up to the last row is not freed before it
            state.memory[0, 0] = spec.features
            for j in range(spec.features):
                state.memory[1 + j, 0] = features[i, j]
        if spec.features > 0 or arm < 0:
            arm = choose(hooks, spec, known, t)
            if arm < 0:
                return -(t + 1)
        if shown.size > 0 and arm != shown[i]:
            continue
        chosen[t], earned[t] = arm, paid[i, 0 if shown.size > 0 else arm]
        update(hooks, spec, known, arm, earned[t])
        t, arm = t + 1, -1
    return t
