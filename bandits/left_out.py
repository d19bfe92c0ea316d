"""The scores that a rule leaves out because their arms cannot win, for those who look at one replication closely.

A rule may give an arm -inf where that changes nothing: KL-UCB need not solve for an index that stays below another one,
Thompson sampling need not make a draw that is known to lose. Here they are made up for, after the replication. All take

params
    The rule's own numbers.
scores
    float64[T, K], -inf where the rule left an arm out; these entries are written.
pulls, means
    float64[T, K], of every arm before the pull.
uniforms
    float64[T, K], in [0, 1).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from bandits.policy import Policy
from bandits.simulate import Steps
from numerics import random

_PURPOSE = (4,)  # of the random stream; 0 to 3 are those of a simulation and its arms
Floats = npt.NDArray[np.float64]


def complete(policy: Policy, steps: Steps, seed: int, run: int) -> None:
    """Write into a traced replication the scores that its rule left out; those of a rule of yours stay -inf."""
    hooks, left = policy.hooks(), np.isneginf(steps.scores)
    if hooks.left_out is None or not left.any():
        return
    pulled = steps.arm[:, None] == np.arange(left.shape[1])
    pulls = (np.cumsum(pulled, axis=0) - pulled).astype(np.float64)
    uniforms, fill = np.empty(left.size), cast(Any, random.fill_uniforms)
    with np.errstate(over="ignore"):  # words wrap round
        fill(random.streams(seed, _PURPOSE, run, 1).ravel(), uniforms)
    hooks.left_out(hooks.params, steps.scores, pulls, steps.means, uniforms.reshape(left.shape))


def kl_ucb(params: Sequence[float], scores: Floats, pulls: Floats, means: Floats, uniforms: Floats) -> None:
    """Write the indices that were not solved for."""
    from bandits import kl_index

    kernels: Any = kl_index
    for step, arm in np.argwhere(np.isneginf(scores)):
        level = np.log(step + 1.0)
        level += params[0] * np.log(level) if params[0] > 0.0 and level > 1.0 else 0.0
        m, share = means[step, arm], level / pulls[step, arm]
        start = kernels.kl_upper_bound(m, share) + kl_index.START_SLACK
        scores[step, arm] = kernels.kl_upper(m, share, start)


def thompson(params: Sequence[float], scores: Floats, pulls: Floats, means: Floats, uniforms: Floats) -> None:
    """Write draws from the posteriors of the arms that lost, given what they lost against.

    The rule draws for the arm of the highest mean and then asks each other arm, in turn, for a draw above the highest
    one so far: an arm without a draw lost against that. So all draws together follow the law that they would have if
    every one was made at once.
    """
    from scipy.special import betainc, betaincinv

    drawn = np.where(np.isneginf(scores), -1.0, scores)
    leads = (means == means.max(axis=1, keepdims=True)) & (drawn >= 0.0)
    row = np.arange(len(scores))
    before = np.maximum.accumulate(np.column_stack([np.full(len(scores), -1.0), drawn[:, :-1]]), axis=1)
    against = np.maximum(before, drawn[row, leads.argmax(axis=1)][:, None])
    left = np.isneginf(scores)
    gained = (means * pulls)[left]
    a, b, most = params[0] + gained, params[1] + pulls[left] - gained, against[left]
    scores[left] = np.minimum(betaincinv(a, b, uniforms[left] * betainc(a, b, most)), most)
