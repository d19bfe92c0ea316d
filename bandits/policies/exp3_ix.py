"""Exp3-IX."""

from __future__ import annotations

import math

from bandits.kernels.indices.propensities import draw_by_weights, write_shares
from bandits.policies.base import Policy
from bandits.rules import choice_rule, learn_rule, propensity_hook
from numerics.kernels.elementary import exp
from numerics.kernels.pointers import at

# Rows of the memory: p + gamma of the pulled arm; scratch; K losses and K weights follow.
_CHANCE, _LEAST, _FIRST = range(3)


class Exp3IX(Policy, name="exp3_ix"):
    """Exponential weights of losses, estimated a little too low: low regret with high probability; no parameters."""

    source = "Neu 2015, Exp3-IX with the rates that need no horizon"
    locks = False
    other_rewards = "proved"
    unit_rewards = True
    formula = "arm a with probability p_a = exp(-2 g L_a) / sum, L_a += (1 - r) / (p_a + g), g = sqrt(ln K / (4 K t))"


@learn_rule
def exp3_ix_learn(memory, arm, reward):
    """Add the loss, weighted by the inverse of the arm's probability plus gamma."""
    for r in range(arm.size):
        memory[_FIRST + arm[r], r] += (1.0 - reward[r]) / memory[_CHANCE, r]


@choice_rule(memory=2, arm_memory=2, kept_rows=1, learn=exp3_ix_learn, every_arm_first=False)
def exp3_ix(pulls, means, widths, variances, priors, t, horizon, params, rng, memory, arm):
    """Arm a with probability exp(-eta_t L_a) / sum, eta_t = 2 gamma_t = sqrt(ln K / (K t)). params = [].

    Neu, Explore no more: improved high-probability regret bounds for non-stochastic bandits, NeurIPS 2015, the
    algorithm Exp3-IX with the rates that need no horizon. L_a is the sum of losses 1 - r over p_a + gamma_t.
    """
    size = arm.size
    arms = means.size // size
    eta = math.sqrt(math.log(arms) / (arms * t))
    least, chance = memory[_LEAST], memory[_CHANCE]
    losses = memory[_FIRST : _FIRST + arms].reshape(-1)
    weights = memory[_FIRST + arms :].reshape(-1)
    least[:] = math.inf  # not a row of losses: Numba compiles the copy of an array for two seconds
    for a in range(arms):
        for r in range(size):
            least[r] = min(least[r], losses[a * size + r])
    for a in range(arms):
        for r in range(size):
            i = a * size + r
            weights[i] = exp(-eta * (losses[i] - least[r]))
    draw_by_weights(weights, chance, rng, arm)
    for r in range(size):
        chance[r] = weights[at(arm[r] * size + r)] / chance[r] + 0.5 * eta


@propensity_hook
def exp3_ix_propensities(pulls, means, widths, variances, priors, t, horizon, params, rng, memory, out):
    """Write the probability of each arm, in proportion to the weights of the choice."""
    write_shares(memory, _FIRST + out.size, out)
