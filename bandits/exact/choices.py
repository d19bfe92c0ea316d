"""Which arm is pulled in each state of a block: the policy's rule is asked about many states at once.

The score of an arm mostly depends on nothing but its own pulls and successes, the number of the pull, and K. So T^2 / 2
scores at each pull serve T^3 / 6 states of two arms. The rule is evaluated on replications whose arms are all
identical. There every arm is as good as the best, and none is left out. Rules that compare the arms, or draw, are asked
about every state.
"""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import numpy.typing as npt

from bandits.hooks import FormulaRule, IndexRule
from bandits.kernels import exact as kernels
from bandits.policies.base import Policy
from bandits.spec import PolicySpec

_kernels: Any = kernels  # which have no types
_TRIED = 7  # pulls of every arm, up to which a rule is tried in all states of two arms

Floats = npt.NDArray[np.float64]
Pulls = tuple[int, ...]


class Choice:
    """The probability of each arm in every state of a block.

    Parameters
    ----------
    policy : Policy
        One whose choice depends on nothing but pulls and successes.
    arms, horizon : int
        K and T.
    """

    def __init__(self, policy: Policy, arms: int, horizon: int):
        self.policy: Policy = policy
        self.arms: int = arms
        self.horizon: int = horizon
        self.spec: PolicySpec = policy.spec()
        self._params = self.spec.numbers(horizon, arms)
        self._hook: Any = (self.spec.chances or self.spec.rule).compiled
        self._known = own_states(self.spec, horizon)
        self._rng = np.ones((0, 4), np.uint64)

    @property
    def turns(self) -> int:
        """How many pulls come in turn, before the rule is asked."""
        return self.spec.estimates.explore * self.arms

    def __call__(self, pulls: Pulls, t: int) -> Floats:
        """Return float64 of shape (K, states of the block): the probability that each arm is pull number t."""
        states = math.prod(n + 1 for n in pulls)
        if t <= self.turns:
            turn = np.zeros((self.arms, states))
            turn[(t - 1) % self.arms] = 1.0
            return turn
        if self.arms > 2 and self.spec.block is not None:
            return self.spec.block(*self.spec.params, pulls)
        rows = np.empty((len(self._known), self.arms, *(n + 1 for n in pulls)))
        for arm, n in enumerate(pulls):
            shape = [len(rows)] + [n + 1 if a == arm else 1 for a in range(self.arms)]
            rows[:, arm] = self._known[:, states_of(n)].reshape(shape)
        out = self._asked(rows.reshape(len(rows), self.arms, states), t)
        if self.spec.chances is not None:
            if np.isnan(out[0, 0]):
                raise ValueError(f"policy {self.policy.name} has no choice probabilities for {self.arms} arms")
            return out
        chances = np.empty_like(out)
        _kernels.shares(out.ravel(), states, chances.ravel())
        return chances

    def scores(self, t: int) -> list[Floats]:
        """Return the scores of an arm among equal ones by its successes 0, ..., n, for each n that it can have had."""
        least = self.spec.estimates.explore
        first, end = states_of(least).start, states_of(t - 1 - least * (self.arms - 1)).stop
        alike = np.repeat(self._known[:, None, first:end], self.arms, axis=1)
        scores = self._asked(alike, t)[0]
        empty = np.empty(0)
        return [
            scores[states_of(n).start - first : states_of(n).stop - first] if states_of(n).start >= first else empty
            for n in range(t)
        ]

    def looks_at_one_arm(self) -> bool:
        """Return whether equal scores in `scores` and in the states themselves show that the rule compares no arms.

        A formula compares none. Of our other rules all states of two arms with few pulls are tried; a user's is not
        trusted beyond them.
        """
        rule = self.spec.rule
        if self.spec.chances is not None or not isinstance(rule, IndexRule):
            return False
        if isinstance(rule, FormulaRule) or not rule.is_ours:
            return isinstance(rule, FormulaRule)
        least = self.spec.estimates.explore
        for n, m in itertools.product(range(least, _TRIED), repeat=2):
            pulls = (n, m, *[least] * (self.arms - 2))
            t = sum(pulls) + 1
            if t > max(self.horizon, least * self.arms):
                continue
            scores = np.meshgrid(*[self.scores(t)[arm_pulls] for arm_pulls in pulls], indexing="ij")
            top = np.max(scores, axis=0)
            best = np.stack([score.ravel() == top.ravel() for score in scores])
            if not np.allclose(best / best.sum(axis=0), self(pulls, t), rtol=0.0, atol=1e-12):
                return False
        return True

    def _asked(self, statistics: Floats, t: int) -> Floats:
        """Return what the rule writes: statistics have the shape (4, K, states), the answer (K, states)."""
        _, arms, states = statistics.shape
        if len(self._rng) < states:
            self._rng = np.ones((2 * states, 4), np.uint64)
        rng, out = self._rng[:states], np.empty(arms * states)
        pulls, means, widths, variances = (statistic.ravel() for statistic in statistics)
        priors = np.full(out.size, 1.0 / arms)
        self._hook(pulls, means, widths, variances, priors, float(t), float(self.horizon), self._params, rng, out)
        if (rng[[0, -1]] != 1).any():
            raise ValueError(f"policy {self.policy.name} draws random numbers; its choice probabilities are unknown")
        return out.reshape(arms, states)


def states_of(n: int) -> slice:
    """Return where the states of an arm of n pulls lie among all of its states.

    Examples
    --------
    >>> states_of(2)
    slice(3, 6, None)
    """
    return slice(n * (n + 1) // 2, (n + 1) * (n + 2) // 2)


def own_states(spec: PolicySpec, most: int) -> Floats:
    """Return an arm's statistics in each of its states, 0 to n successes in n pulls for n = 0, ..., `most`.

    The rows are pulls, means, widths and variances, as in the simulation kernel. The estimate is (start + successes) /
    (weight + pulls), or `start` without pulls and weight.
    """
    pulls = np.repeat(np.arange(most + 1.0), np.arange(1, most + 2))
    won = np.concatenate([np.arange(n + 1.0) for n in range(most + 1)])
    weight, start = spec.estimates.prior_pulls, spec.estimates.initial
    known, means = weight + pulls, np.full(pulls.size, start)
    np.divide(weight * start + won, known, out=means, where=known > 0.0)
    with np.errstate(divide="ignore"):
        return np.stack([pulls, means, 1.0 / np.sqrt(pulls), won * (pulls - won) / np.maximum(pulls, 1.0) ** 2])
