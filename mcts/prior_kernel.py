"""The search kernel with a prior of the game's: apart, so that a search without one does not load and pass it."""

from __future__ import annotations

from numba import int64

from mcts.tree_kernel import ARGUMENTS, simulate
from numerics.addresses import hook_at
from numerics.game import signatures
from numerics.jit import kernel

_prior_at = hook_at(signatures()["prior"])


@kernel(int64(int64, *ARGUMENTS))
def grow(
    prior, score, legal, play, outcome, rollout, method, options, root, simulations, tree, table, rng, counters,
    most_moves,
):  # fmt: skip
    """Run simulations whose nodes have the priors of a game's hook; see `mcts.tree_kernel.simulate`."""
    return simulate(
        score, legal, play, outcome, rollout, _prior_at(prior), method, options, root, simulations, tree, table, rng,
        counters, most_moves,
    )  # fmt: skip
