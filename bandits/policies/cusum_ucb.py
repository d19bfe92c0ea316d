"""CUSUM-UCB."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from bandits.arms.base import LARGEST
from bandits.detection.cusum import CUSUM_ROWS, cusum_step
from bandits.kernels.argmax import choose_best, share_of_best
from bandits.policies.base import Forgetful
from bandits.rules import choice_rule, learn_rule, propensity_hook
from numerics.kernels.arrays import empty
from numerics.kernels.jit import kernel
from numerics.parameters import parameter
from numerics.random import next_uniform

# Rows of the memory: alarms, then params and K; then K indices, and for each arm the sum of its rewards and the sums of
# its detector, the first of which counts them.
_ALARMS, _EARLY, _EPSILON, _THRESHOLD, _ARMS, _FIRST = range(6)
_EACH = 1 + CUSUM_ROWS


class CUSUMUCB(Forgetful, name="cusum_ucb"):
    """UCB1 that forgets an arm when cumulative sums say that it has changed, and explores at random for that."""

    first: int = parameter(
        100, low=1, most=10**9, help="Number of rewards of an arm for the reference mean of the test."
    )
    epsilon: float = parameter(0.1, low=0.0, most=LARGEST, help="Tolerated drift of an arm's mean, at least 0.")
    threshold: float | None = parameter(
        None, low=0.0, above=True, help="Threshold of the cumulative sum for an alarm, above 0; null: ln(T / changes)."
    )
    alpha: float | None = parameter(
        None,
        low=0.0,
        high=1.0,
        help="Probability of a uniformly random arm, in [0, 1]; null: sqrt(changes / T ln(T / changes)).",
    )
    xi: float = parameter(0.5, low=0.0, most=LARGEST, help="Factor of the exploration term, at least 0; proved with 1.")
    source = "Liu, Lee and Shroff 2018, CUSUM-UCB"
    locks = False
    other_rewards = "proved"
    unit_theory = True
    alarms = True

    @property
    def formula(self) -> str:
        h = f"ln(T / {self.changes})" if self.threshold is None else f"{self.threshold:g}"
        alpha = f"sqrt({self.changes} ln(T / {self.changes}) / T)" if self.alpha is None else f"{self.alpha:g}"
        return (
            f"m + sqrt({self.xi:g} ln(sum n) / n) since the arm's alarm: M = {self.first}, epsilon = {self.epsilon:g}, "
            f"h = {h}, alpha = {alpha}"
        )

    def plan(self, horizon: int, arms: int) -> npt.NDArray[np.float64]:
        """Return M, epsilon, xi, h = ln(T / changes) and alpha = sqrt(changes / T ln(T / changes)).

        Without the constants of Liu, Lee and Shroff 2018, corollary 2, as Besson et al. 2022 played it. T / changes
        counts as e at least.
        """
        rate = min(self.changes / horizon, math.exp(-1.0))
        level = -math.log(rate)
        threshold = level if self.threshold is None else self.threshold
        alpha = math.sqrt(rate * level) if self.alpha is None else self.alpha
        return np.array([float(self.first), self.epsilon, self.xi, threshold, alpha])


@learn_rule
def cusum_ucb_learn(memory, arm, reward):
    """Count the reward, and forget those of the arm after an alarm."""
    early, epsilon, threshold = memory[_EARLY, 0], memory[_EPSILON, 0], memory[_THRESHOLD, 0]
    arms = int(memory[_ARMS, 0])
    for r in range(arm.size):
        first = _FIRST + arms + arm[r] * _EACH
        memory[first, r] += reward[r]
        if cusum_step(memory, first + 1, r, reward[r], early, epsilon, threshold):
            memory[_ALARMS, r] += 1.0
            for row in range(first, first + _EACH):
                memory[row, r] = 0.0


@choice_rule(memory=_FIRST, arm_memory=1 + _EACH, learn=cusum_ucb_learn, every_arm_first=False)
def cusum_ucb(pulls, means, widths, variances, priors, t, horizon, params, rng, memory, arm):
    """Each arm in turn, then any with probability alpha, else the highest m + sqrt(xi ln(sum n) / n).

    params = [M, epsilon, xi, h, alpha]. Here n and m of an arm count from its last alarm. An arm without a reward since
    then comes first. Liu, Lee and Shroff, A change-detection based framework for piecewise-stationary multi-armed
    bandit problem, AAAI 2018, algorithms 1 and 2.
    """
    size = arm.size
    arms = means.size // size
    memory[_EARLY], memory[_EPSILON], memory[_THRESHOLD], memory[_ARMS] = params[0], params[1], params[3], arms
    out = memory[_FIRST : _FIRST + arms].reshape(-1)
    if t <= arms:
        arm[:] = int(t) - 1
        return
    _write_indices(memory, arms, params[2], out)
    for r in range(size):
        drawn = next_uniform(rng, r)
        if drawn < params[4]:
            for a in range(arms):
                out[a * size + r] = 1.0 if a == int(drawn / params[4] * arms) else 0.0
    choose_best(out, rng, arm)


@propensity_hook
def cusum_ucb_propensities(pulls, means, widths, variances, priors, t, horizon, params, rng, memory, out):
    """Write the probability of each arm after its first turn. params = [M, epsilon, xi, h, alpha]."""
    indices = empty(out.size)
    _write_indices(memory, out.size, params[2], indices)
    share_of_best(indices, 1, out)
    for a in range(out.size):
        out[a] = params[4] / out.size + (1.0 - params[4]) * out[a]


@kernel()
def _write_indices(memory, arms, xi, out):
    """Write m + sqrt(xi ln(sum n) / n) of every arm since its alarm; inf of one without a reward."""
    size = memory.shape[1]
    for r in range(size):
        total = 0.0
        for a in range(arms):
            total += memory[_FIRST + arms + a * _EACH + 1, r]
        bonus = math.sqrt(xi * math.log(max(total, 1.0)))
        for a in range(arms):
            first = _FIRST + arms + a * _EACH
            n = memory[first + 1, r]
            out[a * size + r] = memory[first, r] / n + bonus / math.sqrt(n) if n > 0.0 else math.inf
