"""KL-UCB-switch."""

from __future__ import annotations

import math

from bandits.kernels.indices.kl_index import kl_rival
from bandits.policies.base import Policy
from bandits.rules import vector_rule
from numerics.kernels.elementary import ln


class KLUCBSwitch(Policy, name="kl_ucb_switch"):
    """KL-UCB for an arm of few pulls, MOSS for one of many: minimax and asymptotically optimal. It knows the horizon.

    For rewards in [0, 1]. It is optimal for Bernoulli arms. Other rewards have their own divergence (K_inf), and the kl
    of the means is a lower bound of it.
    """

    source = "Garivier, Hadiji, Menard and Stoltz 2022, KL-UCB-switch for a known horizon"
    locks = False
    other_rewards = "the Bernoulli kl replaces that of the reward law (no guarantee)"
    unit_rewards = True
    formula = "n <= (T / K)^(1/5): max q: n kl(m, q) <= ln+(T / (K n)), else m + sqrt(ln+(T / (K n)) / (2 n))"


@vector_rule(needs=("horizon",))
def kl_ucb_switch(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    """The index of KL-UCB up to (T / K)^(1/5) pulls, that of MOSS beyond, both of rate ln+(T / (K n)). params = [].

    Garivier, Hadiji, Menard and Stoltz, KL-UCB-switch, JMLR 23 (2022), the indices U^KL and U^M.
    An arm of few pulls that cannot win gets -inf.
    """
    size = rng.shape[0]
    share = horizon * size / out.size
    most, few = math.floor(share**0.2), 0
    for i in range(out.size):
        level = ln(share / pulls[i])
        out[i] = means[i] + math.sqrt(0.5 * (level if level > 0.0 else 0.0)) * widths[i]
        few += pulls[i] <= most
    if few > 0:  # a separate loop, so that the loop above is vectorised
        for i in range(out.size):
            if pulls[i] <= most:
                best = -math.inf
                for j in range(i % size, out.size, size):
                    best = max(best, out[j] if pulls[j] > most else -math.inf)
                level = max(ln(share / pulls[i]), 0.0)
                out[i] = kl_rival(pulls[i], means[i], widths[i], level, best)
