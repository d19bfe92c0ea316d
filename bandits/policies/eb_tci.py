"""EB-TCI, a top-two rule without draws from a posterior."""

from __future__ import annotations

import math

from bandits.kernels.argmax import choose_one, share_of_best
from bandits.kernels.indices.evidence import BERNOULLI, transport
from bandits.policies.base import Policy
from bandits.rules import choice_rule, propensity_hook
from numerics.kernels.arrays import empty
from numerics.kernels.jit import kernel
from numerics.parameters import parameter
from numerics.random import next_uniform

IMPROVED = 1.0  # of the penalty ln n: 1 is TCI of Jourdan et al. 2022, 0 is TC of Shang et al. 2020


class EBTCI(Policy, name="eb_tci"):
    """The best mean or the arm of the least evidence against it, by a coin; rewards in [0, 1]."""

    beta: float = parameter(
        0.5, low=0.0, high=1.0, help="Probability of pulling the leader, not the challenger, in [0, 1]."
    )
    source = "Jourdan, Degenne, Baudry, de Heide and Kaufmann 2022, EB-TCI"
    locks = False
    other_rewards = "proved"
    unit_rewards = True
    identifies = True

    @property
    def formula(self) -> str:
        return f"best m with probability {self.beta:g}, else argmin Z + ln n, Z = n_a kl(m_a, m_ab) + n kl(m, m_ab)"


@choice_rule
def eb_tci(pulls, means, widths, variances, priors, t, horizon, params, rng, memory, arm):
    """The best mean a with probability beta, else the other arm of the least Z + ln n. params = [beta].

    Jourdan et al., "Top two algorithms revisited", NeurIPS 2022, section 3; m_ab is the mean of both arms' rewards.
    """
    size = arm.size
    arms = means.size // size
    scores = empty(arms)
    for r in range(size):
        for a in range(arms):
            scores[a] = means[a * size + r]
        best = choose_one(scores, arms, rng, r)
        if next_uniform(rng, r) >= params[0]:
            best = rival_of(best, IMPROVED, pulls, means, size, r, scores, rng)
        arm[r] = best


@kernel()
def rival_of(best, penalty, pulls, means, size, r, scores, rng):
    """Return the arm of the least Z + penalty ln n, where Z is the evidence against it; ties at random.

    `scores` is scratch.
    """
    write_rivals(best, penalty, pulls, means, size, r, scores)
    return choose_one(scores, scores.size, rng, r)


@kernel()
def write_rivals(best, penalty, pulls, means, size, r, scores):
    """Write -(Z + penalty ln n) of each arm of replication r, and -inf for the best."""
    i = best * size + r
    for a in range(scores.size):
        j = a * size + r
        beaten = transport(BERNOULLI, pulls[i], means[i], pulls[j], means[j]) if means[i] > means[j] else 0.0
        scores[a] = -(beaten + penalty * math.log(pulls[j])) if a != best else -math.inf


@propensity_hook
def eb_tci_propensities(pulls, means, widths, variances, priors, t, horizon, params, rng, memory, out):
    """Write the probability of each arm. params = [beta]."""
    leads, scores, rivals = empty(out.size), empty(out.size), empty(out.size)
    share_of_best(means, 1, leads)
    out[:] = 0.0
    for best in range(out.size):
        if leads[best] > 0.0:
            write_rivals(best, IMPROVED, pulls, means, 1, 0, scores)
            share_of_best(scores, 1, rivals)
            out[best] += params[0] * leads[best]
            for a in range(out.size):
                out[a] += (1.0 - params[0]) * leads[best] * rivals[a]
