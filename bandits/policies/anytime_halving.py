"""Anytime sequential halving."""

from __future__ import annotations

import math

from bandits.kernels.argmax import choose_one
from bandits.policies.base import Policy
from bandits.rules import choice_rule
from numerics.kernels.arrays import empty


class AnytimeHalving(Policy, name="anytime_halving"):
    """Passes of rounds of K pulls, each of which drops the worse half of the arms, without a horizon."""

    source = "Sagers, Winands and Soemers 2024, anytime sequential halving"
    locks = False
    identifies = True
    formula = "K pulls in turn among all arms, then among the better half by m, ... of 2 arms, and again among all"


@choice_rule(memory=3, arm_memory=1)
def anytime_halving(pulls, means, widths, variances, priors, t, horizon, params, rng, memory, arm):
    """The next arm of a round in turn.

    Sagers, Winands and Soemers, "Anytime sequential halving in Monte-Carlo tree search", CG 2024. Every round has as
    many pulls as there are arms, so that an arm has about twice as many as in the round before. The memory holds the
    number of arms in the round, the pulls left in it and the place of the next arm. The arms of the round follow.
    """
    size = arm.size
    arms = means.size // size
    scores = empty(arms)
    for r in range(size):
        if memory[1, r] == 0.0:
            had = int(memory[0, r]) if memory[0, r] > 0.0 else arms
            scores[:] = -math.inf
            for k in range(had):
                a = int(memory[3 + k, r]) if memory[0, r] > 0.0 else k
                scores[a] = means[a * size + r]
            if had > 2:
                had = (had + 1) // 2
                for k in range(had):
                    best = choose_one(scores, arms, rng, r)
                    memory[3 + k, r], scores[best] = best, -math.inf
            else:
                had = arms
                for k in range(had):
                    memory[3 + k, r] = k
            memory[0, r], memory[1, r], memory[2, r] = had, arms, 0.0
        turn = int(memory[2, r])
        arm[r] = int(memory[3 + turn, r])
        memory[1, r] -= 1.0
        memory[2, r] = turn + 1.0 if turn + 1 < memory[0, r] else 0.0
