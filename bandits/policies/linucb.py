"""LinUCB."""

from __future__ import annotations

import math

from bandits.arms.base import LARGEST
from bandits.kernels.argmax import choose_best
from bandits.policies.base import Policy
from bandits.regression.ridge import (
    add_to_ridge,
    block_rows,
    estimate_and_square,
    multiply_pairs,
    pair_rows,
    start_ridge,
)
from bandits.rules import choice_rule, learn_rule
from bandits.spec import PolicySpec
from numerics.kernels.jit import kernel
from numerics.parameters import parameter


class LinUCB(Policy, name="linucb"):
    """Upper confidence bounds of a linear regression for each arm, for arms with features: disjoint LinUCB."""

    alpha: float = parameter(
        1.0,
        low=0.0,
        most=LARGEST,
        help="Width of the bound in standard errors, at least 0; in the paper 1 + sqrt(ln(2 / delta) / 2).",
    )
    ridge: float = parameter(
        1.0, low=0.0, above=True, most=LARGEST, help="A of an arm without rewards is ridge I, above 0; 1 in the paper."
    )
    source = "Li, Chu, Langford and Schapire 2010, Algorithm 1"

    @property
    def formula(self) -> str:
        ridge = "I" if self.ridge == 1.0 else f"{self.ridge:g} I"
        return f"theta_a . x + {self.alpha:g} sqrt(x' A_a^-1 x), theta_a = A_a^-1 sum r x, A_a = {ridge} + sum x x'"

    def spec(self) -> PolicySpec:
        return PolicySpec(linucb, (self.alpha, self.ridge))


@kernel()
def scratch_rows(features: int) -> int:
    """Return the rows before the arms' blocks: products of two features, and two more."""
    return pair_rows(features) + 2


@learn_rule
def linucb_learn(memory, arm, reward):
    """Count the reward in the regression of its arm."""
    count = int(memory[0, 0])
    spare = 1 + count
    for r in range(arm.size):
        first = spare + scratch_rows(count) + arm[r] * block_rows(count)
        add_to_ridge(memory, first, r, count, spare, reward[r])


@choice_rule(
    needs=("features",),
    memory=scratch_rows,
    arm_memory=lambda features: block_rows(features) + 1,
    learn=linucb_learn,
    every_arm_first=False,
)
def linucb(pulls, means, widths, variances, priors, t, horizon, params, rng, memory, arm):
    """The highest theta_a . x + alpha sqrt(x' A_a^-1 x). params = [alpha, ridge].

    Li, Chu, Langford and Schapire, A contextual-bandit approach to personalized news article recommendation, WWW 2010,
    algorithm 1, with ridge = 1 there.
    """
    size = arm.size
    arms, count = means.size // size, int(memory[0, 0])
    pairs = 1 + count
    mean, square = memory[pairs + pair_rows(count)], memory[pairs + pair_rows(count) + 1]
    blocks = pairs + scratch_rows(count)
    out = memory[blocks + arms * block_rows(count) :].reshape(-1)
    if t == 1.0:
        for a in range(arms):
            start_ridge(memory, blocks + a * block_rows(count), count, params[1])
    multiply_pairs(memory, count, pairs)
    for a in range(arms):
        estimate_and_square(memory, blocks + a * block_rows(count), count, pairs, mean, square)
        for r in range(size):
            out[a * size + r] = mean[r] + params[0] * math.sqrt(max(square[r], 0.0))
    choose_best(out, rng, arm)
