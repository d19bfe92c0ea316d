"""The rules that are no index: a coin, a softmax, a commitment. They write the chosen arm of each replication.

Legend: m mean, t the pull being chosen, K arms, L replications.
"""

from __future__ import annotations

import math

from bandits.argmax import choose_best
from bandits.hooks import choice_rule, learn_rule
from numerics.random import next_uniform


@choice_rule
def uniform(pulls, means, widths, variances, priors, t, horizon, params, rng, memory, arm):
    """Any arm, each with probability 1 / K. params = []."""
    arms = means.size // arm.size
    for r in range(arm.size):
        arm[r] = int(next_uniform(rng, r) * arms)


@choice_rule
def epsilon_greedy(pulls, means, widths, variances, priors, t, horizon, params, rng, memory, arm):
    """With probability epsilon_t any arm, else the best mean. params = [epsilon, decay].

    epsilon_t = min(epsilon, decay / t); decay = inf keeps it constant. With epsilon = 1 and decay = c K / d^2 this is
    epsilon_n-GREEDY of Auer, Cesa-Bianchi and Fischer 2002, figure 3.
    """
    arms = means.size // arm.size
    epsilon = min(params[0], params[1] / t)
    choose_best(means, rng, arm)
    for r in range(arm.size):
        u = next_uniform(rng, r)
        if u < epsilon:
            arm[r] = int(u / epsilon * arms)  # given u < epsilon, u / epsilon is again uniform


@choice_rule
def softmax(pulls, means, widths, variances, priors, t, horizon, params, rng, memory, arm):
    """Arm a with probability proportional to exp(m_a / temperature): Boltzmann exploration. params = [temperature]."""
    size = arm.size
    arms = means.size // size
    temperature = params[0]
    for r in range(size):
        top = means[r]
        for a in range(1, arms):
            top = max(top, means[a * size + r])
        total = 0.0
        for a in range(arms):
            total += math.exp((means[a * size + r] - top) / temperature)
        left = next_uniform(rng, r) * total
        chosen = arms - 1
        for a in range(arms):
            left -= math.exp((means[a * size + r] - top) / temperature)
            if left < 0.0:
                chosen = a
                break
        arm[r] = chosen


@choice_rule
def commit(pulls, means, widths, variances, priors, t, horizon, params, rng, memory, arm):
    """The arm of the best mean when first asked, and that one for ever. params = [], memory float64[1, L]."""
    if memory[0, 0] == 0.0:
        choose_best(means, rng, arm)
        for r in range(arm.size):
            memory[0, r] = arm[r] + 1.0
    for r in range(arm.size):
        arm[r] = int(memory[0, r]) - 1


@learn_rule
def forget(memory, arm, reward):
    """Learn nothing: for the choices whose statistics are the kernel's own."""
