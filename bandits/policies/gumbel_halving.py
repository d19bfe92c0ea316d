"""Sequential halving with Gumbel noise and priors."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from bandits.kernels.argmax import choose_one
from bandits.policies.base import Policy
from bandits.policies.sequential_halving import halving_plan
from bandits.rules import choice_rule, propensity_hook
from numerics.kernels.arrays import empty
from numerics.parameters import parameter
from numerics.random import next_uniform


class GumbelHalving(Policy, name="gumbel_halving"):
    """Halving among arms drawn by their priors without replacement, by noise, prior and mean together."""

    considered: int = parameter(
        16, low=1, help="Number of arms considered: those with the highest noise plus log prior."
    )
    c_visit: float = parameter(50.0, low=0.0, help="Constant in the weight of the mean, at least 0.")
    c_scale: float = parameter(1.0, low=0.0, help="Factor of the weight of the mean, at least 0.")
    source = "Danihelka, Guez, Schrittwieser and Silver 2022, Gumbel MuZero; halving rounds down as in mctx"
    locks = True
    by_pulls = True
    identifies = True

    @property
    def formula(self) -> str:
        return (
            f"argmax g + ln(prior) + ({self.c_visit:g} + max n) {self.c_scale:g} m, g ~ Gumbel once, among the arms of "
            f"exactly plan[t] pulls, at first {self.considered}"
        )

    def plan(self, horizon: int, arms: int) -> npt.NDArray[np.float64]:
        """Return c_visit, c_scale, and the pulls that an arm must have at each t: float64[2 + T]."""
        plan = halving_plan(horizon, min(self.considered, arms), odd_one_stays=False)
        return np.concatenate([[self.c_visit, self.c_scale], plan])


@choice_rule(arm_memory=1, needs=("priors",), every_arm_first=False)
def gumbel_halving(pulls, means, widths, variances, priors, t, horizon, params, rng, memory, arm):
    """The arm of the highest score among those of exactly params[t + 1] pulls. params = [c_visit, c_scale, plan].

    memory is the noise of each arm, -ln(-ln U), drawn at t = 1.
    """
    size = arm.size
    arms = means.size // size
    scores, wanted = empty(arms), params[int(t) + 1]
    for r in range(size):
        most = 0.0
        for a in range(arms):
            most = max(most, pulls[a * size + r])
            if t == 1.0:
                memory[a, r] = -math.log(-math.log(next_uniform(rng, r) + 1e-300))
        for a in range(arms):
            i = a * size + r
            scores[a] = -math.inf
            if pulls[i] == wanted:
                weight = (params[0] + most) * params[1]
                scores[a] = max(-1e9, memory[a, r] + math.log(priors[i] + 1e-300) + weight * means[i])
        arm[r] = choose_one(scores, arms, rng, r)


@propensity_hook
def gumbel_halving_propensities(pulls, means, widths, variances, priors, t, horizon, params, rng, memory, out):
    """Write the probability of each arm at t = 1, its prior; NaN later, when only ties are drawn."""
    total = 0.0
    for a in range(out.size):
        out[a] = priors[a] if t == 1.0 else math.nan
        total += out[a]
    for a in range(out.size):
        out[a] /= total
