"""When a replication may stop and name the best arm: stopping rules.

A rule is a function of what is known of the arms, under `stopping_rule`:

    @stopping_rule    stop(pulls, means, variances, t, params) -> bool

pulls, means, variances
    float64[K]; all pulls are at least 1. Variances are NaN unless the policy declares that it needs them.
t
    float64, the pulls of all arms so far.
params
    float64[...], the rule's own numbers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from bandits.arms.base import LARGEST, Arms, Floats
from bandits.arms.binomial import binomial
from bandits.arms.exponential import exponential
from bandits.arms.gaussian import gaussian
from bandits.arms.poisson import poisson
from bandits.hooks import StopHook, resolve
from bandits.kernels import evidence
from bandits.kernels.evidence import transport, transport_beyond
from bandits.kernels.signatures import Stop
from numerics.families import Declared, Family
from numerics.kernels.jit import kernel
from numerics.parameters import parameter

_LAWS = {gaussian: evidence.GAUSSIAN, exponential: evidence.EXPONENTIAL, poisson: evidence.POISSON}


def stopping_rule(function: Stop) -> StopHook:
    """Make a stop hook of a function `stop(pulls, means, variances, t, params)`; see the module's text.

    Examples
    --------
    >>> @stopping_rule
    ... def long_enough(pulls, means, variances, t, params):
    ...     return t >= params[0]
    """
    return StopHook(function)


class Stopping(Declared):
    """A way to stop; the fields of a subclass are its parameters on the command line."""

    source: ClassVar[str] = ""
    proved: ClassVar[bool] = False  # whether the arm is wrong with probability at most `delta`
    delta: ClassVar[float | None] = None  # the probability that the rule aims at; None: it aims at none
    epsilon: ClassVar[float] = 0.0  # how much worse than the best an arm may be

    @property
    def formula(self) -> str:
        """When it stops, in the field's letters (m mean, n pulls, t all pulls)."""
        raise self._unfinished("formula")

    @property
    def hook(self) -> StopHook:
        """The hook that decides."""
        raise self._unfinished("hook")

    def numbers(self, arms: Arms) -> Floats:
        """Return what the hook finds in its argument `params`."""
        raise self._unfinished("numbers")

    def check(self, arms: Arms) -> None:
        """Raise ValueError for arms for which the rule is not defined."""


def _adopt(value: Any, argument: str) -> Stopping | None:
    """Return the rule of a user's hook."""
    return Stopping.make("custom", rule=value) if isinstance(value, StopHook) else None


STOPPING: Family[Stopping] = Family("stopping rule", Stopping, "chernoff delta=0.1", _adopt)
"""All stopping rules; a user's hook is one too."""


class _Ratio(Stopping):
    """Rules that stop when the likelihood ratio between the best arm and every other exceeds a threshold."""

    delta: float = parameter(0.05, low=0.0, high=1.0, above=True, help="probability of a wrong arm, in (0, 1]")
    epsilon: float = parameter(
        0.0, low=0.0, most=LARGEST, help="an arm whose mean is within epsilon of the best is right too; at least 0"
    )

    def check(self, arms: Arms) -> None:
        if not (arms.unit_rewards or arms.reward_law in _LAWS):
            raise ValueError(
                f"arms must pay rewards in [0, 1], or be Gaussian, exponential or Poisson arms, for {self.name}; "
                f"got {arms.describe()}"
            )
        if arms.unit_rewards and self.epsilon >= 1.0:
            raise ValueError(f"epsilon must be below 1 for rewards in [0, 1]; got {self.epsilon:g}")

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


class Chernoff(_Ratio, name="chernoff"):
    """Stop when no other arm can be as good, with a threshold that is proved for any number of looks.

    The evidence between the best arm a and another arm b is Z = min over x of n_a d(m_a, x) + n_b d(m_b, x + epsilon).
    """

    source = "Kaufmann and Koolen 2021, theorem 7 and proposition 15; Garivier and Kaufmann 2016, section 2.3"
    proved = True

    @property
    def formula(self) -> str:
        return "every Z > 3 ln(1 + ln n_a) + 3 ln(1 + ln n_b) + 2 C(ln((K - 1) / delta) / 2)"

    @property
    def hook(self) -> StopHook:
        return chernoff

    def _threshold(self, arms: int) -> Sequence[float]:
        return (2.0 * tail_of_exponential(0.5 * math.log((arms - 1) / self.delta)),)


class ChernoffHeuristic(_Ratio, name="chernoff_heuristic"):
    """Stop as chernoff does, with the threshold that experiments use: usually far below delta, but not proved."""

    source = "Garivier and Kaufmann 2016, section 6"

    @property
    def formula(self) -> str:
        return "every Z > ln((1 + ln t) / delta)"

    @property
    def hook(self) -> StopHook:
        return chernoff_heuristic


class Budget(Stopping, name="budget"):
    """Pull as often as the cap allows, then name an arm: nothing is aimed at."""

    source = "fixed budget: Audibert, Bubeck and Munos 2010"

    @property
    def formula(self) -> str:
        return "t = T"

    @property
    def hook(self) -> StopHook:
        return never

    def numbers(self, arms: Arms) -> Floats:
        return np.zeros(0)


class CustomStopping(Stopping, name="custom"):
    """A user's stopping rule."""

    rule: Any = parameter(check=lambda name, value: _hook_of(name, value), help="such as my_stops.my_stop")
    params: Sequence[float] = parameter((), help="the rule's own numbers")

    @property
    def formula(self) -> str:
        return f"{self.rule.path}, params {list(self.params)}"

    @property
    def hook(self) -> StopHook:
        hook: StopHook = self.rule
        return hook

    def numbers(self, arms: Arms) -> Floats:
        return np.array(self.params, dtype=np.float64)


def _hook_of(name: str, value: Any) -> Any:
    """Return the hook that a user names, or hands over."""
    return value if isinstance(value, StopHook) else resolve(value, StopHook.noun)


def tail_of_exponential(x: float) -> float:
    """Return C_exp(x) of Kaufmann and Koolen 2021, equation (11), for x >= 0.

    With h(u) = u - ln u, C(x) = 2 g((h^-1(1 + x) + ln(2 zeta(2))) / 2), where g(y) is e^(1 / h^-1(y)) h^-1(y) for
    y >= h(1 / ln(3/2)), else (3/2) (y - ln ln(3/2)).

    Examples
    --------
    >>> round(tail_of_exponential(3.0), 4)
    12.4076
    """

    def inverse(y: float) -> float:
        """Return the u >= 1 with u - ln u = y, by Newton's iteration from above."""
        u = y + math.log(y) + math.sqrt(2.0 * max(0.0, y - 1.0)) + 1.0
        for _ in range(60):
            u = max(1.0, u - (u - math.log(u) - y) / (1.0 - 1.0 / u)) if u > 1.0 else u
        return u

    y = 0.5 * (inverse(1.0 + x) + math.log(math.pi**2 / 3.0))
    log = math.log(1.5)
    if y >= 1.0 / log + math.log(log):
        u = inverse(y)
        return 2.0 * math.exp(1.0 / u) * u
    return 3.0 * (y - math.log(log))


@kernel()
def _leader(means):
    """Return the first arm of the highest mean."""
    best = 0
    for a in range(1, means.size):
        best = a if means[a] > means[best] else best
    return best


@kernel()
def _evidence(pulls, means, params, a, b):
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
    best = _leader(means)
    common = params[5] + 3.0 * math.log(1.0 + math.log(pulls[best]))
    for b in range(means.size):
        enough = common + 3.0 * math.log(1.0 + math.log(pulls[b]))
        if b != best and _evidence(pulls, means, params, best, b) <= enough:
            return False
    return True


@stopping_rule
def chernoff_heuristic(pulls, means, variances, t, params):
    """Whether all evidence exceeds ln((1 + ln t) / delta). params = [family, unit, factor, epsilon, delta]."""
    best, least = _leader(means), math.inf
    for b in range(means.size):
        least = min(least, _evidence(pulls, means, params, best, b)) if b != best else least
    return least > math.log((1.0 + math.log(t)) / params[4])


@stopping_rule
def never(pulls, means, variances, t, params):
    """False. params = []."""
    return False
