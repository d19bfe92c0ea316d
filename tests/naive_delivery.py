"""Naive twins of rewards that come late: plain Python, one replication and one step at a time; see `tests.naive`."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from bandits import Policy
from bandits.hooks import ChoiceRule
from tests.naive import Xoshiro, argmax, draw_arm, stream

DELAY = 5  # the purpose of the streams of delays
Rule = Any  # chooses by the rewards of each arm that have arrived, notes what to keep of a pull, learns late


class Known(NamedTuple):
    """A step, what it cost, and what was known before it."""

    arm: int
    reward: float
    pseudo_regret: float
    realised_regret: float
    known: tuple[int, ...]  # rewards of each arm


def play(
    rule: Rule, means: Sequence[float], delays: Sequence[int], seed: int, run: int, *, explore: int = 1
) -> list[Known]:
    """Play one replication of `len(delays)` pulls; the reward of step s is known from step s + delays[s] + 1 on.

    A list of all pulls is gone through at each step: those whose rewards arrive are learnt in the order of the pulls.
    """
    choosing, pay, pay_best = (Xoshiro(stream(seed, (purpose,), run)) for purpose in range(3))
    arms, pulls, rewards = len(means), list[tuple[int, float, Any]](), [list[float]() for _ in means]
    regret, gain, steps = 0.0, 0.0, list[Known]()
    for s, _ in enumerate(delays):
        known = tuple(len(of) for of in rewards)
        a = s % arms if min(known) < explore else rule.choose(rewards, s + 1, choosing)
        reward = float(pay.uniform() < means[a])
        pulls.append((a, reward, rule.note()))
        regret += max(means) - means[a]
        gain += float(pay_best.uniform() < max(means)) - reward
        for past, (arm, paid, note) in enumerate(pulls):
            if past + delays[past] == s:
                rewards[arm].append(paid)
                rule.learn(arm, paid, note)
        steps.append(Known(a, reward, regret, gain, known))
    return steps


class Hooks:
    """The hooks of a policy of the registry, called one replication at a time with statistics of the known rewards."""

    def __init__(self, policy: Policy, arms: int, horizon: int):
        self.spec, self.numbers = policy.spec(), policy.spec().kernel_spec(horizon, arms)
        self.memory = np.zeros((self.numbers.memory + arms * self.numbers.arm_memory, 1))

    def choose(self, rewards: Sequence[Sequence[float]], t: int, rng: Xoshiro) -> int:
        numbers, estimates, arms = self.numbers, self.numbers.estimates, len(rewards)
        n, total = np.array([[len(of), sum(of)] for of in rewards], dtype=np.float64).T
        m = np.array([self._estimate(of) for of in rewards])
        with np.errstate(divide="ignore"):
            widths = 1.0 / np.sqrt(n)
        v = np.array([(len(of) * sum(of) - sum(of) ** 2) / max(1.0, len(of) ** 2) for of in rewards])  # of 0 and 1
        v = v if numbers.needs_variances else np.full(arms, np.nan)
        priors = np.full(arms, 1.0 / arms if numbers.needs_priors else np.nan)
        words, out, chosen = np.array([rng.s], np.uint64), np.full(arms, np.nan), np.full(1, -1)
        assert estimates.step_size or (m * (n + estimates.prior_pulls) >= total - 1e-9).all()
        state = (n.copy(), m, widths, v, priors, float(t), numbers.horizon, numbers.params.copy(), words)
        if isinstance(self.spec.rule, ChoiceRule):
            self.spec.rule.compiled(*state, self.memory, chosen)
        else:
            self.spec.rule.compiled(*state, out)
        rng.s = [int(word) for word in words[0]]
        return int(chosen[0]) if isinstance(self.spec.rule, ChoiceRule) else argmax(out.tolist(), rng)

    def _estimate(self, rewards: Sequence[float]) -> float:
        estimates = self.numbers.estimates
        if not estimates.step_size:
            start, n = estimates.initial * estimates.prior_pulls, len(rewards)
            return (start + sum(rewards)) / (estimates.prior_pulls + n) if rewards else estimates.initial
        mean = estimates.initial
        for reward in rewards:
            mean += estimates.step_size * (reward - mean)
        return mean

    def note(self) -> Any:
        """The rows of the memory that belong to the pull."""
        return self.memory[: self.numbers.kept_rows].copy()

    def learn(self, arm: int, reward: float, note: Any) -> None:
        if self.spec.learn is not None:
            self.memory[: self.numbers.kept_rows] = note
            self.spec.learn.compiled(self.memory, np.array([arm]), np.array([reward]))


class Weighed:
    """A rule that draws by weights, as `tests.naive` has it; it learns with the probabilities of the pull."""

    def __init__(self, rule: Any):
        self.rule, self.drawn = rule, ([0.0], 0)

    def choose(self, rewards: Sequence[Sequence[float]], t: int, rng: Xoshiro) -> int:
        self.drawn = (self.rule.chances(t), t)
        return draw_arm(self.drawn[0], rng)

    def note(self) -> Any:
        return copy.deepcopy(self.drawn)

    def learn(self, arm: int, reward: float, note: Any) -> None:
        """Learn as if the probabilities were still those of the pull."""
        chances, t = note
        then = copy.copy(self.rule)
        then.chances = lambda _: chances  # type: ignore[method-assign]
        then.learn(arm, reward, t)  # changes the lists that both have


def late(delay: int, horizon: int) -> list[int]:
    return [delay] * horizon


def batches(size: int, horizon: int) -> list[int]:
    """Rewards arrive at the end of each batch, and never where it is not full."""
    return [size - 1 - s % size for s in range(horizon)]


def drawn(delay: Callable[[float], int], horizon: int, seed: int, run: int) -> list[int]:
    rng = Xoshiro(stream(seed, (DELAY,), run))
    return [delay(rng.uniform()) for _ in range(horizon)]


def geometric(mean: float) -> Callable[[float], int]:
    """The number of failures before a success of probability 1 / (1 + mean), by inversion."""
    return lambda u: math.floor(math.log(1.0 - u) / math.log(mean / (1.0 + mean)))


def logged(delays: Sequence[int]) -> Callable[[float], int]:
    return lambda u: delays[int(u * len(delays))]
