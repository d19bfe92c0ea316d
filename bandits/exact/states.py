"""Every state that a policy can reach, with its probability: pulls and successes of Bernoulli arms, step by step.

A path's probability is a product of two parts. The first are the probabilities of its choices, which do not depend on
the means. The second is a factor mu_a or 1 - mu_a for each pull. So one pass serves all means. It sums the first part
over all paths to a state, which gives the state's weight, and

    P(state) = weight  *  product over arms a of (2 mu_a)^s_a (2 (1 - mu_a))^(n_a - s_a)

where the 2s undo the halves of `bandits.kernels.exact`. Nothing is drawn; the only error is that of rounding,
below 1e-12 of the result.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from bandits.arms.bernoulli import Bernoulli
from bandits.exact.choices import Choice, Floats, Pulls
from bandits.hooks import IndexRule
from bandits.kernels import exact as kernels
from bandits.policies.base import Policy
from numerics import checks

_kernels: Any = kernels  # which have no types

_NEVER = np.array([-np.inf])  # the score of the arm that is missing where two arms are played
_NOWHERE = np.empty((0, 0, 0))

Layer = Mapping[Pulls, Floats]
"""Weights of all states after a number of pulls: by the arms' pulls, float64 of shape (n_1 + 1, ..., n_K + 1)."""

_LONGEST = {2: 1_000, 3: 100}  # pulls, by the number of arms: hours
_MOST_STATES, _MOST_ARMS = 10**7, 8  # of more arms, after the last pull: minutes, and what memory holds


def layers(policy: Policy, arms: int, horizon: int) -> Iterator[Layer]:
    """Yield the weights after 1, 2, ..., `horizon` pulls.

    Parameters
    ----------
    policy : Policy
        One whose choice depends on nothing but pulls and successes.
    arms : int
        K, from 2 to 8.
    horizon : int
        T, at most `longest(arms)`. There are about T^(2 K) / (2 K)! states in all.

    Raises
    ------
    ValueError
        Too many arms or pulls, or a policy whose choices depend on more than counts.

    Examples
    --------
    >>> from bandits import UCB
    >>> *_, last = layers(UCB(), arms=2, horizon=3)
    >>> {pulls: float(weights.sum()) for pulls, weights in last.items()}
    {(1, 2): 0.5, (2, 1): 0.5}
    """
    arms, horizon = check(policy, arms, horizon)
    choose = Choice(policy, arms, horizon)
    alone = arms <= 3 and choose.looks_at_one_arm()
    alike = choose.spec.rule.is_ours  # it would choose the same if arms changed places
    moved = np.zeros((3, horizon + 3))  # scratch of the kernels
    layer: dict[Pulls, Floats] = {(0,) * arms: np.ones((1,) * arms)}
    for t in range(1, horizon + 1):
        ordered = alike and t > choose.turns  # then one order of the arms' pulls is followed, for all of them
        scores = choose.scores(t) if alone and t > choose.turns else None
        following: dict[Pulls, Floats] = {}
        for pulls in list(layer):
            weights = layer.pop(pulls)  # so that hardly more than one layer is in memory
            if ordered and len(set(pulls)) < arms:
                same = sum(after == pulls for after in itertools.permutations(pulls))
                weights = weights / same  # `_in_order` adds as many, one for each order of the arms
            targets = [_NOWHERE] * (3 - arms)
            for arm in range(len(pulls)):
                after = tuple(n + (a == arm) for a, n in enumerate(pulls))
                if after not in following:
                    following[after] = np.zeros([n + 1 for n in after])
                targets.append(following[after] if arms > 3 else _of_three(following[after]))
            if arms > 3:
                _move(weights, choose(pulls, t), targets)
            elif scores is None:
                _kernels.move_by_chances(_of_three(weights), choose(pulls, t), *targets, moved)
            else:
                arm_scores = [scores[n] for n in pulls]
                _kernels.move_by_scores(_of_three(weights), *([_NEVER] * (3 - arms)), *arm_scores, *targets, moved)
        layer = {pulls: weights for pulls, weights in following.items() if weights.any()}
        if ordered:
            layer = _in_order(layer)
        yield dict(_all_orders(layer)) if ordered else layer


def _move(weights: Floats, chances: Floats, targets: Iterable[Floats]) -> None:
    """Move the weights of a block of any number of arms, as `kernels.move_by_chances` does of two or three."""
    for arm, target in enumerate(targets):
        half = 0.5 * weights * chances[arm].reshape(weights.shape)
        after = np.moveaxis(target, arm, 0)
        after[:-1] += np.moveaxis(half, arm, 0)  # no success
        after[1:] += np.moveaxis(half, arm, 0)


def _in_order(layer: Layer) -> dict[Pulls, Floats]:
    """Return the blocks whose pulls rise, each with what came to it in all orders of the arms."""
    merged: dict[Pulls, Floats] = {}
    for pulls, weights in _all_orders(layer):
        if list(pulls) == sorted(pulls):
            merged[pulls] = merged[pulls] + weights if pulls in merged else weights
    return {pulls: np.ascontiguousarray(weights) for pulls, weights in merged.items()}


def _all_orders(layer: Layer) -> Iterator[tuple[Pulls, Floats]]:
    """Yield every block with its arms in every order; of arms with equally many pulls, a block comes several times."""
    for pulls, weights in layer.items():
        for order in itertools.permutations(range(len(pulls))):
            yield tuple(pulls[arm] for arm in order), weights.transpose(order)


def _of_three(block: Floats) -> Floats:
    return block.reshape((1,) * (3 - block.ndim) + block.shape)


def longest(arms: int) -> int:
    """Return the longest horizon of exact expectations, by the number of arms.

    Examples
    --------
    >>> [longest(arms) for arms in range(2, 9)]
    [1000, 100, 29, 19, 15, 12, 11]
    """
    if arms in _LONGEST:
        return _LONGEST[arms]
    return next(t for t in itertools.count() if math.comb(t + 2 * arms, 2 * arms - 1) > _MOST_STATES)


def check(policy: Policy, arms: int, horizon: int) -> tuple[int, int]:
    """Return the arms and the horizon; raise ValueError for what cannot be computed."""
    if arms not in range(2, _MOST_ARMS + 1):
        raise ValueError(f"arms must be from 2 to {_MOST_ARMS} for exact expectations; got {arms}")
    arms, horizon = int(arms), checks.check_whole("horizon", horizon, 1, longest(arms))
    if policy.limits is not None:
        policy.limits.check(policy.name, Bernoulli((0.5,) * arms), horizon)
    spec = policy.spec()
    if spec.estimates.step_size > 0.0:
        raise ValueError(f"policy {policy.name} must have no step size for exact expectations, which use counts alone")
    if spec.chances is None and not isinstance(spec.rule, IndexRule):
        raise ValueError(
            f"policy {policy.name} has no choice probabilities as a function of counts; policies such as ucb do"
        )
    Choice(policy, arms, horizon)((spec.estimates.explore,) * arms, spec.estimates.explore * arms + 1)
    return arms, horizon
