"""Naive twins of the detectors and of the policies that restart at their alarms: all rewards kept, looked at anew.

See `tests.naive`, and `tests.naive_forgetting` for how a policy sees what its arms paid.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

from tests.naive import Xoshiro, argmax, bernoulli_kl, kl_ucb
from tests.naive_forgetting import Remembering


def window_alarm(rewards: Sequence[float], window: int, threshold: float) -> bool:
    """Whether the halves of the last `window` rewards differ by more than the threshold."""
    last = rewards[-window:]
    half = window // 2
    return len(last) == window and abs(math.fsum(last[half:]) - math.fsum(last[:half])) > threshold


def cusum_alarm(rewards: Sequence[float], first: int, epsilon: float, threshold: float) -> bool:
    """Whether a cumulative sum of the rewards after the first ones has reached the threshold."""
    up = down = 0.0
    mean = math.fsum(rewards[:first]) / first
    for reward in rewards[first:]:
        up = max(0.0, up + reward - mean - epsilon)
        down = max(0.0, down + mean - reward - epsilon)
    return max(up, down) >= threshold


def likelihood_alarm(rewards: Sequence[float], delta: float, every: int, splits: int) -> bool:
    """Whether the likelihood ratio of a split exceeds ln(n^1.5 / delta)."""
    n = len(rewards)
    if n % every:
        return False
    mean = math.fsum(rewards) / n
    ratios = []
    for s in range(splits, n, splits):
        before, after = math.fsum(rewards[:s]) / s, math.fsum(rewards[s:]) / (n - s)
        ratios.append(s * bernoulli_kl(before, mean) + (n - s) * bernoulli_kl(after, mean))
    return max(ratios, default=0.0) > math.log(n**1.5 / delta)


def first_alarm(alarm: Any, rewards: Sequence[float], *numbers: float) -> int | None:
    """How many rewards there are at the first alarm."""
    return next((n for n in range(1, len(rewards) + 1) if alarm(rewards[:n], *numbers)), None)


class Alarmed(Remembering):
    """What keeps the rewards of each arm since its restart; `counts` is the number of alarms before each pull."""

    def __init__(self, arms: int, alarm: Any, local: bool):
        super().__init__()
        self.kept: list[list[float]] = [[] for _ in range(arms)]
        self.restarts = [0] * arms
        self.alarm, self.local, self.counts = alarm, local, list[int]()

    def choose(self, arms: int, t: float, rng: Xoshiro) -> int:
        alarms = self.counts[-1] if self.counts else 0
        if self.pulls:
            arm, reward = self.pulls[-1]
            self.kept[arm].append(reward)
            if self.alarm(self.kept[arm]):
                alarms += 1
                for a in [arm] if self.local else range(arms):
                    self.kept[a], self.restarts[a] = [], int(t) - 1
        self.counts.append(alarms)
        return self.after(arms, int(t), alarms, rng)

    def after(self, arms: int, t: int, alarms: int, rng: Xoshiro) -> int:
        raise NotImplementedError

    def best(self, index: Any, rng: Xoshiro) -> int:
        """The arm of the highest index(n, mean, a), inf without rewards."""
        return argmax(
            [index(len(x), math.fsum(x) / len(x), a) if x else math.inf for a, x in enumerate(self.kept)], rng
        )


class MUCB(Alarmed):
    """UCB1 since the last alarm of a window, and the arms in turn at the start of every period."""

    def __init__(
        self, arms: int, horizon: int, window: int, threshold: float | None, gamma: float | None, changes: int
    ):
        b = math.sqrt(window / 2 * math.log(2 * arms * horizon**2)) if threshold is None else threshold
        super().__init__(arms, partial(window_alarm, window=window, threshold=b), local=False)
        share = math.sqrt(changes * arms * (2 * b + 3 * math.sqrt(window)) / (2 * horizon)) if gamma is None else gamma
        self.period = math.floor(arms / min(share, 1.0)) if share else math.inf

    def after(self, arms: int, t: int, alarms: int, rng: Xoshiro) -> int:
        passed = t - self.restarts[0]
        if (passed - 1) % self.period < arms:
            return int((passed - 1) % self.period)
        return self.best(lambda n, m, a: m + math.sqrt(2 * math.log(passed) / n), rng)


class CUSUMUCB(Alarmed):
    """UCB1 since each arm's last alarm of cumulative sums, and any arm with probability alpha."""

    def __init__(self, arms: int, first: int, epsilon: float, threshold: float, alpha: float, xi: float = 0.5):
        super().__init__(arms, partial(cusum_alarm, first=first, epsilon=epsilon, threshold=threshold), local=True)
        self.alpha, self.xi = alpha, xi

    def after(self, arms: int, t: int, alarms: int, rng: Xoshiro) -> int:
        if t <= arms:
            return t - 1
        drawn = rng.uniform()
        if drawn < self.alpha:
            return int(drawn / self.alpha * arms)
        total = sum(map(len, self.kept))
        return self.best(lambda n, m, a: m + math.sqrt(self.xi * math.log(total) / n), rng)


class GLRKLUCB(Alarmed):
    """KL-UCB since an arm's last restart, and the arms in turn at the start of every period."""

    def __init__(
        self, arms: int, horizon: int, delta: float | None, alpha: float, every: int, splits: int, local: bool
    ):
        delta = 1 / math.sqrt(horizon) if delta is None else delta
        super().__init__(arms, partial(likelihood_alarm, delta=delta, every=every, splits=splits), local)
        self.share = alpha * math.sqrt(arms * math.log(horizon) / horizon)

    def after(self, arms: int, t: int, alarms: int, rng: Xoshiro) -> int:
        share = min(1.0, self.share * math.sqrt(alarms + 1))
        turn = (t - 1) % math.floor(arms / share) if share else t - 1
        if turn < arms:
            return turn
        return self.best(lambda n, m, a: kl_ucb(n, m, t - self.restarts[a]), rng)
