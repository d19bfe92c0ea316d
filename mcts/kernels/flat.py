"""The kernel of flat Monte Carlo: a bandit whose arms are the moves of one position and whose rewards are playouts.

    choose a move (the bandits package's rule)  ->  play it, and on to the end  ->  statistics of that move

This is a search of depth one; nothing is remembered of the playouts. A move that ends the game needs none: its reward
is known. Rewards lie in [0, 1] and are those of the side to move. A rule is called with L = 1, as at a node of a tree.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bandits.kernels.argmax import choose_one
from bandits.kernels.arguments import KernelSpec
from bandits.kernels.signatures import POINTED, Learn, Select
from bandits.kernels.signatures import SIGNATURES as RULE_SIGNATURES
from bandits.kernels.step import add_to_variance, ask
from mcts.streams import PLAYOUT, RULE, shuffle
from numerics.games import SIGNATURES, UNDECIDED, Outcome, Play, Playout
from numerics.kernels.jit import Vector, kernel


class Tally(NamedTuple):
    """What is known of the moves at the end, each of shape [K]."""

    moves: Vector[np.int64]  # in random order, so that no move is always the first
    outcomes: Vector[np.int64]  # of the game after the move, for the side that made it
    pulls: Vector[np.float64]  # the simulations of each move
    wins: Vector[np.float64]  # those that were won
    sums: Vector[np.float64]  # of their rewards


_RULE = [POINTED, *(RULE_SIGNATURES[kind] for kind in ("select", "learn"))]
_GAME = [SIGNATURES[kind] for kind in ("play", "outcome", "playout")]
_HOOKS = ", ".join(f"FunctionType({hook})" for hook in _RULE + _GAME)


@kernel(f"void({_HOOKS}, KernelSpec, int64[::1], int64, uint64[:, ::1], Tally)")
def value_moves(
    score: Any,
    select: Select,
    learn: Learn,
    play: Play,
    outcome: Outcome,
    playout: Playout,
    spec: KernelSpec,
    root: npt.NDArray[np.int64],
    simulations: int,
    rng: npt.NDArray[np.uint64],
    tally: Tally,
) -> None:
    """Run simulations from the position `root` over the moves of `tally`, and fill the rest of it."""
    moves, outcomes, pulls, wins, sums = tally.moves, tally.outcomes, tally.pulls, tally.wins, tally.sums
    count, words, estimates = moves.size, root.size, spec.estimates
    shuffle(moves, count, rng)
    positions, state = np.empty((count, words), np.int64), np.empty(words, np.int64)
    for a in range(count):
        for word in range(words):  # Numba takes two seconds to compile `positions[a] = root`
            positions[a, word] = root[word]
        play(positions[a], moves[a])
        outcomes[a] = outcome(positions[a])
        pulls[a] = wins[a] = sums[a] = 0.0
    means, widths, priors = (
        np.full(count, estimates.initial),
        np.full(count, np.inf),
        np.full(count, 1.0 / count if spec.needs_priors else np.nan),
    )
    variances, out = np.full(count, 0.0 if spec.needs_variances else np.nan), np.zeros(count)
    origins, squares = np.zeros(count), np.zeros(count)
    arm, result, memory = np.zeros(1, np.int64), np.zeros(1), np.zeros((spec.memory + spec.arm_memory * count, 1))
    rule_rng = rng[RULE : RULE + 1]
    weight, start = estimates.prior_pulls, estimates.prior_pulls * estimates.initial

    for step in range(simulations):
        t = step + 1.0
        if step < estimates.explore * count:
            a = step % count
        elif spec.is_choice:
            select(pulls, means, widths, variances, priors, t, spec.horizon, spec.params, rule_rng, memory, arm)
            a = arm[0]
        else:
            ask(score, count, 1, pulls, means, widths, variances, priors, t, spec.horizon, spec.params, rule_rng, out)
            a = choose_one(out, count, rng, RULE)

        if outcomes[a] == UNDECIDED:
            for word in range(words):
                state[word] = positions[a, word]
            reward = 1.0 - playout(state, rng, PLAYOUT)
        else:
            reward = 0.5 + 0.5 * outcomes[a]

        if spec.needs_variances:
            add_to_variance(pulls, sums, origins, squares, variances, a, reward)
        n, total = pulls[a] + 1.0, sums[a] + reward
        pulls[a], sums[a], widths[a] = n, total, 1.0 / math.sqrt(n)
        if reward == 1.0:
            wins[a] += 1.0
        if estimates.step_size > 0.0:
            means[a] += estimates.step_size * (reward - means[a])
        else:
            means[a] = (start + total) / (weight + n)
        if spec.has_learn:
            arm[0], result[0] = a, reward
            learn(memory, arm, result)
