"""GLR-klUCB."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from bandits.arms.base import LARGEST
from bandits.detection.likelihood import GLR_ROWS, glr_step
from bandits.kernels.argmax import choose_best
from bandits.kernels.indices.kl_index import write_kl_indices
from bandits.policies.base import Policy
from bandits.rules import choice_rule, learn_rule
from numerics.parameters import parameter

# Rows of the memory: alarms, t, entries of the pool, params and K; then K rows each of pulls, means, widths and
# indices; for each arm its last restart and its detector; then the pool of sums.
_ALARMS, _NOW, _USED, _LEVEL, _EVERY, _SPLITS, _LOCAL, _ARMS, _FIRST = range(9)
_SCRATCH = 4
_EACH = 1 + GLR_ROWS


class GLRKLUCB(Policy, name="glr_kl_ucb"):
    """KL-UCB that starts again at an alarm of the Bernoulli likelihood ratio, for arms that change, however often."""

    restart: str = parameter(
        "local", choices=("local", "global"), help="What an alarm resets: that arm (local) or all arms (global)."
    )
    delta: float | None = parameter(
        None,
        low=0.0,
        high=1.0,
        above=True,
        below=True,
        help="Approximate probability of a false alarm of an arm, in (0, 1); null: 1 / sqrt(T).",
    )
    alpha: float = parameter(
        1.0,
        low=0.0,
        most=LARGEST,
        help="Factor of the share of forced exploration, at least 0.",
    )
    every: int = parameter(10, low=1, most=10**9, help="The test runs after every so many rewards of an arm.")
    splits: int = parameter(
        10, low=1, most=10**9, help="The test considers changes only at multiples of so many rewards of an arm."
    )
    source = "Besson, Kaufmann, Maillard and Seznec 2022, GLR-klUCB"
    locks = False
    other_rewards = "proved"
    unit_rewards = True
    forgets = True
    alarms = True

    @property
    def formula(self) -> str:
        delta = "1 / sqrt(T)" if self.delta is None else f"{self.delta:g}"
        which = "the arm's" if self.restart == "local" else "an"
        return (
            f"max q: n kl(m, q) <= ln t since {which} alarm: delta = {delta}, alpha = {self.alpha:g} sqrt(K ln T / T), "
            f"every {self.every}, splits {self.splits}"
        )

    def plan(self, horizon: int, arms: int) -> npt.NDArray[np.float64]:
        """Return ln(1 / delta), alpha sqrt(K ln T / T), every, splits, and 1 for local restarts.

        As Besson et al. 2022 played it: delta = 1 / sqrt(T), alpha 1.
        """
        level = 0.5 * math.log(horizon) if self.delta is None else -math.log(self.delta)
        share = self.alpha * math.sqrt(arms * math.log(horizon) / horizon)
        return np.array([level, share, self.every, self.splits, self.restart == "local"], np.float64)

    @staticmethod
    def memory(params: npt.NDArray[np.float64], horizon: int) -> int:
        """Return the rows of the sums that all arms together keep in a run."""
        return 2 * (horizon // int(params[3]))


@learn_rule
def glr_learn(memory, arm, reward):
    """Count the reward, and forget those of the arm, or of all, after an alarm."""
    level, every, splits = memory[_LEVEL, 0], int(memory[_EVERY, 0]), int(memory[_SPLITS, 0])
    arms, local = int(memory[_ARMS, 0]), memory[_LOCAL, 0] != 0.0
    detectors = _FIRST + _SCRATCH * arms
    pool = detectors + _EACH * arms
    for r in range(arm.size):
        first = detectors + arm[r] * _EACH
        if glr_step(memory, first + 1, _USED, pool, r, reward[r], level, every, splits):
            memory[_ALARMS, r] += 1.0
            for a in range(arms):
                if a == arm[r] or not local:
                    row = detectors + a * _EACH
                    memory[row, r] = memory[_NOW, r]
                    for k in range(1, _EACH):
                        memory[row + k, r] = 0.0


@choice_rule(memory=_FIRST, arm_memory=_SCRATCH + _EACH, learn=glr_learn, every_arm_first=False)
def glr_kl_ucb(pulls, means, widths, variances, priors, t, horizon, params, rng, memory, arm):
    """The arms in turn at the start of each period, then the highest max{q : n kl(m, q) <= ln t}.

    params = [ln(1 / delta), alpha, every, splits, local]. Besson, Kaufmann, Maillard and Seznec, Efficient change-point
    detection for tackling piecewise-stationary bandits, JMLR 23 (2022), algorithm 1. An arm's t, n and m count from its
    last restart. After k - 1 alarms, a period has floor(K / (alpha sqrt(k))) pulls. An arm without a reward since its
    restart comes first.
    """
    size = arm.size
    arms = means.size // size
    cells = arms * size
    memory[_NOW], memory[_LEVEL], memory[_ARMS] = t, params[0], arms
    memory[_EVERY], memory[_SPLITS], memory[_LOCAL] = params[2], params[3], params[4]
    detectors = _FIRST + _SCRATCH * arms
    scratch = memory[_FIRST:detectors].reshape(-1)
    n, m, w, out = scratch[:cells], scratch[cells : 2 * cells], scratch[2 * cells : 3 * cells], scratch[3 * cells :]
    for a in range(arms):
        row = detectors + a * _EACH
        for r in range(size):
            i, count = a * size + r, memory[row + 1, r]
            if count > 0.0:
                n[i], m[i], w[i] = count, min(memory[row + 2, r] / count, 1.0), 1.0 / math.sqrt(count)
                out[i] = math.log(t - memory[row, r])
            else:  # any numbers for which there is an index
                n[i], m[i], w[i], out[i] = 1.0, 1.0, 1.0, 0.0
    write_kl_indices(n, m, w, out, size)
    for r in range(size):
        share = min(1.0, params[1] * math.sqrt(memory[_ALARMS, r] + 1.0))
        turn = (t - 1.0) % math.floor(arms / share) if share > 0.0 else t - 1.0
        for a in range(arms):
            if turn < arms:
                out[a * size + r] = 1.0 if a == turn else 0.0
            elif memory[detectors + a * _EACH + 1, r] == 0.0:
                out[a * size + r] = math.inf
    choose_best(out, rng, arm)
