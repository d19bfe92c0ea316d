"""Naive twins of the policies that forget: plain Python, every sum anew from all pulls at each step; see `tests.naive`.

What an arm paid, 0 or 1, follows from the statistics, as of `tests.naive.weighing`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from tests.naive import Xoshiro, argmax, draw_arm


class Pull(NamedTuple):
    """An arm, and the reward of 0 or 1 that it paid."""

    arm: int
    reward: int


class Remembering:
    """What keeps all pulls; `choose` looks at them."""

    def __init__(self) -> None:
        self.pulls, self.sums = list[Pull](), list[int]()

    def __call__(self, n: list[float], m: list[float], v: list[float], t: float, rng: Xoshiro) -> int:
        """Choose an arm, each in turn first, and keep what the last one has paid."""
        sums = [round(pulls * mean) for pulls, mean in zip(n, m, strict=True)]
        if self.pulls:
            last = self.pulls[-1].arm
            self.pulls[-1] = Pull(last, sums[last] - self.sums[last])
        arm = self.choose(len(n), t, rng)
        self.pulls.append(Pull(arm, 0))
        self.sums = sums
        return arm

    def choose(self, arms: int, t: float, rng: Xoshiro) -> int:
        raise NotImplementedError

    def weighted(self, arms: int, weights: list[float]) -> tuple[list[float], list[float]]:
        """The pulls and the rewards of every arm, of which each counts as its weight."""
        known = list(zip(self.pulls, weights, strict=True))
        return (
            [math.fsum(w for pull, w in known if pull.arm == a) for a in range(arms)],
            [math.fsum(w * pull.reward for pull, w in known if pull.arm == a) for a in range(arms)],
        )

    def discounted(self, arms: int, gamma: float) -> tuple[list[float], list[float]]:
        """Pulls and rewards, the last of which counts fully and each other gamma times the one after it."""
        return self.weighted(arms, [gamma**age for age in reversed(range(len(self.pulls)))])


class DiscountedUCB(Remembering):
    """S / N + 2 sqrt(xi ln(sum N) / N)."""

    def __init__(self, gamma: float, xi: float = 0.5):
        super().__init__()
        self.gamma, self.xi = gamma, xi

    def choose(self, arms: int, t: float, rng: Xoshiro) -> int:
        if t <= arms:
            return int(t) - 1
        n, s = self.discounted(arms, self.gamma)
        level = math.log(sum(n))
        return argmax([s[a] / n[a] + 2.0 * math.sqrt(self.xi * level / n[a]) for a in range(arms)], rng)


class SlidingWindowUCB(Remembering):
    """S / N + sqrt(xi ln(min(t, w)) / N) of the last w pulls; an arm without one of these comes first."""

    def __init__(self, window: int, xi: float = 0.5):
        super().__init__()
        self.window, self.xi = window, xi

    def choose(self, arms: int, t: float, rng: Xoshiro) -> int:
        if t <= arms:
            return int(t) - 1
        n, s = self.weighted(arms, [float(age < self.window) for age in reversed(range(len(self.pulls)))])
        level = self.xi * math.log(min(t, self.window))
        return argmax([s[a] / n[a] + math.sqrt(level / n[a]) if n[a] else math.inf for a in range(arms)], rng)


class DiscountedThompson(Remembering):
    """The highest draw of Beta(alpha + S, beta + N - S), by NumPy's draws."""

    def __init__(self, gamma: float, alpha: float = 1.0, beta: float = 1.0):
        super().__init__()
        self.gamma, self.alpha, self.beta = gamma, alpha, beta

    def choose(self, arms: int, t: float, rng: Xoshiro) -> int:
        n, s = (np.array(sums) for sums in self.discounted(arms, self.gamma))
        return int(np.random.default_rng(rng.word()).beta(self.alpha + s, self.beta + n - s).argmax())


class Exp3S(Remembering):
    """p = (1 - gamma) w / sum w + gamma / K; w exp(gamma r / (p K)) of the pulled arm, and e alpha / K sum w of all."""

    def __init__(self, gamma: float, alpha: float):
        super().__init__()
        self.gamma, self.alpha, self.weights = gamma, alpha, list[float]()

    def choose(self, arms: int, t: float, rng: Xoshiro) -> int:
        if self.pulls:
            arm, reward = self.pulls[-1]
            gain, total = reward / self.chances()[arm], sum(self.weights)
            self.weights[arm] *= math.exp(self.gamma * gain / arms)
            self.weights = [weight + math.e * self.alpha / arms * total for weight in self.weights]
        else:
            self.weights = [1.0] * arms
        return draw_arm(self.chances(), rng)

    def chances(self) -> list[float]:
        share = self.gamma / len(self.weights)
        return [(1.0 - self.gamma) * weight / sum(self.weights) + share for weight in self.weights]
