"""What chooses at the root where a root policy is given: a score or select hook on the statistics of the root's moves.

    statistics of the moves that are not proven  ->  the hook  ->  a move;  or PLAN: the hook must be prepared again

It is prepared for a number of moves and, if it plans, for a number of simulations. Once one of the moves is proven, or
the plan is over, `mcts.at_root.policies` prepares it again for what is left.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bandits.kernels.argmax import choose_one
from bandits.kernels.signatures import POINTED
from bandits.kernels.signatures import SIGNATURES as RULES
from mcts.streams import ORDER, RULE
from numerics.games import UNDECIDED
from numerics.kernels.addresses import hook_at
from numerics.kernels.jit import Matrix, Vector, kernel
from numerics.kernels.pointers import array_at, at, pointer

AS_BELOW, BY_SCORE, BY_CHOICE = range(3)  # who chooses: the policy of all nodes, a score hook, a select hook
PLAN = -1  # instead of a move


class Root(NamedTuple):
    """How the root chooses, and the room for it."""

    kind: int
    hook: int  # the address of a score hook that takes pointers, or of a select hook; 0 where there is none
    explore: float  # simulations of every move before the hook is asked
    initial: float  # the value of a move without simulations
    moves: int  # that it is prepared for
    turns: float  # simulations that it is prepared for
    horizon: float
    params: Vector[np.float64]
    before: Vector[np.float64]  # [K], simulations of each move from before a plan: it does not count them
    statistics: Matrix[np.float64]  # [5, K], those that hooks take, of the unproven moves
    places: Vector[np.int64]  # [K], their nodes
    scores: Vector[np.float64]  # [K]
    memory: Matrix[np.float64]  # [M, 1], of a choice rule
    chosen: Vector[np.int64]  # [1]


_score_at, _select_at = hook_at(POINTED), hook_at(RULES["select"])


@kernel()
def choose_at_root(root, options, nodes, first, count, rng):
    """Return the child of the root to search, among those of which nothing is proven if proofs are kept; or PLAN."""
    pulls, means, widths, variances, priors = (
        root.statistics[0],
        root.statistics[1],
        root.statistics[2],
        root.statistics[3],
        root.statistics[4],
    )
    kept, visits, fewest = 0, 0.0, 0
    for i in range(first, first + count):
        if options.solve and nodes.outcome[at(i)] < UNDECIDED:
            continue
        pulls[kept] = nodes.visits[at(i)] - root.before[i - first]
        means[kept] = nodes.values[at(i)] if nodes.visits[at(i)] > 0.0 else root.initial
        widths[kept] = nodes.widths[at(i)]
        if options.needs_variances:
            variances[kept] = nodes.variances[at(i)]
        if options.needs_priors:
            priors[kept] = nodes.priors[at(i)]
        root.places[kept] = i
        visits += pulls[kept]
        fewest = kept if pulls[kept] < pulls[fewest] else fewest
        kept += 1
    if kept != root.moves or visits >= root.turns:
        return PLAN
    if pulls[fewest] < root.explore:
        return root.places[fewest]
    rule_rng = array_at(pointer(rng, 4 * RULE), (1, 4))
    if root.kind == BY_CHOICE:
        select = _select_at(root.hook)
        select(
            pulls[:kept],
            means[:kept],
            widths[:kept],
            variances[:kept],
            priors[:kept],
            visits + 1.0,
            root.horizon,
            root.params,
            rule_rng,
            root.memory,
            root.chosen,
        )
        return root.places[root.chosen[0]]
    score = _score_at(root.hook)
    score(
        kept,
        1,
        pointer(pulls, 0),
        pointer(means, 0),
        pointer(widths, 0),
        pointer(variances, 0),
        pointer(priors, 0),
        visits + 1.0,
        root.horizon,
        pointer(root.params, 0),
        root.params.size,
        pointer(rng, 4 * RULE),
        pointer(root.scores, 0),
    )
    return root.places[choose_one(root.scores, kept, rng, ORDER)]
