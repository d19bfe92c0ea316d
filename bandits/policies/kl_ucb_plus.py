"""KL-UCB+."""

from __future__ import annotations

from bandits.kernels.indices.kl_index import write_kl_indices
from bandits.policies.base import Policy
from bandits.rules import vector_rule
from numerics.kernels.elementary import ln


class KLUCBPlus(Policy, name="kl_ucb_plus"):
    """KL-UCB that asks less of an arm with many pulls, for rewards in [0, 1]; asymptotically optimal."""

    source = "Garivier and Cappe 2011, KL-UCB+; proved asymptotically optimal by Honda 2019"
    locks = False
    unit_rewards = True
    formula = "max q: n kl(m, q) <= ln(t / n)"


@vector_rule
def kl_ucb_plus(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    """max{q : n kl(m, q) <= ln(t / n)}: KL-UCB+. params = [].

    Garivier and Cappe, COLT 2011; Honda, A note on KL-UCB+ policy for the stochastic bandit, 2019. Arms that cannot win
    get -inf (`bandits.kernels.indices.kl_index`).
    """
    for i in range(out.size):
        out[i] = ln(t / pulls[i])
    write_kl_indices(pulls, means, widths, out, rng.shape[0])
