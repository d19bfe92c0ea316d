"""Top-two Thompson sampling."""

from __future__ import annotations

from bandits.kernels.argmax import share_of_best
from bandits.policies.base import Policy
from bandits.policies.eb_tci import rival_of, write_rivals
from bandits.policies.thompson import draw_highest, write_chances
from bandits.rules import choice_rule, propensity_hook
from numerics.kernels.arrays import empty
from numerics.kernels.jit import kernel
from numerics.parameters import parameter
from numerics.random import next_uniform


class TopTwoThompson(Policy, name="top_two_thompson"):
    """The best arm of a draw from the posterior, or another one of a later draw, by a coin; rewards in [0, 1]."""

    beta: float = parameter(0.5, low=0.0, high=1.0, help="Probability of the first draw's best arm.")
    draws: int = parameter(
        100, low=1, most=1_000_000, help="Maximum number of draws for a rival; then it is the rival of T3C."
    )
    source = "Russo 2016, top-two Thompson sampling; after `draws` draws the rival of Shang et al. 2020 (T3C)"
    revision = 2
    locks = False
    other_rewards = "fractions are added to S (no guarantee)"
    unit_rewards = True
    identifies = True

    @property
    def formula(self) -> str:
        first = f"theta ~ Beta(1 + S, 1 + n - S): argmax theta with probability {self.beta:g}"
        return f"{first}, else the best of the next draw that differs, of at most {self.draws:,}"


@choice_rule
def top_two_thompson(pulls, means, widths, variances, priors, t, horizon, params, rng, memory, arm):
    """The best arm of a draw, or with probability 1 - beta that of the next draw whose best arm is another.

    Russo, "Simple Bayesian algorithms for best arm identification", COLT 2016, section 3. Late in a run such a draw is
    rare. After params[1] draws the rival of arm i is that of T3C, argmin over a != i of W(i, a), with ties at random:
    W(i, a) = n_i kl(m_i, m_ia) + n_a kl(m_a, m_ia), or 0 if m_a >= m_i, where m_ia is the mean of both arms' rewards.
    Shang et al., "Fixed-confidence guarantees for Bayesian best-arm identification", AISTATS 2020, section 2.
    params = [beta, draws].
    """
    size = arm.size
    arms = means.size // size
    tried, paid, scores = empty(arms), empty(arms), empty(arms)
    for r in range(size):
        for a in range(arms):
            tried[a], paid[a] = pulls[a * size + r], means[a * size + r]
        stream = rng[r : r + 1]
        best = _best_of_draw(tried, paid, scores, stream)
        if next_uniform(rng, r) >= params[0]:
            rival, drawn = best, 0
            while rival == best and drawn < params[1]:
                rival, drawn = _best_of_draw(tried, paid, scores, stream), drawn + 1
            best = rival if rival != best else rival_of(best, 0.0, pulls, means, size, r, scores, rng)
        arm[r] = best


@kernel()
def _best_of_draw(pulls, means, scores, rng):
    """Return the best arm of a draw from one replication's posterior, of which only the highest part is drawn."""
    draw_highest(pulls, means, 1.0, 1.0, rng, scores)
    best = 0
    for a in range(1, scores.size):
        best = a if scores[a] > scores[best] else best
    return best


@propensity_hook
def top_two_thompson_propensities(pulls, means, widths, variances, priors, t, horizon, params, rng, memory, out):
    """Write the probability of each arm. params = [beta, draws].

    Arm a is the best one of a draw with probability p_a. Let j be the best arm of the first draw. None of `draws`
    differs from it with probability p_j^draws: then the other arm is the rival. One that differs is arm i with
    probability p_i / (1 - p_j).
    """
    chances, scores, rivals = empty(out.size), empty(out.size), empty(out.size)
    write_chances(pulls, means, 1.0, 1.0, chances)
    for a in range(out.size):
        out[a] = params[0] * chances[a]
    for best in range(out.size):
        never = chances[best] ** params[1]
        others = 0.0
        for a in range(out.size):
            others += chances[a] if a != best else 0.0
        write_rivals(best, 0.0, pulls, means, 1, 0, scores)
        share_of_best(scores, 1, rivals)
        for a in range(out.size):
            if a != best:
                differs = chances[a] / others * (1.0 - never) if others > 0.0 else 0.0
                out[a] += (1.0 - params[0]) * chances[best] * (differs + never * rivals[a])
