"""Twins in NumPy of the policies that restart at an alarm, as `benchmarks.numpy_policies` plays them."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.numpy_ucb1 import Floats

_HALF, _EARLY, _EPSILON, _EVERY = 400, 100, 0.1, 10  # defaults of the policies
_EDGE = 1e-12


class _Alarmed:
    """Pulls and sums of rewards of each arm since its restart, the pulls before that, and alarms."""

    local = True

    def __init__(self, arms: int, runs: int) -> None:
        self.n, self.s, self.since = (np.zeros((arms, runs)) for _ in range(3))
        self.alarms, self.t = np.zeros(runs), 0

    def scores(self, now: Any) -> Floats:
        raise NotImplementedError

    def alarmed(self, arm: Any, column: Any, reward: Floats) -> npt.NDArray[np.bool_]:
        raise NotImplementedError

    def chances(self, now: Any) -> Floats:
        self.t = now.t
        with np.errstate(divide="ignore", invalid="ignore"):
            scores = np.where(self.n > 0.0, self.scores(now), np.inf)
        scores = self.forced(now, scores)
        chosen = np.zeros(scores.shape)
        chosen[scores.argmax(axis=0), np.arange(scores.shape[1])] = 1.0
        return chosen

    def forced(self, now: Any, scores: Floats) -> Floats:
        raise NotImplementedError

    def learn(self, arm: Any, column: Any, reward: Floats) -> None:
        self.n[arm, column] += 1.0
        self.s[arm, column] += reward
        where = self.alarmed(arm, column, reward)
        self.alarms[where] += 1.0
        forgotten = (arm[where], column[where]) if self.local else (slice(None), where)
        for kept in self.forgets():
            kept[forgotten] = 0.0
        self.since[forgotten] = self.t

    def forgets(self) -> tuple[Floats, ...]:
        return self.n, self.s


def _in_turn(scores: Floats, turn: Any) -> Floats:
    arms = len(scores)
    forced = np.where(np.arange(arms)[:, None] == turn, 1.0, 0.0)
    return np.where(np.broadcast_to(turn, scores.shape[1]) < arms, forced, scores)


class _MUCB(_Alarmed):
    local = False

    def __init__(self, arms: int, runs: int) -> None:
        super().__init__(arms, runs)
        self.kept = np.zeros((arms, runs, 2 * _HALF + 1))  # the sum after each of the last rewards
        self.threshold = 0.0

    def scores(self, now: Any) -> Floats:
        return self.s / self.n + np.sqrt(2.0 * np.log(now.t - self.since) / self.n)

    def forced(self, now: Any, scores: Floats) -> Floats:
        arms, window = len(scores), 2 * _HALF
        self.threshold = math.sqrt(0.5 * window * math.log(2.0 * arms * now.horizon**2))
        share = arms * (2.0 * self.threshold + 3.0 * math.sqrt(window)) / (2.0 * now.horizon)
        return _in_turn(scores, (now.t - 1 - self.since[0]) % math.floor(arms / min(1.0, math.sqrt(share))))

    def alarmed(self, arm: Any, column: Any, reward: Floats) -> npt.NDArray[np.bool_]:
        n, length = self.n[arm, column].astype(np.int64), 2 * _HALF + 1
        self.kept[arm, column, n % length] = self.s[arm, column]
        self.kept[arm, column, 0] *= n != 1  # before the first reward
        middle, old = (self.kept[arm, column, (n - back) % length] for back in (_HALF, 2 * _HALF))
        uneven: npt.NDArray[np.bool_] = np.abs(self.s[arm, column] - 2.0 * middle + old) > self.threshold
        return (n >= 2 * _HALF) & uneven


class _CUSUMUCB(_Alarmed):
    def __init__(self, arms: int, runs: int) -> None:
        super().__init__(arms, runs)
        self.early, self.up, self.down = (np.zeros((arms, runs)) for _ in range(3))
        self.threshold = 0.0

    def scores(self, now: Any) -> Floats:
        return self.s / self.n + np.sqrt(0.5 * np.log(self.n.sum(axis=0)) / self.n)

    def forced(self, now: Any, scores: Floats) -> Floats:
        arms, runs = scores.shape
        self.threshold = math.log(now.horizon)
        drawn = now.rng.random(runs) < math.sqrt(self.threshold / now.horizon)
        turn = np.where(drawn, now.rng.integers(arms, size=runs), arms)
        return _in_turn(scores, now.t - 1 if now.t <= arms else turn)

    def alarmed(self, arm: Any, column: Any, reward: Floats) -> npt.NDArray[np.bool_]:
        begun = self.n[arm, column] > _EARLY
        self.early[arm, column] += np.where(begun, 0.0, reward)
        moved = reward - self.early[arm, column] / _EARLY
        for kept, step in ((self.up, moved), (self.down, -moved)):
            kept[arm, column] = np.where(begun, np.maximum(0.0, kept[arm, column] + step - _EPSILON), 0.0)
        largest: Floats = np.maximum(self.up[arm, column], self.down[arm, column])
        return largest >= self.threshold

    def forgets(self) -> tuple[Floats, ...]:
        return self.n, self.s, self.early, self.up, self.down


def _entropy(n: Any, s: Any) -> Any:
    """n times the entropy of a mean s / n, less."""
    p = np.clip(s / n, _EDGE, 1.0 - _EDGE)
    return s * np.log(p) + (n - s) * np.log(1.0 - p)


class _GLRKLUCB(_Alarmed):
    def __init__(self, index: Callable[[Any, Any], Floats], arms: int, runs: int) -> None:
        super().__init__(arms, runs)
        self.index, self.level = index, 0.0
        self.kept = np.zeros((arms, runs, 8))  # the sum after each 10 rewards

    def scores(self, now: Any) -> Floats:
        n = np.maximum(self.n, 1.0)
        return self.index(now._replace(n=n, m=self.s / n), np.log(now.t - self.since))

    def forced(self, now: Any, scores: Floats) -> Floats:
        arms = len(scores)
        self.level = 0.5 * math.log(now.horizon)
        share = np.sqrt((self.alarms + 1.0) * arms * math.log(now.horizon) / now.horizon)
        return _in_turn(scores, (now.t - 1) % np.floor(arms / np.minimum(1.0, share)))

    def alarmed(self, arm: Any, column: Any, reward: Floats) -> npt.NDArray[np.bool_]:
        alarmed = np.zeros(column.size, np.bool_)
        for r in np.flatnonzero(self.n[arm, column] % _EVERY == 0.0):
            n, s, a = self.n[arm[r], r], self.s[arm[r], r], arm[r]
            k = int(n) // _EVERY
            if k > self.kept.shape[2]:
                self.kept = np.concatenate([self.kept, np.zeros(self.kept.shape)], axis=2)
            before, sums = _EVERY * np.arange(1.0, k), self.kept[a, r, : k - 1]
            ratios = _entropy(before, sums) + _entropy(n - before, s - sums) - _entropy(n, s)
            alarmed[r] = k > 1 and ratios.max() > self.level + 1.5 * math.log(n)
            self.kept[a, r, k - 1] = s
        return alarmed


def alarmed_policies(index: Callable[[Any, Any], Floats]) -> dict[str, Callable[[int, int], Any]]:
    """Return the policies; `index(now, level)` is that of KL-UCB."""
    return {"m_ucb": _MUCB, "cusum_ucb": _CUSUMUCB, "glr_kl_ucb": functools.partial(_GLRKLUCB, index)}
