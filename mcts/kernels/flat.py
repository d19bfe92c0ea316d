"""The kernel of flat Monte Carlo: a bandit whose arms are the moves of one position and whose rewards are playouts.

    choose a move (the bandits package's rule)  ->  play it, and on to the end  ->  statistics of that move

This is a search of depth one; nothing is remembered of the playouts. A move that ends the game needs none: its reward
is known. Rewards lie in [0, 1] and are those of the side to move.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bandits.kernels.agent import choose, new_state, update
from bandits.kernels.arguments import Hooks, KernelSpec
from mcts.streams import PLAYOUT, RULE, shuffle
from numerics.games import SIGNATURES, UNDECIDED
from numerics.kernels.addresses import hook_at
from numerics.kernels.arrays import empty
from numerics.kernels.jit import Vector, kernel
from numerics.kernels.pointers import pointers_of


class Tally(NamedTuple):
    """What is known of the moves at the end, each of shape [K]."""

    moves: Vector[np.int64]  # in random order, so that no move is always the first
    outcomes: Vector[np.int64]  # of the game after the move, for the side that made it
    pulls: Vector[np.float64]  # the simulations of each move
    wins: Vector[np.float64]  # those that were won
    sums: Vector[np.float64]  # of their rewards


_play_at, _outcome_at, _playout_at = (hook_at(SIGNATURES[kind]) for kind in ("play", "outcome", "playout"))


@kernel("int64(Hooks, int64, int64, int64, KernelSpec, int64[::1], int64, uint64[:, ::1], Tally)")
def value_moves(
    hooks: Hooks,
    play: int,
    outcome: int,
    playout: int,
    spec: KernelSpec,
    root: npt.NDArray[np.int64],
    simulations: int,
    rng: npt.NDArray[np.uint64],
    tally: Tally,
) -> int:
    """Run simulations from the position `root` over the moves of `tally`, and fill the rest of it.

    Hooks are given by address. Returns 0, or the first t at which a score was NaN: then nothing that was filled in is
    worth anything.
    """
    play_on, outcome_of, reward_of = _play_at(play), _outcome_at(outcome), _playout_at(playout)
    moves, outcomes, wins = tally.moves, tally.outcomes, tally.wins
    count, words = moves.size, root.size
    shuffle(moves, count, rng)
    positions, position = empty((count, words), np.int64), empty(words, np.int64)
    for a in range(count):
        for word in range(words):  # Numba takes two seconds to compile `positions[a] = root`
            positions[a, word] = root[word]
        play_on(positions[a], moves[a])
        outcomes[a] = outcome_of(positions[a])
        wins[a] = 0.0
    state = new_state(spec, count, rng[RULE : RULE + 1])
    known = pointers_of(state)
    for step in range(simulations):
        a = choose(hooks, spec, known, step)
        if a < 0:
            return step + 1
        if outcomes[a] == UNDECIDED:
            for word in range(words):
                position[word] = positions[a, word]
            reward = 1.0 - reward_of(position, rng, PLAYOUT)
        else:
            reward = 0.5 + 0.5 * outcomes[a]
        wins[a] += reward == 1.0
        update(hooks, spec, known, a, reward)
    for a in range(count):
        tally.pulls[a], tally.sums[a] = state.pulls[a], state.sums[a]
    return 0
