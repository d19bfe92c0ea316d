r"""Which arm is best, with as few draws as that takes: best-arm identification for rewards in [0, 1].

A method is a generator: it yields how many rewards of which arms it wants next, is sent their sums (or all of them,
which `paired_lucb` needs), and returns what it has found. So the rewards of a step may be drawn anywhere and at once.
`identify` draws them by a function of yours.

An arm's mean mu lies, with its n rewards of mean m, where n kl(m, mu) <= x, kl being Bernoulli's divergence; Chernoff's
inequality holds for all rewards in [0, 1]. With x = ln(2 K S / delta), where S is how often an arm may be looked at,
all intervals of all arms hold at all looks with probability 1 - delta, because the number of rewards of an arm at its
look number s is fixed beforehand.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from numerics import checks

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Wanted = dict[int, int]  # of arms: how many rewards
GROWTH = 3  # an arm's step draws a part of all its rewards before
_FACTORS = 8  # of bets on a difference, each half of the one before
_HALVINGS = 40  # of an interval in search of a bound


@dataclass(frozen=True)
class Identified:
    """What a method has found.

    Attributes
    ----------
    best : int
        The arm of the highest mean, of those that were kept to the end.
    sure : bool
        Whether its mean is within epsilon of the highest one with the probability that was asked for.
    counts : ndarray of int, shape (arms,)
        How many rewards each arm gave.
    means, low, high : ndarray of float, shape (arms,)
        Of the rewards, with intervals that all hold together with probability 1 - delta.
    """

    best: int
    sure: bool
    counts: Ints
    means: Floats
    low: Floats
    high: Floats


Rewards = Mapping[int, float | Floats]  # of arms: the sum of the rewards, or all of them
Plan = Generator[Wanted, Rewards, Identified]


class Tally:
    """The rewards of all arms so far; `rate` is the x of their intervals."""

    def __init__(self, arms: int, rate: float) -> None:
        self.counts, self.sums, self.rate = np.zeros(arms, dtype=np.int64), np.zeros(arms), rate
        self.low, self.high = np.zeros(arms), np.ones(arms)

    def add(self, wanted: Wanted, rewards: Rewards) -> None:
        """Add the rewards that were wanted."""
        for arm, count in wanted.items():
            self.counts[arm] += count
            self.sums[arm] += float(np.sum(rewards[arm]))
            self.low[arm], self.high[arm] = kl_bounds(
                min(1.0, float(self.means[arm])), self.rate / float(self.counts[arm])
            )

    @property
    def means(self) -> Floats:
        """The mean reward of each arm; 0 without any."""
        return np.asarray(self.sums / np.maximum(self.counts, 1))

    def found(self, best: int, sure: bool) -> Identified:
        """Return what is known at the end."""
        return Identified(best, sure, self.counts, self.means, self.low, self.high)


def kl_lucb(arms: int, epsilon: float, delta: float, batch: int = 16, most: int | None = None) -> Plan:
    """Find an arm within epsilon of the best with probability 1 - delta: KL-LUCB.

    Each step draws of two arms the one with fewer rewards, or both: the arm of the highest mean, and the one of the
    highest upper bound among the others, until that bound is less than epsilon above the lower bound of the first.
    Kaufmann and Kalyanakrishnan, "Information complexity in bandit subset selection", COLT 2013, with steps of growing
    batches, and a rate that is a union bound over these.

    Parameters
    ----------
    arms : int
        At least 2.
    epsilon : float
        In (0, 1).
    delta : float
        In (0, 1).
    batch : int, default 16
        Rewards of an arm's step, at least; a quarter of all before where that is more.
    most : int, optional
        Rewards of all arms, after which it ends without being sure.

    Examples
    --------
    >>> import numpy as np
    >>> rng, means = np.random.default_rng(0), [0.3, 0.5, 0.9]
    >>> found = identify(kl_lucb(3, 0.1, 0.05), lambda arm, count: rng.binomial(count, means[arm]))
    >>> found.best, found.sure
    (2, True)
    """
    _check(arms, epsilon, delta)
    tally, wanted = Tally(arms, _rate(arms, epsilon, delta, batch)), dict.fromkeys(range(arms), batch)
    while True:
        tally.add(wanted, (yield wanted))
        best = int(np.argmax(tally.means))
        rival = int(np.argmax(np.where(np.arange(arms) == best, -1.0, tally.high)))
        if tally.high[rival] - tally.low[best] < epsilon:
            return tally.found(best, True)
        if most is not None and int(tally.counts.sum()) >= most:
            return tally.found(best, False)
        wanted = _next_of(tally, best, rival, batch)


class _Evidence:
    """What speaks against each arm being epsilon better than another, by differences of rewards of the same number.

    If an arm's rewards exceed another's by D, on average at least epsilon, then the product of 1 + x (epsilon - D) over
    rewards is at most 1 on average, for any x that keeps it positive; so is the mean of several such products. It ever
    reaches 1 / p with a probability of at most p (Ville's inequality).
    """

    def __init__(self, arms: int, epsilon: float) -> None:
        self.epsilon, self.factors = epsilon, 1.8 / (1.0 - epsilon) * 0.5 ** np.arange(1.0, _FACTORS + 1.0)
        self.rewards = [np.empty(0)] * arms
        self.logs, self.used = np.zeros((arms, arms, _FACTORS)), np.zeros((arms, arms), dtype=np.int64)
        self.highest = np.full((arms, arms), -np.inf)  # logarithms, of all looks so far

    def add(self, rewards: Rewards) -> None:
        """Add rewards, each arm's in the same order."""
        for arm, own in rewards.items():
            self.rewards[arm] = np.concatenate([self.rewards[arm], np.asarray(own, dtype=np.float64)])

    def against(self, best: int) -> Floats:
        """Return the logarithms of the evidence against each arm being epsilon better than one; inf for itself."""
        for arm in range(len(self.rewards)):
            first, end = int(self.used[best, arm]), min(self.rewards[arm].size, self.rewards[best].size)
            if end > first and arm != best:
                difference = self.rewards[arm][first:end] - self.rewards[best][first:end]
                grown = np.log1p(self.factors[:, None] * (self.epsilon - difference)).sum(axis=1)
                self.logs[best, arm] += grown
                now = np.logaddexp.reduce(self.logs[best, arm]) - math.log(_FACTORS)
                self.highest[best, arm] = max(self.highest[best, arm], now)
                self.used[best, arm] = end
        found: Floats = np.where(np.arange(len(self.rewards)) == best, np.inf, self.highest[best])
        return found


def paired_lucb(arms: int, epsilon: float, delta: float, batch: int = 16, most: int | None = None) -> Plan:
    """Find an arm within epsilon of the best with probability 1 - delta, by differences of rewards: paired LUCB.

    For rewards that go together: number n of every arm is of the same position, opening or day. Steps are those of
    `kl_lucb`, but the first arm meets the one against which there is least evidence, and it ends when there is enough
    against all others. Differences vary less than rewards do, the more so the more rewards go together; and where two
    arms have an interval each, their difference has one. The evidence is a bet, after Waudby-Smith and Ramdas,
    "Estimating means of bounded random variables by betting", JRSS B 86 (2024). Half of `delta` is for it, half for the
    intervals of the means, by which it ends at the latest.

    Parameters
    ----------
    arms, epsilon, delta, batch, most
        As of `kl_lucb`. Sums of rewards are not enough: it is sent all of them.

    Examples
    --------
    >>> import numpy as np
    >>> days, means, seen = np.random.default_rng(0).random(10_000), [0.3, 0.5, 0.55], [0, 0, 0]
    >>> def draw(arm, count):
    ...     seen[arm] += count
    ...     return days[seen[arm] - count : seen[arm]] < means[arm]
    >>> found = identify(paired_lucb(3, 0.05, 0.05), draw)
    >>> found.best, found.sure
    (2, True)
    """
    _check(arms, epsilon, delta)
    tally, evidence = Tally(arms, _rate(arms, epsilon, 0.5 * delta, batch)), _Evidence(arms, epsilon)
    enough, wanted = math.log(2.0 * (arms - 1) / delta), dict.fromkeys(range(arms), batch)
    while True:
        rewards = yield wanted
        tally.add(wanted, rewards)
        evidence.add(rewards)
        best = int(np.argmax(tally.means))
        against = evidence.against(best)
        highest = np.where(np.arange(arms) == best, -1.0, tally.high).max()
        if against.min() >= enough or highest - tally.low[best] < epsilon:
            return tally.found(best, True)
        if most is not None and int(tally.counts.sum()) >= most:
            return tally.found(best, False)
        wanted = _next_of(tally, best, int(np.argmin(against)), batch)


def sequential_halving(arms: int, budget: int, delta: float = 0.05) -> Plan:
    """Spend a fixed number of rewards: each round draws all arms that are left alike, and drops the worse half.

    Karnin, Koren and Somekh, "Almost optimal exploration in multi-armed bandits", ICML 2013; means are of all rewards
    of an arm. The best arm is wrong with a probability that falls exponentially with the budget, but is not known:
    `sure` is False, and the intervals say what can be said.

    Parameters
    ----------
    arms : int
        At least 2.
    budget : int
        Rewards of all arms, at least one of each arm in each round.
    delta : float, default 0.05
        Chance that an interval fails.

    Examples
    --------
    >>> import numpy as np
    >>> rng, means = np.random.default_rng(0), [0.3, 0.5, 0.9, 0.4]
    >>> found = identify(sequential_halving(4, 200), lambda arm, count: rng.binomial(count, means[arm]))
    >>> found.best, int(found.counts.sum())
    (2, 200)
    """
    _check(arms, 0.5, delta)
    rounds = math.ceil(math.log2(arms))
    checks.whole("budget", budget, arms * rounds)
    tally, left = Tally(arms, math.log(2.0 * arms * rounds / delta)), list(range(arms))
    for _ in range(rounds):
        wanted = dict.fromkeys(left, budget // (len(left) * rounds))
        tally.add(wanted, (yield wanted))
        order = sorted(left, key=lambda arm: (-tally.means[arm], arm))
        left = order[: -(-len(left) // 2)]
    return tally.found(left[0], False)


def tally_of(arms: int, delta: float) -> Tally:
    """Return an empty tally of arms that are looked at once."""
    return Tally(arms, math.log(2.0 * arms / delta))


def _next_of(tally: Tally, best: int, rival: int, batch: int) -> Wanted:
    """Return more rewards of the arm that has fewer, or of both."""
    fewest = min(int(tally.counts[arm]) for arm in (best, rival))
    unsure = [arm for arm in (best, rival) if tally.counts[arm] == fewest]
    return dict.fromkeys(unsure, _step(fewest, batch))


def _step(count: int, batch: int) -> int:
    """Return how many rewards come after so many."""
    return max(batch, count // GROWTH)


def _rate(arms: int, epsilon: float, delta: float, batch: int) -> float:
    """Return the rate with which an arm has as many looks as its intervals then need, at most, to be below epsilon / 2.

    By Pinsker's inequality neither end is farther from the mean than sqrt(rate / (2 count)).
    """
    looks, count = 1, batch
    while count * epsilon**2 <= 2.0 * math.log(2.0 * arms * looks / delta):
        looks, count = looks + 1, count + _step(count, batch)
    return math.log(2.0 * arms * looks / delta)


def identify(plan: Plan, draw: Callable[[int, int], float | Floats]) -> Identified:
    """Carry out a method: `draw(arm, count)` returns the sum of so many rewards of an arm, or all, which any takes."""
    wanted = next(plan)
    try:
        while True:
            wanted = plan.send({arm: draw(arm, count) for arm, count in wanted.items()})
    except StopIteration as end:
        found: Identified = end.value
        return found


def grid_draws(arms: int, epsilon: float, delta: float) -> int:
    """Return how many rewards of every arm make a plain grid as sure: as many of each, with one look at the end.

    A grid has to be sized before anything is known of the means: every interval must be shorter than epsilon, of which
    Pinsker's inequality says n >= 2 ln(2 K / delta) / epsilon^2.

    Examples
    --------
    >>> grid_draws(20, 0.05, 0.05)
    5348
    """
    _check(arms, epsilon, delta)
    return math.ceil(2.0 * math.log(2.0 * arms / delta) / epsilon**2)


def kl_bounds(mean: float, distance: float) -> tuple[float, float]:
    """Return the smallest and the greatest q with kl(mean, q) of at most a distance, by bisection.

    Examples
    --------
    >>> [round(end, 3) for end in kl_bounds(0.5, 0.1)]
    [0.287, 0.713]
    """
    ends = []
    for limit in (0.0, 1.0):
        inside, outside = mean, limit
        for _ in range(_HALVINGS):
            middle = 0.5 * (inside + outside)
            if _kl(mean, middle) <= distance:
                inside = middle
            else:
                outside = middle
        ends.append(inside)
    return ends[0], ends[1]


def _kl(p: float, q: float) -> float:
    """Return Bernoulli's divergence, for p in [0, 1] and q in (0, 1)."""
    head = p * math.log(p / q) if p > 0.0 else 0.0
    return head + ((1.0 - p) * math.log((1.0 - p) / (1.0 - q)) if p < 1.0 else 0.0)


def _check(arms: int, epsilon: float, delta: float) -> None:
    checks.whole("arms", arms, 2)
    for name, value in (("epsilon", epsilon), ("delta", delta)):
        if not 0.0 < value < 1.0:
            raise ValueError(f"{name} must be above 0 and below 1; got {value:g}")
