"""The Gittins index."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from bandits.policies.base import Policy
from bandits.rules import vector_rule
from bandits.spec import PolicySpec
from numerics.parameters import parameter

_KEPT = 200  # pulls up to which indices are computed; beyond, the approximation of Brezzi and Lai
_GRID = 2_001  # charges at which values are computed, denser near 0 and 1; between them we interpolate
_FORGOTTEN = 1e-5  # rewards discounted below this are ignored


class Gittins(Policy, name="gittins"):
    """The Bayes-optimal play of independent arms whose rewards are discounted; uniform priors, rewards of 0 and 1."""

    discount: float = parameter(
        0.95,
        low=0.0,
        high=0.99,
        above=True,
        help="Discount factor per pull, in (0, 0.99]; near 0.99 the table of indices takes about 15 seconds.",
    )
    source = "Gittins 1979; by the retirement problem of Whittle 1980; beyond 200 pulls Brezzi and Lai 2002, their psi"
    locks = True
    other_rewards = "the index is interpolated between whole S (no guarantee)"
    unit_rewards = True
    needs_features = False  # as `spec` says too, but only after a second, in which it computes the indices

    @property
    def formula(self) -> str:
        return (
            f"the charge a pull at which Beta(1 + S, 1 + n - S) is just worth it, S = n m, discount {self.discount:g}"
        )

    def spec(self) -> PolicySpec:
        return PolicySpec(gittins, _params(self.discount))


@functools.lru_cache(maxsize=8)
def _params(discount: float) -> tuple[float, ...]:
    """Return -ln discount, and the indices of all states up to 200 pulls; state (n, S) is number n (n + 1) / 2 + S."""
    return (-math.log(discount), *indices(discount, _KEPT).tolist())


def indices(discount: float, kept: int) -> Any:
    """Return the Gittins indices of S successes in n pulls, S = 0 ... n, n = 0 ... kept, after a uniform prior.

    An arm may be played at a charge c for each pull, or retired for ever: its value, with the charge added, is

        w = max(c, (1 - d) p + d (p w(success) + (1 - p) w(failure))),   p = (S + 1) / (n + 2),

    and the index is the charge at which both are equal. Values are computed for a grid of charges at once, starting at
    a depth beyond which rewards are discounted away. Indices are accurate to about 5e-5, the first ones to 1e-5.

    Examples
    --------
    >>> round(float(indices(0.9, 0)[0]), 5)  # Gittins 1989, table 8.4: 0.7029
    0.70289
    """
    depth = kept + math.ceil(math.log(_FORGOTTEN) / math.log(discount))
    charge = np.sin(np.linspace(0.0, 0.5 * math.pi, _GRID)) ** 2
    mean = (np.arange(depth + 1) + 1.0) / (depth + 2.0)
    value = np.maximum(charge, mean[:, None])
    rows = []
    for n in range(depth - 1, -1, -1):
        p = ((np.arange(n + 1) + 1.0) / (n + 2.0))[:, None]
        play = value[:-1] + p * (value[1:] - value[:-1])
        play *= discount
        play += (1.0 - discount) * p
        if n <= kept:
            rows.append(_roots(play - charge, charge))
        value = np.maximum(play, charge, out=play)
    return np.concatenate(rows[::-1])


def _roots(gain: Any, charge: Any) -> Any:
    """Return the charge at which each row of decreasing gains is 0, by linear interpolation."""
    row = np.arange(len(gain))
    left = np.clip((gain > 0.0).sum(axis=1) - 1, 0, charge.size - 2)
    above, below = gain[row, left], gain[row, left + 1]
    return charge[left] + (charge[left + 1] - charge[left]) * above / (above - below)


@vector_rule(every_arm_first=False)
def gittins(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    """The Gittins index of a Bernoulli arm after a uniform prior. params = [-ln discount, the indices].

    Gittins, Bandit processes and dynamic allocation indices, JRSS B 41 (1979). Between whole numbers of successes we
    interpolate. Beyond the stored indices we use p + s psi(s^2 / (-p (1 - p) ln discount)). Here p is the posterior
    mean and s^2 = p (1 - p) / (n + 3) its variance. See Brezzi and Lai, Optimal learning and experimentation in bandit
    problems, Journal of Economic Dynamics and Control 27 (2002).
    """
    for i in range(out.size):
        n, gained = pulls[i], pulls[i] * means[i]
        first = n * (n + 1.0) * 0.5 + 1.0
        if first + n < params.size:
            s = min(math.floor(gained + 1e-9), n)
            low = params[int(first + s)]
            out[i] = low + (max(gained - s, 0.0) * (params[int(first + s + 1.0)] - low) if s < n else 0.0)
        else:
            p = (gained + 1.0) / (n + 2.0)
            s = 1.0 / ((n + 3.0) * params[0])
            psi = math.sqrt(0.5 * s) if s <= 0.2 else 0.49 - 0.11 / math.sqrt(s)
            out[i] = p + math.sqrt(p * (1.0 - p) / (n + 3.0)) * psi
