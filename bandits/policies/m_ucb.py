"""M-UCB."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from bandits.detection.window import WINDOW_ROWS, halves, window_step
from bandits.kernels.argmax import choose_best
from bandits.policies.base import Forgetful
from bandits.rules import choice_rule, learn_rule
from numerics.parameters import parameter

# Rows of the memory: alarms, t, the last restart, params and K; then K indices, and for each arm the sum of its rewards
# and its window, whose first row counts them.
_ALARMS, _NOW, _RESTART, _WINDOW, _THRESHOLD, _ARMS, _FIRST = range(7)
_LONGEST = 10**6


class MUCB(Forgetful, name="m_ucb"):
    """UCB1 that starts again when an arm's last rewards differ in their two halves, and explores all arms for that."""

    window: int = parameter(
        800,
        low=2,
        most=_LONGEST,
        help="Number of last rewards of an arm in the test, half against half, from 2 to 1,000,000; rounded down to an "
        "even number.",
    )
    threshold: float | None = parameter(
        None,
        low=0.0,
        help="Threshold of the difference between the sums of both halves; null: set from w, K and T.",
    )
    gamma: float | None = parameter(
        None,
        low=0.0,
        high=1.0,
        help="Share of forced exploration, in [0, 1]; null: set from w, K, T and changes.",
    )
    source = "Cao, Wen, Kveton and Xie 2019, M-UCB"
    locks = False
    other_rewards = "proved"
    unit_theory = True
    alarms = True

    @property
    def formula(self) -> str:
        b = f"sqrt({halves(self.window) // 2} ln(2 K T^2))" if self.threshold is None else f"{self.threshold:g}"
        gamma = f"sqrt({self.changes} K (2 b + 3 sqrt(w)) / (2 T))" if self.gamma is None else f"{self.gamma:g}"
        return f"m + sqrt(2 ln t / n) since an alarm: w = {self.window}, b = {b}, gamma = {gamma}"

    def plan(self, horizon: int, arms: int) -> npt.NDArray[np.float64]:
        """Return the window w, b, the pulls K / gamma from one turn to the next, and K.

        Cao et al. 2019, section 5: b = sqrt(w ln(2 K T^2) / 2) and gamma = sqrt(changes K (2 b + 3 sqrt(w)) / (2 T)).
        """
        w, b, gamma = halves(self.window), self.threshold, self.gamma
        if b is None:
            b = math.sqrt(0.5 * w * math.log(2.0 * arms * float(horizon) ** 2))
        if gamma is None:
            gamma = min(1.0, math.sqrt(self.changes * arms * (2.0 * b + 3.0 * math.sqrt(w)) / (2.0 * horizon)))
        return np.array([w, b, math.floor(arms / gamma) if gamma > 0.0 else math.inf, arms], np.float64)

    @staticmethod
    def memory(params: npt.NDArray[np.float64], horizon: int) -> int:
        """Return the rows that hold the last rewards of each arm, at most all of the run."""
        return min(int(params[0]), horizon) * int(params[3])


@learn_rule
def m_ucb_learn(memory, arm, reward):
    """Count the reward, and forget all of them after an alarm."""
    window, threshold, arms = int(memory[_WINDOW, 0]), memory[_THRESHOLD, 0], int(memory[_ARMS, 0])
    each = (memory.shape[0] - _FIRST - arms) // arms
    for r in range(arm.size):
        first = _FIRST + arms + arm[r] * each
        memory[first, r] += reward[r]
        if window_step(memory, first + 1, r, reward[r], window, threshold):
            memory[_ALARMS, r] += 1.0
            memory[_RESTART, r] = memory[_NOW, r]
            for a in range(arms):
                memory[_FIRST + arms + a * each, r] = 0.0
                memory[_FIRST + arms + a * each + 1, r] = 0.0


@choice_rule(memory=_FIRST, arm_memory=2 + WINDOW_ROWS, learn=m_ucb_learn, every_arm_first=False)
def m_ucb(pulls, means, widths, variances, priors, t, horizon, params, rng, memory, arm):
    """The arms in turn at the start of each period, then the highest m + sqrt(2 ln t / n). params = [w, b, period, K].

    Cao, Wen, Kveton and Xie, Nearly optimal adaptive procedure with change detection for piecewise-stationary bandit,
    AISTATS 2019, algorithm 2. The counts t, n and m start at the last alarm of any arm, and so do the periods of
    floor(K / gamma) pulls. An arm without a reward comes first.
    """
    size = arm.size
    arms = means.size // size
    memory[_NOW] = t
    memory[_WINDOW], memory[_THRESHOLD], memory[_ARMS] = params[0], params[1], arms
    each = (memory.shape[0] - _FIRST - arms) // arms
    out = memory[_FIRST : _FIRST + arms].reshape(-1)
    for r in range(size):
        passed = t - memory[_RESTART, r]
        turn = (passed - 1.0) % params[2]
        bonus = math.sqrt(2.0 * math.log(passed))
        for a in range(arms):
            first = _FIRST + arms + a * each
            n = memory[first + 1, r]
            if turn < arms:
                out[a * size + r] = 1.0 if a == turn else 0.0
            elif n > 0.0:
                out[a * size + r] = memory[first, r] / n + bonus / math.sqrt(n)
            else:
                out[a * size + r] = math.inf
    choose_best(out, rng, arm)
