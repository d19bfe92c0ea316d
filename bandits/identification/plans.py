r"""Best-arm identification for rewards in [0, 1]: find the best arm with as few draws as possible.

A method is a generator. It yields how many rewards it wants next from which arms, and receives their sums
(`paired_lucb`: all rewards). At the end it returns its answer. So the rewards of a step can be drawn anywhere and in
parallel. `identify` draws them with a function of yours.

The interval of an arm with n rewards of mean m is all mu with n kl(m, mu) <= x. Here kl is the Bernoulli divergence.
Chernoff's inequality holds for all rewards in [0, 1]. Let x = ln(2 K S / delta), where S is the largest number of looks
at an arm. Then the intervals of all arms hold at all looks jointly with probability 1 - delta. The reason is that the
number of rewards of an arm at its s-th look is fixed beforehand.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from numerics import checks
from numerics.random import Purpose

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Wanted = dict[int, int]  # arm: number of rewards
GROWTH = 3  # a step draws at least one GROWTH-th of an arm's previous rewards
_FACTORS = 8  # bets on a difference, each half as large as the previous
_HALVINGS = 40  # of an interval in the search for a bound


@dataclass(frozen=True)
class Identified:
    """The answer of a method.

    Attributes
    ----------
    best : int
        The arm of the highest mean among those kept to the end; of equal means one at random.
    sure : bool
        Whether its mean is within epsilon of the highest with the required probability.
    counts : ndarray of int, shape (arms,)
        The number of rewards of each arm.
    means, low, high : ndarray of float, shape (arms,)
        The mean rewards, with intervals that hold jointly with probability 1 - delta.
    """

    best: int
    sure: bool
    counts: Ints
    means: Floats
    low: Floats
    high: Floats


Rewards = Mapping[int, float | Floats]  # arm: the sum of its rewards, or all of them
Plan = Generator[Wanted, Rewards, Identified]


class Tally:
    """The rewards of all arms so far; `rate` is the x of the intervals, and `seed` decides ties."""

    def __init__(self, arms: int, rate: float, seed: int) -> None:
        checks.check_whole("seed", seed, 0)
        self._turns = np.random.default_rng([seed, Purpose.TUNING_TIES]).permutation(arms)
        self.counts, self.sums, self.rate = np.zeros(arms, dtype=np.int64), np.zeros(arms), rate
        self.low, self.high = np.zeros(arms), np.ones(arms)

    def add(self, wanted: Wanted, rewards: Rewards) -> None:
        """Add the wanted rewards."""
        for arm, count in wanted.items():
            self.counts[arm] += count
            self.sums[arm] += float(np.sum(rewards[arm]))
            self.low[arm], self.high[arm] = kl_bounds(
                min(1.0, float(self.means[arm])), self.rate / float(self.counts[arm])
            )

    @property
    def means(self) -> Floats:
        """The mean reward of each arm; 0 without rewards."""
        return np.asarray(self.sums / np.maximum(self.counts, 1))

    def ranked(self, values: Floats) -> list[int]:
        """Return the arms from the highest value to the lowest, equal ones in random order."""
        return [int(arm) for arm in np.lexsort((self._turns, -values))]

    def answer(self, best: int, sure: bool) -> Identified:
        """Return the answer at the end."""
        return Identified(best, sure, self.counts, self.means, self.low, self.high)


def kl_lucb(arms: int, epsilon: float, delta: float, batch: int = 16, most: int | None = None, seed: int = 0) -> Plan:
    """Find an arm within epsilon of the best with probability 1 - delta: KL-LUCB.

    The candidates of a step are the arm with the highest mean and the arm with the highest upper bound among the
    others. Each step draws the candidate with fewer rewards, or both. It stops when that upper bound is less than
    epsilon above the lower bound of the first candidate. Kaufmann and Kalyanakrishnan, "Information complexity in
    bandit subset selection", COLT 2013, with growing batches, and a rate that is a union bound over these.

    Parameters
    ----------
    arms : int
        At least 2.
    epsilon : float
        In (0, 1).
    delta : float
        In (0, 1).
    batch : int, default 16
        Least rewards of an arm in a step; a third of its previous rewards if that is more.
    most : int, optional
        Rewards of all arms after which the method stops without being sure.
    seed : int, default 0
        At least 0; decides among equal arms.

    Examples
    --------
    >>> import numpy as np
    >>> rng, means = np.random.default_rng(0), [0.3, 0.5, 0.9]
    >>> answer = identify(kl_lucb(3, 0.1, 0.05), lambda arm, count: rng.binomial(count, means[arm]))
    >>> answer.best, answer.sure
    (2, True)
    """
    arms, batch = _check(arms, epsilon, delta), checks.check_whole("batch", batch, 1)
    return _lucb(Tally(arms, _rate(arms, epsilon, delta, batch), seed), epsilon, batch, most)


class _Evidence:
    """The evidence against each arm being epsilon better than another, from differences of rewards of the same number.

    Suppose an arm's rewards exceed another's by D, on average at least epsilon. Then the product of 1 + x (epsilon - D)
    over rewards is at most 1 on average, for any x that keeps the factors positive. The same holds for the mean of
    several such products. The probability that it ever reaches 1 / p is at most p (Ville's inequality).
    """

    def __init__(self, arms: int, epsilon: float) -> None:
        self.epsilon, self.factors = epsilon, 1.8 / (1.0 - epsilon) * 0.5 ** np.arange(1.0, _FACTORS + 1.0)
        self.rewards = [np.empty(0)] * arms
        self.logs, self.used = np.zeros((arms, arms, _FACTORS)), np.zeros((arms, arms), dtype=np.int64)
        self.highest = np.full((arms, arms), -np.inf)  # highest logarithms at all looks so far

    def add(self, rewards: Rewards) -> None:
        """Add rewards, in the same order for each arm."""
        for arm, more in rewards.items():
            self.rewards[arm] = np.concatenate([self.rewards[arm], np.asarray(more, dtype=np.float64)])

    def against(self, best: int) -> Floats:
        """Return the log evidence against each arm being epsilon better than `best`; inf for `best` itself."""
        for arm in range(len(self.rewards)):
            first, end = int(self.used[best, arm]), min(self.rewards[arm].size, self.rewards[best].size)
            if end > first and arm != best:
                difference = self.rewards[arm][first:end] - self.rewards[best][first:end]
                grown = np.log1p(self.factors[:, None] * (self.epsilon - difference)).sum(axis=1)
                self.logs[best, arm] += grown
                now = np.logaddexp.reduce(self.logs[best, arm]) - math.log(_FACTORS)
                self.highest[best, arm] = max(self.highest[best, arm], now)
                self.used[best, arm] = end
        evidence: Floats = np.where(np.arange(len(self.rewards)) == best, np.inf, self.highest[best])
        return evidence


def paired_lucb(
    arms: int, epsilon: float, delta: float, batch: int = 16, most: int | None = None, seed: int = 0
) -> Plan:
    """Find an arm within epsilon of the best with probability 1 - delta, by differences of rewards: paired LUCB.

    For correlated rewards: reward number n of every arm comes from the same position, opening or day. The steps are
    those of `kl_lucb`, but the rival of the best arm is the arm with the least evidence against it. The method stops
    when there is enough evidence against all rivals. Differences vary less than correlated rewards, and need only an
    interval for each difference instead of one for each arm. The evidence is a bet, after Waudby-Smith and Ramdas,
    "Estimating means of bounded random variables by betting", JRSS B 86 (2024). It takes half of `delta`; the other
    half is for the intervals of the means, by which the method stops at the latest.

    Parameters
    ----------
    arms, epsilon, delta, batch, most, seed
        As for `kl_lucb`. The method needs all rewards, not their sums.

    Examples
    --------
    >>> import numpy as np
    >>> days, means, seen = np.random.default_rng(0).random(10_000), [0.3, 0.5, 0.55], [0, 0, 0]
    >>> def draw(arm, count):
    ...     seen[arm] += count
    ...     return days[seen[arm] - count : seen[arm]] < means[arm]
    >>> answer = identify(paired_lucb(3, 0.05, 0.05), draw)
    >>> answer.best, answer.sure
    (2, True)
    """
    arms, batch = _check(arms, epsilon, delta), checks.check_whole("batch", batch, 1)
    tally = Tally(arms, _rate(arms, epsilon, 0.5 * delta, batch), seed)
    return _lucb(tally, epsilon, batch, most, _Evidence(arms, epsilon), math.log(2.0 * (arms - 1) / delta))


def _lucb(
    tally: Tally,
    epsilon: float,
    batch: int,
    most: int | None,
    evidence: _Evidence | None = None,
    enough: float = math.inf,
) -> Plan:
    """Draw the best arm and its rival until they are told apart, by intervals or by enough evidence against all."""
    wanted = dict.fromkeys(range(tally.counts.size), batch)
    while True:
        rewards = yield wanted
        tally.add(wanted, rewards)
        best = tally.ranked(tally.means)[0]
        highest = np.where(np.arange(tally.counts.size) == best, -1.0, tally.high)
        against = -highest
        if evidence is not None:
            evidence.add(rewards)
            against = evidence.against(best)
        if against.min() >= enough or highest.max() - tally.low[best] < epsilon:
            return tally.answer(best, True)
        if most is not None and int(tally.counts.sum()) >= most:
            return tally.answer(best, False)
        both = (best, tally.ranked(-against)[0])
        fewest = min(int(tally.counts[arm]) for arm in both)
        wanted = dict.fromkeys([arm for arm in both if tally.counts[arm] == fewest], _step(fewest, batch))


def sequential_halving(arms: int, budget: int, delta: float = 0.05, seed: int = 0) -> Plan:
    """Spend a fixed number of rewards: each round draws all remaining arms equally often, and drops the worse half.

    Karnin, Koren and Somekh, "Almost optimal exploration in multi-armed bandits", ICML 2013, with means over all
    rewards of an arm. The probability of a wrong answer decays exponentially with the budget, but is unknown. So `sure`
    is False, and the intervals show how certain the answer is.

    Parameters
    ----------
    arms : int
        At least 2.
    budget : int
        Rewards of all arms, enough for a reward of each arm in each round.
    delta : float, default 0.05
        The chance that any interval misses.
    seed : int, default 0
        At least 0; decides among equal arms.

    Examples
    --------
    >>> import numpy as np
    >>> rng, means = np.random.default_rng(0), [0.3, 0.5, 0.9, 0.4]
    >>> answer = identify(sequential_halving(4, 200), lambda arm, count: rng.binomial(count, means[arm]))
    >>> answer.best, int(answer.counts.sum())
    (2, 200)
    """
    arms = _check(arms, 0.5, delta)
    rounds = math.ceil(math.log2(arms))
    budget = checks.check_whole("budget", budget, arms * rounds)
    tally, left = Tally(arms, math.log(2.0 * arms * rounds / delta), seed), list(range(arms))
    for _ in range(rounds):
        wanted = dict.fromkeys(left, budget // (len(left) * rounds))
        tally.add(wanted, (yield wanted))
        order = [arm for arm in tally.ranked(tally.means) if arm in left]
        left = order[: -(-len(left) // 2)]
    return tally.answer(left[0], False)


def tally_of(arms: int, delta: float, seed: int) -> Tally:
    """Return an empty tally for arms that are looked at only once."""
    return Tally(arms, math.log(2.0 * arms / delta), seed)


def _step(count: int, batch: int) -> int:
    """Return how many rewards to draw after `count` rewards of an arm."""
    return max(batch, count // GROWTH)


def _rate(arms: int, epsilon: float, delta: float, batch: int) -> float:
    """Return the rate for the number of looks after which, at that rate, an arm's interval ends within epsilon / 2.

    By Pinsker's inequality both ends lie within sqrt(rate / (2 count)) of the mean.
    """
    looks, count = 1, batch
    while count * epsilon**2 <= 2.0 * math.log(2.0 * arms * looks / delta):
        looks, count = looks + 1, count + _step(count, batch)
    return math.log(2.0 * arms * looks / delta)


def identify(plan: Plan, draw: Callable[[int, int], float | Floats]) -> Identified:
    """Run a method; `draw(arm, count)` returns the sum of `count` rewards of an arm, or all of them."""
    wanted = next(plan)
    try:
        while True:
            wanted = plan.send({arm: draw(arm, count) for arm, count in wanted.items()})
    except StopIteration as end:
        answer: Identified = end.value
        return answer


def grid_draws(arms: int, epsilon: float, delta: float) -> int:
    """Return how many rewards of every arm a plain grid needs: equally many of each, with a single look at the end.

    The size of a grid must be fixed before anything is known about the means, so every interval must be shorter than
    epsilon. By Pinsker's inequality, n >= 2 ln(2 K / delta) / epsilon^2 suffices.

    Examples
    --------
    >>> grid_draws(20, 0.05, 0.05)
    5348
    """
    arms = _check(arms, epsilon, delta)
    return math.ceil(2.0 * math.log(2.0 * arms / delta) / epsilon**2)


def kl_bounds(mean: float, distance: float) -> tuple[float, float]:
    """Return the smallest and the largest q with kl(mean, q) <= distance, by bisection.

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
    """Return the Bernoulli divergence, for p in [0, 1] and q in (0, 1)."""
    head = p * math.log(p / q) if p > 0.0 else 0.0
    return head + ((1.0 - p) * math.log((1.0 - p) / (1.0 - q)) if p < 1.0 else 0.0)


def _check(arms: int, epsilon: float, delta: float) -> int:
    for name, value in (("epsilon", epsilon), ("delta", delta)):
        if not 0.0 < value < 1.0:
            raise ValueError(f"{name} must be above 0 and below 1; got {value:g}")
    return checks.check_whole("arms", arms, 2)
