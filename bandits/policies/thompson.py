"""Thompson sampling."""

from __future__ import annotations

import math

import numpy as np

from bandits.chances import block_of_thompson
from bandits.kernels.argmax import choose_best, choose_one
from bandits.kernels.indices.beta_order import chance_first_is_larger
from bandits.kernels.indices.beta_tail import beta_above, draw_tail, tail_bound
from bandits.kernels.indices.highest_chance import BETA, write_highest_chances
from bandits.policies.base import Policy
from bandits.rules import propensity_hook, vector_rule
from bandits.spec import PolicySpec
from numerics.kernels.arrays import empty, zeros
from numerics.kernels.jit import kernel
from numerics.parameters import parameter
from numerics.random import next_beta, next_uniform

_CHUNK = 64  # arms that share a uniform
_LOW, _HIGH = 1e-6, 1e9  # range of the prior's parameters: beyond, draws round to 0 and 1, or overflow


class Thompson(Policy, name="thompson"):
    """The arm that is best in a draw from the posterior; Beta prior, rewards in [0, 1]."""

    alpha: float = parameter(
        1.0,
        low=_LOW,
        high=_HIGH,
        help="First parameter of the prior Beta(alpha, beta) of every mean, from 1e-6 to 1e9.",
    )
    beta: float = parameter(
        1.0, low=_LOW, high=_HIGH, help="Second parameter of the prior, from 1e-6 to 1e9; Beta(1, 1) is uniform."
    )
    source = "Thompson 1933; Agrawal and Goyal 2012"
    locks = False
    other_rewards = "fractions are added to S, without the random rounding of Agrawal and Goyal (no guarantee)"
    unit_rewards = True

    @property
    def formula(self) -> str:
        return f"argmax theta, theta ~ Beta({self.alpha:g} + S, {self.beta:g} + n - S), S = n m"

    def spec(self) -> PolicySpec:
        return PolicySpec(
            thompson,
            (self.alpha, self.beta),
            chances=thompson_chances,
            block=block_of_thompson,
        )


@vector_rule(every_arm_first=False)
def thompson(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    """A draw from each arm's posterior Beta(alpha + successes, beta + failures). params = [alpha, beta].

    Thompson 1933; Agrawal and Goyal, COLT 2012. A reward between 0 and 1 counts as that share of a success. Agrawal and
    Goyal instead draw a success with this probability, and their proof requires it. Only the largest draw matters. The
    rule draws the arm with the highest mean first. Any other arm exceeds that draw with probability at most its
    `tail_bound`. A uniform u is compared with the sum of these bounds over a chunk of arms; nearly always it shows that
    none does. Otherwise u determines the first arm at which the event of `draw_tail` happens. Later arms of the chunk
    are drawn only as far as they matter. An arm that cannot win gets -inf.

    With more arms than a chunk, many have few pulls, for which the bound is `flat`. A single replication with fewer
    arms needs no scratch arrays for a block, as in `kl_ucb`.
    """
    write_draws(pulls, means, params[0], params[1], rng, out)


@kernel()
def write_draws(pulls, means, alpha, beta, rng, out):
    """Write the draws of the rule `thompson`, of K arms and L replications, whose pulls need not be whole."""
    size = rng.shape[0]
    arms = out.size // size
    if size == 1 and arms <= _CHUNK:
        draw_highest(pulls, means, alpha, beta, rng, out)
        return
    best, chance, first = empty(size), zeros(size), empty(size, np.int64)
    choose_best(means, rng, first)
    for r in range(size):
        i = first[r] * size + r
        gained = means[i] * pulls[i]
        best[r] = next_beta(alpha + gained, beta + pulls[i] - gained, rng, r)
    out[:] = -math.inf
    for r in range(size):
        out[first[r] * size + r] = best[r]
    if arms <= _CHUNK:
        _add_bounds(pulls, means, alpha, beta, 0, arms, first, best, False, chance)
        for r in range(size):
            u = next_uniform(rng, r)
            if u < chance[r]:
                draw_rivals(pulls, means, alpha, beta, size, r, 0, arms, first[r], best[r], u, False, rng, out)
        return
    for begun in range(0, arms, _CHUNK):
        end = min(begun + _CHUNK, arms)
        chance[:] = 0.0
        _add_bounds(pulls, means, alpha, beta, begun, end, first, best, True, chance)
        for r in range(size):
            u = next_uniform(rng, r)
            if u < chance[r]:
                best[r] = draw_rivals(
                    pulls, means, alpha, beta, size, r, begun, end, first[r], best[r], u, True, rng, out
                )


@kernel(inline=True)
def draw_highest(pulls, means, alpha, beta, rng, out):
    """Write the highest draw of a single replication's arms over `out`, with -inf for arms that have it not."""
    winner = choose_one(means, means.size, rng, 0)
    gained = means[winner] * pulls[winner]
    draw = next_beta(alpha + gained, beta + pulls[winner] - gained, rng, 0)
    total = 0.0
    for a in range(out.size):
        gained = means[a] * pulls[a]
        bound = tail_bound(alpha + gained - 1.0, beta + pulls[a] - gained - 1.0, draw, False)
        total += 0.0 if a == winner else bound
        out[a] = -math.inf
    out[winner] = draw
    u = next_uniform(rng, 0)
    if u < total:
        draw_rivals(pulls, means, alpha, beta, 1, 0, 0, out.size, winner, draw, u, False, rng, out)


@kernel(inline=True)
def _add_bounds(pulls, means, alpha, beta, begun, end, first, best, flat, chance):
    """Add the bounds of arms begun ... end - 1 of each replication, except the arm that is already drawn."""
    size = best.size
    for a in range(begun, end):
        for r in range(size):
            i = a * size + r
            gained = means[i] * pulls[i]
            bound = tail_bound(alpha + gained - 1.0, beta + pulls[i] - gained - 1.0, best[r], flat)
            chance[r] += 0.0 if first[r] == a else bound


@kernel()
def draw_rivals(pulls, means, alpha, beta, size, r, begun, end, first, best, u, flat, rng, out):
    """Write the draws of arms begun ... end - 1 that exceed `best`, and return the highest.

    The arms are those of replication r, u is below the sum of their bounds, and `first` is the arm that is already
    drawn. All other arms have -inf beforehand.
    """
    happened = False
    for a in range(begun, end):
        if a == first:
            continue
        i = a * size + r
        gained = means[i] * pulls[i]
        x, y = alpha + gained, beta + pulls[i] - gained
        if happened:
            out[i] = beta_above(x, y, best, flat, rng, r)
        else:
            bound = tail_bound(x - 1.0, y - 1.0, best, flat)
            happened = u < bound
            if happened:
                out[i] = draw_tail(x - 1.0, y - 1.0, best, bound, rng, r)
            else:
                u = (u - bound) / (1.0 - bound)  # uniform again, now that this arm is known to be below
        best = max(best, out[i])
    return best


@vector_rule(every_arm_first=False)
def thompson_chances(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    """Write the probability that each of two arms has the larger draw; NaN for more arms. params = [alpha, beta]."""
    size = rng.shape[0]
    if out.size != 2 * size:
        out[:] = math.nan
        return
    chance_first_is_larger(pulls, means, size, params[0], params[1], out)
    for r in range(size):
        out[size + r] = 1.0 - out[r]


@propensity_hook
def thompson_propensities(pulls, means, widths, variances, priors, t, horizon, params, rng, memory, out):
    """Write the probability that each arm has the highest draw. params = [alpha, beta]."""
    write_chances(pulls, means, params[0], params[1], out)


@kernel()
def write_chances(pulls, means, alpha, beta, out):
    """Write the probability that each arm of one replication has the highest draw of the rule `thompson`."""
    first, second = empty(out.size), empty(out.size)
    for a in range(out.size):
        gained = means[a] * pulls[a]
        first[a], second[a] = alpha + gained, beta + pulls[a] - gained
    write_highest_chances(BETA, first, second, out)
