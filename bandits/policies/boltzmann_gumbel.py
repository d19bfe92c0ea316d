"""Boltzmann-Gumbel exploration."""

from __future__ import annotations

import math

from bandits.arms.base import LARGEST
from bandits.kernels.indices.highest_chance import GUMBEL, write_scaled_chances
from bandits.kernels.indices.highest_draw import gumbel_chance, write_highest
from bandits.policies.base import Policy
from bandits.rules import propensity_hook, vector_rule
from numerics.parameters import parameter


class BoltzmannGumbel(Policy, name="boltzmann_gumbel"):
    """Boltzmann exploration done right: a Gumbel draw whose scale falls with each arm's own pulls."""

    c: float = parameter(
        1.0,
        low=0.0,
        above=True,
        most=LARGEST,
        help="Factor of the noise, above 0; the theory uses the scale sigma of subgaussian rewards.",
    )
    source = "Cesa-Bianchi, Gentile, Lugosi and Neu 2017, section 4"
    locks = False
    other_rewards = "proved for subgaussian rewards of scale c, such as any in [0, 1]"

    @property
    def formula(self) -> str:
        return f"argmax m + {self.c:g} Z / sqrt(n), Z ~ Gumbel"


@vector_rule
def boltzmann_gumbel(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    """m + c Z / sqrt(n), Z standard Gumbel, where it can be the highest. params = [c].

    Cesa-Bianchi, Gentile, Lugosi and Neu, Boltzmann exploration done right, NeurIPS 2017, section 4. An arm that cannot
    win gets -inf (`bandits.kernels.indices.highest_draw`).
    """
    write_highest(means, widths, params[0], True, rng, out)


@vector_rule
def boltzmann_gumbel_chances(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    """Write the probability that each of two arms has the higher draw; NaN for more arms. params = [c]."""
    size = rng.shape[0]
    if out.size != 2 * size:
        out[:] = math.nan
        return
    for r in range(size):
        out[r] = gumbel_chance(means[r] - means[size + r], params[0] * widths[r], params[0] * widths[size + r])
        out[size + r] = 1.0 - out[r]


@propensity_hook
def boltzmann_gumbel_propensities(pulls, means, widths, variances, priors, t, horizon, params, rng, memory, out):
    """Write the probability that each arm has the highest draw. params = [c]."""
    write_scaled_chances(GUMBEL, means, widths, params[0], out)
