"""Stop when the likelihood ratio between the best arm and every other exceeds a proved threshold."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from bandits.arms.base import LARGEST, Arms, Floats
from bandits.arms.binomial import binomial
from bandits.arms.exponential import exponential
from bandits.arms.gaussian import gaussian
from bandits.arms.poisson import poisson
from bandits.kernels.indices import evidence
from bandits.kernels.indices.confidence import looks, tail_of_exponential
from bandits.kernels.indices.evidence import transport, transport_beyond
from bandits.rules import stopping_rule
from bandits.stopping.base import Stopping
from numerics.kernels.jit import kernel
from numerics.parameters import parameter

_LAWS = {gaussian: evidence.GAUSSIAN, exponential: evidence.EXPONENTIAL, poisson: evidence.POISSON}


class LikelihoodRatio(Stopping):
    """Rules that stop when the likelihood ratio between the best arm and every other exceeds a threshold."""

    delta: float = parameter(
        0.05, low=0.0, high=1.0, above=True, below=True, help="probability of a wrong arm, in (0, 1)"
    )
    epsilon: float = parameter(
        0.0, low=0.0, most=LARGEST, help="an arm within epsilon of the best mean is correct too; at least 0"
    )

    @property
    def aim(self) -> tuple[float | None, float]:
        return self.delta, self.epsilon

    def check(self, arms: Arms) -> None:
        if not (arms.unit_rewards or arms.reward_law in _LAWS):
            raise ValueError(
                f"arms must be Gaussian, exponential or Poisson, or have rewards in [0, 1], for {self.name}; "
                f"got {arms.describe()}"
            )
        if arms.unit_rewards and self.epsilon >= 1.0:
            raise ValueError(f"stopping.epsilon must be below 1 for rewards in [0, 1]; got {self.epsilon:g}")

    def _law(self, arms: Arms) -> tuple[int, float, float]:
        """Return the family of the arms' law, the unit of its means, and the factor of its divergence."""
        law, first = arms.reward_law, arms.law_params[0]
        if law is gaussian:
            return evidence.GAUSSIAN, float(first[0]), 1.0
        trials = float(arms.law_params.min()) if law is binomial else 1.0
        return _LAWS.get(law, evidence.BERNOULLI), 1.0, trials

    def numbers(self, arms: Arms) -> Floats:
        family, unit, factor = self._law(arms)
        return np.array([family, unit, factor, self.epsilon, self.delta, *self._threshold(arms.count)])

    def _threshold(self, arms: int) -> Sequence[float]:
        """Return more numbers for the hook."""
        return ()


class Chernoff(LikelihoodRatio, name="chernoff"):
    """Stop when no other arm can be as good, with a threshold that is proved for any number of looks.

    The evidence between the best arm a and another arm b is Z = min over x of n_a d(m_a, x) + n_b d(m_b, x + epsilon).
    """

    source = "Kaufmann and Koolen 2021, theorem 7 and proposition 15; Garivier and Kaufmann 2016, section 2.3"
    proved = True
    formula = "every Z > 3 ln(1 + ln n_a) + 3 ln(1 + ln n_b) + 2 C(ln((K - 1) / delta) / 2)"

    def _threshold(self, arms: int) -> Sequence[float]:
        return (2.0 * tail_of_exponential(0.5 * math.log((arms - 1) / self.delta)),)


@kernel()
def leaders(pulls, means):
    """Return an arm of the highest mean and that of the highest other mean, which delays a stop most often.

    Ties of means are broken by the most pulls, as for the recommended arm. If pulls are equal, too, both arms have the
    same evidence.
    """
    best, rival = 0, 1
    for a in range(1, means.size):
        if means[a] > means[best] or (means[a] == means[best] and pulls[a] > pulls[best]):
            best, rival = a, best
        elif a > 1 and means[a] > means[rival]:
            rival = a
    return best, rival


@kernel()
def evidence_against(pulls, means, params, a, b):
    """Return the evidence that arm b is not epsilon better than arm a, at least where epsilon = 0 has so much."""
    family, unit, factor, epsilon = int(params[0]), params[1], params[2], params[3]
    if epsilon > 0.0:
        z = transport_beyond(family, pulls[a], means[a] / unit, pulls[b], means[b] / unit, epsilon / unit)
    else:
        z = transport(family, pulls[a], means[a] / unit, pulls[b], means[b] / unit)
    return factor * z


@stopping_rule
def chernoff(pulls, means, variances, t, params):
    """Whether all evidence exceeds the proved threshold.

    params = [family, unit of means, factor of divergence, epsilon, delta, 2 C].
    """
    best, rival = leaders(pulls, means)
    common = params[5] + looks(pulls[best])
    for k in range(means.size):
        b = (rival + k) % means.size
        if b != best and evidence_against(pulls, means, params, best, b) <= common + looks(pulls[b]):
            return False
    return True
