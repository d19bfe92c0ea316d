"""The kernel of flat Monte Carlo: a bandit whose arms are the moves of one position and whose rewards are playouts.

    choose a move (the bandits package's rule)  ->  play it, and on to the end  ->  statistics of that move

This is a search of depth one; nothing is remembered of the playouts. A move that ends the game needs none: its reward
is known. Rewards lie in [0, 1] and are those of the side to move. A rule is called with L = 1, as at a node of a tree.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numba import float64, int64, types, uint64, void

from bandits.argmax import choose_one
from bandits.hooks import signatures as rule_signatures
from bandits.method import method_type
from bandits.pointed import SIGNATURE as RULE_SIGNATURE
from mcts.shuffle import shuffle
from mcts.streams import PLAYOUT, RULE
from numerics.game import UNDECIDED
from numerics.game import signatures as game_signatures
from numerics.jit import kernel
from numerics.pointers import pointer


class Found(NamedTuple):
    """What is known of the moves at the end, each of shape [K]."""

    moves: np.ndarray  # int64; in random order, so that no move is always the first
    outcomes: np.ndarray  # int64, of the game after the move, for the side that made it
    pulls: np.ndarray  # float64, the simulations of each move
    wins: np.ndarray  # float64, those that were won
    sums: np.ndarray  # float64, of their rewards


_VECTOR, _WHOLE = float64[::1], int64[::1]
_FOUND: Any = types.BaseTuple.from_types((_WHOLE, _WHOLE, _VECTOR, _VECTOR, _VECTOR), Found)
_HOOKS: Any = [types.FunctionType(hook) for hook in (
    RULE_SIGNATURE, *(rule_signatures()[kind] for kind in ("select", "learn")),
    *(game_signatures()[kind] for kind in ("play", "outcome", "rollout")),
)]  # fmt: skip
_SIGNATURE: Any = void(*_HOOKS, method_type(), _WHOLE, int64, uint64[:, ::1], _FOUND)


@kernel(_SIGNATURE)
def simulate(score, select, learn, play, outcome, rollout, method, root, simulations, rng, found):
    """Run simulations from the position `root` over the moves of `found`, and fill the rest of it."""
    moves, outcomes, pulls, wins, sums = found.moves, found.outcomes, found.pulls, found.wins, found.sums
    count, words = moves.size, root.size
    shuffle(moves, count, rng)
    positions, state = np.empty((count, words), np.int64), np.empty(words, np.int64)
    for a in range(count):
        positions[a, :] = root
        play(positions[a], moves[a])
        outcomes[a] = outcome(positions[a])
        pulls[a] = wins[a] = sums[a] = 0.0
    means, widths, priors = np.full(count, method.initial), np.full(count, np.inf), np.full(count, 1.0 / count)
    variances, squares, out = np.zeros(count), np.zeros(count), np.zeros(count)
    arm, result, memory = np.zeros(1, np.int64), np.zeros(1), np.zeros((method.memory, 1))
    rule_rng = rng[RULE : RULE + 1]
    weight, start = method.prior_pulls, method.prior_pulls * method.initial

    for step in range(simulations):
        if step < method.explore * count:
            a = step % count
        elif method.chooses:
            select(
                pulls, means, widths, variances, priors, step + 1.0, float(simulations),
                method.params, rule_rng, memory, arm,
            )  # fmt: skip
            a = arm[0]
        else:
            score(
                count, 1, pointer(pulls, 0), pointer(means, 0), pointer(widths, 0), pointer(variances, 0),
                pointer(priors, 0), step + 1.0, float(simulations), pointer(method.params, 0), method.params.size,
                pointer(rule_rng, 0), pointer(out, 0),
            )  # fmt: skip
            a = choose_one(out, count, rng, RULE)

        if outcomes[a] == UNDECIDED:
            for word in range(words):
                state[word] = positions[a, word]
            reward = 1.0 - rollout(state, rng, PLAYOUT)
        else:
            reward = 0.5 + 0.5 * outcomes[a]

        n, total = pulls[a] + 1.0, sums[a] + reward
        if method.spreads:  # Welford: the sum of squared deviations from the running sample mean
            before = sums[a] / pulls[a] if pulls[a] > 0.0 else 0.0
            squares[a] += (reward - before) * (reward - total / n)
            variances[a] = squares[a] / n
        pulls[a], sums[a], widths[a] = n, total, 1.0 / math.sqrt(n)
        if reward == 1.0:
            wins[a] += 1.0
        if method.step_size > 0.0:
            means[a] += method.step_size * (reward - means[a])
        else:
            means[a] = (start + total) / (weight + n)
        if method.learns:
            arm[0], result[0] = a, reward
            learn(memory, arm, result)
