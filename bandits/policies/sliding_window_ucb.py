"""Sliding-window UCB."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from bandits.kernels.argmax import choose_best
from bandits.policies.base import Forgetful
from bandits.policies.discounted_ucb import DiscountedUCB
from bandits.rules import choice_rule, learn_rule
from bandits.spec import PolicySpec
from numerics.parameters import parameter, parameter_as

# Rows of the memory: the pulls of the window, the rewards so far, K; then what the last pulls were of, and what they
# paid, in rings; then K counts, K sums and K indices.
_WINDOW, _LEARNT, _ARMS, _FIRST = range(4)
_LONGEST = 10**6


class SlidingWindowUCB(Forgetful, name="sliding_window_ucb"):
    """UCB1 of the last pulls only, for arms that change. A pull costs the same whatever the window."""

    window: int | None = parameter(
        None,
        low=1,
        most=_LONGEST,
        help="Length of the window in pulls, from 1 to 1,000,000; null: 2 sqrt(T ln T / changes).",
    )
    xi: float = parameter_as(DiscountedUCB, "xi")
    source = "Garivier and Moulines 2011, sliding-window UCB"
    locks = False
    other_rewards = "proved"
    unit_theory = True

    @property
    def formula(self) -> str:
        window = f"2 sqrt(T ln T / {self.changes})" if self.window is None else f"{self.window}"
        return f"S / N + sqrt({self.xi:g} ln(min(t, w)) / N), N and S of the last w = {window} pulls"

    def spec(self) -> PolicySpec:
        if self.window is None:
            return PolicySpec(sliding_window_ucb, plan=self.plan, memory=self.memory)
        return PolicySpec(sliding_window_ucb, (float(self.window), math.sqrt(self.xi)), memory=self.memory)

    def plan(self, horizon: int, arms: int) -> npt.NDArray[np.float64]:
        """Return the window 2 sqrt(T ln T / changes), and the factor of the exploration term.

        Garivier and Moulines 2011, for rewards in [0, 1]; a part of a pull does not count.
        """
        window = 2.0 * math.sqrt(horizon * math.log(horizon) / self.changes)
        return np.array([float(min(max(1, int(window)), _LONGEST)), math.sqrt(self.xi)])

    @staticmethod
    def memory(params: npt.NDArray[np.float64], horizon: int) -> int:
        """Return the rows that hold the arms and rewards of the last pulls, at most all of the run."""
        return 2 * min(int(params[0]), horizon)


@learn_rule
def sliding_learn(memory, arm, reward):
    """Count the pull and its reward in place of the oldest of the window."""
    window, arms = int(memory[_WINDOW, 0]), int(memory[_ARMS, 0])
    for r in range(arm.size):
        learnt = int(memory[_LEARNT, r])
        i = _FIRST + learnt % window
        if learnt >= window:
            old = _FIRST + 2 * window + int(memory[i, r])
            memory[old, r] -= 1.0
            memory[old + arms, r] = 0.0 if memory[old, r] == 0.0 else memory[old + arms, r] - memory[i + window, r]
        new = _FIRST + 2 * window + arm[r]
        memory[i, r], memory[i + window, r] = arm[r], reward[r]
        memory[new, r] += 1.0
        memory[new + arms, r] += reward[r]
        memory[_LEARNT, r] = learnt + 1.0


@choice_rule(memory=_FIRST, arm_memory=3, learn=sliding_learn, every_arm_first=False)
def sliding_window_ucb(pulls, means, widths, variances, priors, t, horizon, params, rng, memory, arm):
    """Each arm in turn, then the highest S / N + c sqrt(ln(min(t, w)) / N). params = [w, c].

    N counts an arm's pulls among the last w, S sums their rewards, and c = sqrt(xi). An arm without a pull in the
    window comes first. With late rewards, the last w rewards that have arrived count. Garivier and Moulines, On
    upper-confidence bound policies for switching bandit problems, ALT 2011.
    """
    size = arm.size
    arms = means.size // size
    window = (memory.shape[0] - _FIRST - 3 * arms) // 2  # w, or all pulls of a shorter run
    memory[_WINDOW] = window
    memory[_ARMS] = arms
    first = _FIRST + 2 * window
    counts = memory[first : first + arms].reshape(-1)
    sums = memory[first + arms : first + 2 * arms].reshape(-1)
    out = memory[first + 2 * arms :].reshape(-1)
    bonus = params[1] * math.sqrt(math.log(min(t, float(window))))
    for i in range(out.size):
        n = max(counts[i], 1.0)
        index = sums[i] / n + bonus * (1.0 / math.sqrt(n))
        out[i] = index if counts[i] > 0.0 else np.inf
    if t <= arms:
        arm[:] = int(t) - 1
    else:
        choose_best(out, rng, arm)
