"""Twins in NumPy of the newer policies, vectorised over replications: what one would write without compiled code.

One loop plays them all; a policy is a function that returns its scores, of shape (arm, replication), from the counts n
and means m. The loop takes the highest, or where a policy has chances and a memory, draws by them. A step's work is
that of our kernel: an independent reward of the best arm, and regret and sums of rewards at the same checkpoints.
Equal scores go to the lowest arm. Where KL-UCB's kin need a root, 25 halvings find it, to 3e-8.
"""

from __future__ import annotations

import collections
import functools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bandits.policies.gittins import indices
from benchmarks.numpy_alarms import alarmed_policies
from benchmarks.numpy_ucb1 import Curves, Floats

_EDGE, _NEAR = 1e-12, 1e-9  # how close an index may come to 1, and a mean to 0 and 1
_KEPT = 200  # pulls of the Gittins indices


class Now(NamedTuple):
    """What a policy sees before a pull."""

    n: Floats
    m: Floats
    t: int
    horizon: int
    rng: np.random.Generator

    @property
    def share(self) -> float:
        """T / K."""
        return self.horizon / len(self.n)


Scores = Callable[[Now], Floats]


def play(name: str, means: Floats, horizon: int, runs: int, checkpoints: npt.NDArray[np.int64], seed: int) -> Curves:
    """Play a policy of `SCORES` or of `CHANCES` with its default parameters."""
    rng = np.random.default_rng(seed)
    best, gaps, column = means.max(), means.max() - means, np.arange(runs)
    n, s, m = (np.zeros((means.size, runs)) for _ in range(3))
    reward_sum, best_reward_sum = np.zeros(runs), np.zeros(runs)
    memory = CHANCES[name](means.size, runs) if name in CHANCES else None
    curves, reached = Curves(*(np.empty((runs, checkpoints.size)) for _ in Curves._fields)), 0
    for t in range(1, horizon + 1):
        now = Now(n, m, t, horizon, rng)
        if memory is not None:
            chances = memory.chances(now)
            total = chances.cumsum(axis=0)
            arm = (total < rng.random(runs) * total[-1]).sum(axis=0)
        elif t <= means.size and name not in AT_ONCE:
            arm = np.full(runs, t - 1)
        else:
            arm = SCORES[name](now).argmax(axis=0)
        reward = (rng.random(runs) < means[arm]).astype(np.float64)
        n[arm, column] += 1.0
        s[arm, column] += reward
        m[arm, column] = s[arm, column] / n[arm, column]
        reward_sum += reward
        best_reward_sum += rng.random(runs) < best
        if memory is not None:
            memory.learn(arm, column, reward)
        if t == checkpoints[reached]:
            curves.pseudo_regret[:, reached] = gaps @ n
            curves.reward_sum[:, reached], curves.best_reward_sum[:, reached] = reward_sum, best_reward_sum
            reached += 1
    return curves


def _kl(p: Floats, q: Floats) -> Floats:
    divergence: Floats = p * np.log(p / q) + (1.0 - p) * np.log((1.0 - p) / (1.0 - q))
    return divergence


def _kl_index(now: Now, level: Any) -> Floats:
    p = np.clip(now.m, _NEAR, 1.0 - _NEAR)
    low, high, budget = p, np.full(p.shape, 1.0 - _EDGE), level / now.n
    for _ in range(25):
        q = 0.5 * (low + high)
        above = _kl(p, q) > budget
        low, high = np.where(above, low, q), np.where(above, q, high)
    return low


def _positive_log(x: Any) -> Any:
    return np.log(np.maximum(x, 1.0))


def _kl_ucb_plus_plus(now: Now) -> Floats:
    x = now.share / now.n
    return _kl_index(now, _positive_log(x * (1.0 + _positive_log(x) ** 2)))


def _kl_ucb_switch(now: Now) -> Floats:
    level, few = _positive_log(now.share / now.n), now.n <= math.floor(now.share**0.2)
    moss = now.m + np.sqrt(level / (2.0 * now.n))
    return np.where(few, _kl_index(now, level), moss) if few.any() else moss


def _imed(now: Now) -> Floats:
    p, q = np.clip(now.m, _NEAR, 1.0 - _NEAR), np.clip(now.m.max(axis=0), _NEAR, 1.0 - _NEAR)
    return -(now.n * _kl(p, q) + np.log(now.n))


def _bayes_ucb(now: Now) -> Floats:
    from scipy.special import betaincinv

    s = now.n * now.m
    quantiles: Floats = betaincinv(1.0 + s, 1.0 + now.n - s, 1.0 - 1.0 / now.t)
    return quantiles


def _ucb_tuned(now: Now) -> Floats:
    variance = now.m - now.m * now.m + np.sqrt(2.0 * math.log(now.t) / now.n)
    indices_now: Floats = now.m + np.sqrt(np.minimum(0.25, variance) * math.log(now.t) / now.n)
    return indices_now


def _with_gumbel(now: Now, log_weights: Floats) -> Floats:
    """Return scores the highest of which is drawn with chances in proportion to weights."""
    return log_weights + now.rng.gumbel(size=now.n.shape)


def _kl_ms(now: Now) -> Floats:
    p, q = np.clip(now.m, _NEAR, 1.0 - _NEAR), np.clip(now.m.max(axis=0), _NEAR, 1.0 - _NEAR)
    return _with_gumbel(now, -now.n * _kl(p, q))


@functools.cache
def _table() -> Floats:
    table: Floats = indices(0.99, _KEPT)
    return table


def _gittins(now: Now) -> Floats:
    n, s = now.n.astype(np.intp), np.rint(now.n * now.m).astype(np.intp)
    table = _table()
    p = (s + 1.0) / (n + 2.0)
    ratio = 1.0 / ((n + 3.0) * -math.log(0.99))
    psi = np.where(ratio <= 0.2, np.sqrt(0.5 * ratio), 0.49 - 0.11 / np.sqrt(ratio))
    far = p + np.sqrt(p * (1.0 - p) / (n + 3.0)) * psi
    known = n <= _KEPT
    values: Floats = np.where(known, table[np.where(known, n * (n + 1) // 2 + s, 0)], far)
    return values + 1e-9 * now.rng.random(values.shape)  # ties are frequent, and no first pulls part the arms


def _besa(now: Now) -> Floats:
    """Return 1 for the winner of a knockout, 0 for the others."""
    arms, runs = now.n.shape
    column, rng = np.arange(runs), now.rng
    left = rng.permuted(np.repeat(np.arange(arms)[:, None], runs, axis=1), axis=0)
    while len(left) > 1:
        pairs = len(left) // 2
        first, second = left[0 : 2 * pairs : 2], left[1 : 2 * pairs : 2]
        n_1, n_2 = now.n[first, column], now.n[second, column]
        s_1, s_2 = np.rint(n_1 * now.m[first, column]), np.rint(n_2 * now.m[second, column])
        few = np.minimum(n_1, n_2).astype(np.int64)
        drawn_1 = np.where(n_1 > n_2, rng.hypergeometric(s_1.astype(int), (n_1 - s_1).astype(int), few), s_1)
        drawn_2 = np.where(n_2 > n_1, rng.hypergeometric(s_2.astype(int), (n_2 - s_2).astype(int), few), s_2)
        coin = np.where(n_1 == n_2, rng.random(n_1.shape) < 0.5, n_1 < n_2)
        won = (drawn_1 > drawn_2) | ((drawn_1 == drawn_2) & coin)
        left = np.concatenate([left[2 * pairs :], np.where(won, first, second)])
    chosen = np.zeros((arms, runs))
    chosen[left[0], column] = 1.0
    return chosen


SCORES: dict[str, Scores] = {
    "asymptotic_ucb": lambda now: now.m + np.sqrt(2.0 * math.log(1.0 + now.t * math.log(now.t) ** 2) / now.n),
    "polynomial": lambda now: now.m + now.t**0.25 / np.sqrt(now.n),
    "ucb_tuned": _ucb_tuned,
    "moss_anytime": lambda now: now.m + np.sqrt(1.175 * _positive_log(now.t / len(now.n) / now.n) / now.n),
    "kl_ucb_plus": lambda now: _kl_index(now, np.log(now.t / now.n)),
    "kl_ucb_plus_plus": _kl_ucb_plus_plus,
    "kl_ucb_switch": _kl_ucb_switch,
    "imed": _imed,
    "bayes_ucb": _bayes_ucb,
    "thompson_gaussian": lambda now: now.m + now.rng.standard_normal(now.n.shape) / np.sqrt(now.n),
    "boltzmann_gumbel": lambda now: now.m + now.rng.gumbel(size=now.n.shape) / np.sqrt(now.n),
    "maillard": lambda now: _with_gumbel(now, -0.5 * now.n * ((now.m.max(axis=0) - now.m) / 0.5) ** 2),
    "kl_ms": _kl_ms,
    "gittins": _gittins,
    "besa": _besa,
}
AT_ONCE = ("gittins",)  # without a first pull of every arm


class _Weighing:
    """A policy that draws an arm by its chances and learns from the reward."""

    def __init__(self, arms: int, runs: int) -> None:
        self.sums, self.p = np.zeros((arms, runs)), np.zeros((arms, runs))

    def chances(self, now: Now) -> Floats:
        raise NotImplementedError

    def learn(self, arm: Any, column: Any, reward: Floats) -> None:
        raise NotImplementedError


class _Exp3(_Weighing):
    gamma = 0.1

    def chances(self, now: Now) -> Floats:
        rate = self.gamma / len(now.n)
        weights = np.exp(rate * (self.sums - self.sums.max(axis=0)))
        self.p = (1.0 - self.gamma) * weights / weights.sum(axis=0) + rate
        return self.p

    def learn(self, arm: Any, column: Any, reward: Floats) -> None:
        self.sums[arm, column] += reward / self.p[arm, column]


class _Exp3IX(_Weighing):
    eta = 0.0

    def chances(self, now: Now) -> Floats:
        arms = len(now.n)
        self.eta = math.sqrt(math.log(arms) / (arms * now.t))
        weights = np.exp(-self.eta * (self.sums - self.sums.min(axis=0)))
        self.p = weights / weights.sum(axis=0)
        return self.p

    def learn(self, arm: Any, column: Any, reward: Floats) -> None:
        self.sums[arm, column] += (1.0 - reward) / (self.p[arm, column] + 0.5 * self.eta)


class _TsallisINF(_Weighing):
    def chances(self, now: Now) -> Floats:
        d = (self.sums - self.sums.min(axis=0)) / math.sqrt(now.t)
        u = np.ones(d.shape[1])
        for _ in range(50):
            inverse = 1.0 / (u + d)
            squares = (inverse * inverse).sum(axis=0)
            step = squares * (np.sqrt(squares) - 1.0) / (inverse**3).sum(axis=0)
            u += step
            if (np.abs(step) < 1e-9 * u).all():
                break
        self.p = 1.0 / (u + d) ** 2
        self.p /= self.p.sum(axis=0)
        return self.p

    def learn(self, arm: Any, column: Any, reward: Floats) -> None:
        self.sums[arm, column] += (1.0 - reward) / self.p[arm, column]


class _Gradient(_Weighing):
    step, pulled, mean = 0.1, 0, np.zeros(0)

    def chances(self, now: Now) -> Floats:
        weights = np.exp(self.sums - self.sums.max(axis=0))
        self.p = weights / weights.sum(axis=0)
        return self.p

    def learn(self, arm: Any, column: Any, reward: Floats) -> None:
        self.mean = self.mean if self.pulled else reward.copy()
        move = self.step * (reward - self.mean)
        self.sums -= move * self.p
        self.sums[arm, column] += move
        self.pulled += 1
        self.mean += (reward - self.mean) / self.pulled


class _ImprovedUCB(_Weighing):
    """Its chances are 0 and 1."""

    def __init__(self, arms: int, runs: int) -> None:
        super().__init__(arms, runs)
        self.left, self.phase = np.ones((arms, runs), np.bool_), np.zeros(runs)

    def chances(self, now: Now) -> Floats:
        last, column = math.floor(0.5 * math.log2(now.horizon / math.e)), np.arange(now.n.shape[1])
        while True:
            fewest = np.where(self.left, now.n, np.inf).argmin(axis=0)
            gap = 0.5**self.phase
            level = np.log(now.horizon * gap * gap)
            each = np.ceil(2.0 * level / (gap * gap))
            over = (now.n[fewest, column] >= each) & (self.left.sum(axis=0) > 1) & (self.phase <= last)
            if not over.any():
                break
            width = np.sqrt(np.maximum(level, 0.0) / (2.0 * each))
            best = np.where(self.left, now.m, -np.inf).max(axis=0)
            self.left &= ~(over & (now.m + width < best - width))
            self.phase += over
        chosen = np.zeros(now.n.shape)
        chosen[fewest, column] = 1.0
        return chosen

    def learn(self, arm: Any, column: Any, reward: Floats) -> None:
        pass


class _Forgetting(_Weighing):
    """What chooses one arm surely, by counts and sums of which old pulls leave."""

    def __init__(self, arms: int, runs: int) -> None:
        super().__init__(arms, runs)
        self.counts = np.zeros((arms, runs))

    def scores(self, now: Now) -> Floats:
        raise NotImplementedError

    def chances(self, now: Now) -> Floats:
        with np.errstate(divide="ignore", invalid="ignore"):
            scores = self.scores(now)
        arm = scores.argmax(axis=0)
        chosen = np.zeros(scores.shape)
        chosen[arm, np.arange(arm.size)] = 1.0
        return chosen

    def learn(self, arm: Any, column: Any, reward: Floats) -> None:
        self.counts[arm, column] += 1.0
        self.sums[arm, column] += reward


class _DiscountedUCB(_Forgetting):
    def discount(self, now: Now) -> None:
        gamma = 1.0 - 0.25 / math.sqrt(now.horizon)
        self.counts *= gamma
        self.sums *= gamma

    def scores(self, now: Now) -> Floats:
        if now.t <= len(now.n):
            index = np.where(np.arange(len(now.n))[:, None] == now.t - 1, 1.0, 0.0) * np.ones(now.n.shape)
        else:
            level = np.log(self.counts.sum(axis=0))
            index = self.sums / self.counts + 2.0 * np.sqrt(0.5 * level / self.counts)
        self.discount(now)
        return index


class _DiscountedThompson(_DiscountedUCB):
    def scores(self, now: Now) -> Floats:
        drawn = now.rng.beta(1.0 + self.sums, 1.0 + self.counts - self.sums)
        self.discount(now)
        return drawn


class _SlidingWindowUCB(_Forgetting):
    def __init__(self, arms: int, runs: int) -> None:
        super().__init__(arms, runs)
        self.kept: collections.deque[tuple[Any, Floats]] = collections.deque()

    def scores(self, now: Now) -> Floats:
        window = int(2.0 * math.sqrt(now.horizon * math.log(now.horizon)))
        if len(self.kept) > window:
            old, paid = self.kept.popleft()
            self.counts[old, np.arange(old.size)] -= 1.0
            self.sums[old, np.arange(old.size)] -= paid
        index = self.sums / self.counts + np.sqrt(0.5 * math.log(min(now.t, window)) / self.counts)
        return np.where(self.counts > 0.0, index, np.inf)

    def learn(self, arm: Any, column: Any, reward: Floats) -> None:
        super().learn(arm, column, reward)
        self.kept.append((arm, reward))


class _Exp3S(_Weighing):
    gamma, alpha = 0.0, 0.0

    def chances(self, now: Now) -> Floats:
        arms, total = len(now.n), math.log(len(now.n) * now.horizon)
        self.alpha = 1.0 / now.horizon
        self.gamma = min(1.0, math.sqrt(arms * (2.0 * total + math.e) / ((math.e - 1.0) * now.horizon)))
        if now.t == 1:
            self.sums += 1.0 / arms
        self.p = (1.0 - self.gamma) * self.sums + self.gamma / arms
        return self.p

    def learn(self, arm: Any, column: Any, reward: Floats) -> None:
        arms = len(self.p)
        self.sums[arm, column] *= np.exp(self.gamma * reward / (arms * self.p[arm, column]))
        self.sums += math.e * self.alpha / arms
        self.sums /= self.sums.sum(axis=0)


CHANCES: dict[str, Callable[[int, int], Any]] = {
    "exp3": _Exp3,
    "exp3_ix": _Exp3IX,
    "tsallis_inf": _TsallisINF,
    "gradient": _Gradient,
    "improved_ucb": _ImprovedUCB,
    "discounted_ucb": _DiscountedUCB,
    "sliding_window_ucb": _SlidingWindowUCB,
    "discounted_thompson": _DiscountedThompson,
    "exp3_s": _Exp3S,
    **alarmed_policies(_kl_index),
}
