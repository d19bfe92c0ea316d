"""KL-UCB++."""

from __future__ import annotations

from bandits.kernels.indices.kl_index import write_kl_indices
from bandits.policies.base import Policy
from bandits.rules import vector_rule
from numerics.kernels.elementary import ln


class KLUCBPlusPlus(Policy, name="kl_ucb_plus_plus"):
    """Minimax and asymptotically optimal at once, for rewards in [0, 1]. It knows the horizon."""

    source = "Menard and Garivier 2017, kl-UCB++"
    locks = False
    unit_rewards = True
    formula = "max q: n kl(m, q) <= ln+(x (1 + ln+(x)^2)), x = T / (K n)"


@vector_rule(needs=("horizon",))
def kl_ucb_plus_plus(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    """max{q : n kl(m, q) <= ln+(x (1 + ln+(x)^2))}, x = T / (K n), ln+ = max(0, ln): KL-UCB++. params = [].

    Menard and Garivier, A minimax and asymptotically optimal algorithm for stochastic bandits, ALT 2017, the index and
    its exploration function g. Arms that cannot win get -inf (`bandits.kernels.indices.kl_index`).
    """
    share = horizon * rng.shape[0] / out.size
    for i in range(out.size):
        x = share / pulls[i]
        level = ln(x)
        level = ln(x * (1.0 + level * level))
        out[i] = level if x > 1.0 else 0.0
    write_kl_indices(pulls, means, widths, out, rng.shape[0])
