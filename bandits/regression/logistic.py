"""Bayesian logistic regression of each arm's rewards of 0 and 1, by Laplace's approximation after every reward.

Before a reward theta is N(m, A^-1). After it the mean is the most probable theta, the minimum of (theta - m)' A
(theta - m) / 2 - log P(r | theta . x), and A is the curvature there. It is algorithm 3 of Chapelle and Li, "An
empirical evaluation of Thompson sampling", NeurIPS 2011, with batches of one reward. They keep only the diagonal of A;
here all of A is kept. The diagonal is wrong for correlated features, such as a constant and any feature with a mean
above 0. With one reward the most probable theta lies on a line, so only one number must be found.
"""

from __future__ import annotations

import math

import numpy as np

from bandits.regression.ridge import arm_rows, count_features, direction_of
from bandits.rules import learn_rule
from numerics.kernels.jit import kernel

_CLOSE = 1e-15
_MOST_STEPS = 100  # bisection alone needs 50


@kernel()
def sigmoid(z):
    """Return 1 / (1 + exp(-z)), without an overflow at either end."""
    if z >= 0.0:
        return 1.0 / (1.0 + math.exp(-z))
    growth = math.exp(z)
    return growth / (1.0 + growth)


@kernel()
def surprise(reward, margin, square):
    """Return the root c of c = reward - sigmoid(margin + c square), by Newton's steps kept between bounds.

    The most probable theta is m + c A^-1 x, for margin = m . x and square = x' A^-1 x.
    """
    low, high = reward - 1.0, reward
    c, before = reward - sigmoid(margin), 1.0
    for _ in range(_MOST_STEPS):
        p = sigmoid(margin + c * square)
        over = c - reward + p
        step = over / (1.0 + square * p * (1.0 - p))
        if abs(step) <= _CLOSE:
            return c - step
        low, high = (low, c) if over > 0.0 else (c, high)
        following = c - step
        if not low < following < high or abs(step) > 0.5 * before:  # else Newton's steps may go to and fro for ever
            following = 0.5 * (low + high)
        c, before = following, abs(following - c)
    return c


@learn_rule
def logistic_learn(memory, arm, reward):
    """Count a reward in [0, 1] and its features; rows of memory as of `bandits.regression`."""
    features = int(memory[0, 0])
    each, x, direction = arm_rows(features), np.empty(features), np.empty(features)
    for r in range(arm.size):
        first = 1 + features + arm[r] * each
        theta, margin = first + each - features, 0.0
        square = direction_of(memory, first, r, x, direction)
        for i in range(features):
            margin += memory[theta + i, r] * x[i]
        c = surprise(reward[r], margin, square)
        for i in range(features):
            memory[theta + i, r] += c * direction[i]
        p = sigmoid(margin + c * square)
        count_features(memory, first, r, direction, square, p * (1.0 - p))
