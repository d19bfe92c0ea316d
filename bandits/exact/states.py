"""Every state that a policy can reach, with its probability: pulls and successes of Bernoulli arms, step by step.

A path's probability is the product of the choices' probabilities, which do not depend on the arms' means, and of one
factor mu_a or 1 - mu_a a pull. So one pass serves all means: it sums the products of choices over all paths to a state,
its weight, and

    P(state) = weight  *  product over arms a of (2 mu_a)^s_a (2 (1 - mu_a))^(n_a - s_a)

where the 2s undo the halves of `bandits.kernels.exact.pull`. Nothing is drawn; the only error is that of rounding,
below 1e-12 of the result.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from bandits.exact.optimal import BayesOptimal
from bandits.hooks import IndexRule
from bandits.kernels import exact as kernels
from bandits.policies.base import Policy
from bandits.spec import PolicySpec
from numerics import checks

_kernels: Any = kernels  # which have no types

Floats = npt.NDArray[np.float64]
Layer = Mapping[tuple[int, ...], Floats]
"""Weights of all states after a number of pulls: by the arms' pulls, float64 of shape (n_1 + 1, ..., n_K + 1)."""

LONGEST = {2: 1_000, 3: 100}  # pulls, by the number of arms: hours, and what memory holds


def layers(policy: Policy | BayesOptimal, arms: int, horizon: int) -> Iterator[Layer]:
    """Yield the weights after 1, 2, ..., `horizon` pulls.

    Parameters
    ----------
    policy : Policy or BayesOptimal
        One whose choice depends on nothing but pulls and successes.
    arms : int
        K, 2 or 3.
    horizon : int
        T, at most 1,000 for two arms and 100 for three. There are about T^(2 K) / (2 K)! states in all.

    Raises
    ------
    ValueError
        Too many arms or pulls, or a policy whose choices depend on more than counts.

    Examples
    --------
    >>> from bandits import UCB
    >>> *_, last = layers(UCB(), arms=2, horizon=3)
    >>> {pulls: float(weights.sum()) for pulls, weights in last.items()}
    {(2, 1): 0.5, (1, 2): 0.5}
    """
    check(policy, arms, horizon)
    choose = policy.choice(horizon) if isinstance(policy, BayesOptimal) else Choice(policy, arms, horizon)
    layer: dict[tuple[int, ...], Floats] = {(0,) * arms: np.ones((1,) * arms)}
    for t in range(1, horizon + 1):
        following: dict[tuple[int, ...], Floats] = {}
        for pulls, weights in layer.items():
            chances = choose(pulls, t)
            flat = weights.ravel()
            for arm in range(arms):
                if not chances[arm].any():
                    continue
                after = (*pulls[:arm], pulls[arm] + 1, *pulls[arm + 1 :])
                target = following.get(after)
                if target is None:
                    target = following[after] = np.zeros([n + 1 for n in after])
                _kernels.pull(flat, chances[arm], pulls[arm], *around(pulls, arm), target.ravel())
        layer = following
        yield layer


def around(pulls: tuple[int, ...], arm: int) -> tuple[int, int]:
    """Return how many entries a block has before and behind an arm's own index."""
    before, behind = (math.prod(n + 1 for n in part) for part in (pulls[:arm], pulls[arm + 1 :]))
    return before, behind


def check(policy: Policy | BayesOptimal, arms: int, horizon: int) -> None:
    """Refuse what cannot be computed, before any work."""
    if arms not in LONGEST:
        raise ValueError(f"arms must be 2 or 3 for exact expectations; got {arms}")
    checks.whole("horizon", horizon, 1, LONGEST[arms])
    if isinstance(policy, BayesOptimal):
        policy.check(arms, horizon)
        return
    spec = policy.spec()
    if spec.step_size > 0.0:
        raise ValueError(f"policy {policy.name} with a step size depends on the order of rewards, not on counts alone")
    if spec.chances is None and not isinstance(spec.rule, IndexRule):
        raise ValueError(f"policy {policy.name} has no choice probabilities by counts; such as ucb or thompson do")
    Choice(policy, arms, horizon)((spec.explore,) * arms, spec.explore * arms + 1)


class Choice:
    """The probability of each arm in every state of a block, by the rule that plays."""

    def __init__(self, policy: Policy, arms: int, horizon: int):
        self.policy, self.arms, self.horizon = policy, arms, horizon
        self.spec: PolicySpec = policy.spec()
        self._params = np.array(self.spec.params, dtype=np.float64)
        self._hook: Any = (self.spec.chances or self.spec.rule).compiled
        self._room: dict[str, Floats] = {}
        self._rng = np.ones((1, 4), np.uint64)

    def __call__(self, pulls: tuple[int, ...], t: int) -> Floats:
        """Return float64 of shape (K, states of the block): who is pulled as number t, after these pulls."""
        states = math.prod(n + 1 for n in pulls)
        if t <= self.spec.explore * self.arms:
            turn = np.zeros((self.arms, states))
            turn[(t - 1) % self.arms] = 1.0
            return turn
        names = ("pulls", "means", "widths", "variances", "out")
        rows = {name: self._array(name, states) for name in names}
        for arm, own in enumerate(pulls):
            statistics = [rows[name][arm] for name in names[:-1]]
            _kernels.write_statistics(own, *around(pulls, arm), self.spec.initial, self.spec.prior_pulls, *statistics)
        flat = [rows[name].ravel() for name in names]
        priors = self._array("priors", states).ravel()
        priors[:] = 1.0 / self.arms
        if len(self._rng) < states:
            self._rng = np.ones((2 * states, 4), np.uint64)
        rng = self._rng[:states]
        self._hook(*flat[:-1], priors, float(t), float(self.horizon), self._params, rng, flat[-1])
        if (rng[[0, -1]] != 1).any():
            raise ValueError(f"policy {self.policy.name} draws random numbers and has no choice probabilities")
        out = rows["out"]
        if self.spec.chances is not None:
            if np.isnan(out[0, 0]):
                raise ValueError(f"policy {self.policy.name} has no choice probabilities for {self.arms} arms")
            return out
        chances = np.empty_like(out)
        _kernels.shares(out.ravel(), states, chances.ravel())
        return chances

    def _array(self, name: str, states: int) -> Floats:
        """Return room for a statistic of every arm and state, the same again at the next block of that size."""
        size = self.arms * states
        if name not in self._room or self._room[name].size < size:
            self._room[name] = np.empty(2 * size)
        return self._room[name][:size].reshape(self.arms, states)
