"""
A parameter study (Sutton and Barto, figure 2.6)
================================================

*Sutton and Barto, Reinforcement Learning, second edition, 2018, section 2.10, figure 2.6.*

Each rule has a constant. How good is each at its best, and how much does a wrong constant cost? The mean
reward of the first 1,000 steps on the ten-armed testbed, each constant doubled from point to point: every
rule has a summit, and UCB has the highest.

**How ours differs.** 500 replications a point, so that the page builds in seconds; the constants are those of
the book.

One of the curves, in a terminal::

    python -m experiments.run -m bandit=ucb bandit.c=0.0625,0.125,0.25,0.5,1,2,4 arms=testbed horizon=1000 runs=2000
"""

import matplotlib.pyplot as plt

from bandits import UCB, EpsilonGreedy, Gradient, Optimistic, RandomGaussian, simulate

studies = {
    "epsilon-greedy: epsilon": ([2**k for k in range(-7, -1)], lambda x: EpsilonGreedy(epsilon=x, explore=0)),
    "gradient: step size": ([2**k for k in range(-5, 2)], lambda x: Gradient(step_size=x)),
    "UCB: c": ([2**k for k in range(-4, 3)], lambda x: UCB(c=x)),
    "optimistic start: Q1 (step 0.1)": ([2**k for k in range(-2, 3)], lambda x: Optimistic(initial=x, step_size=0.1)),
}

figure, axes = plt.subplots(figsize=(7, 4.2), constrained_layout=True)
for (name, (values, policy_of)), style in zip(studies.items(), ("o-", "s--", "^-.", "d:"), strict=True):
    means = []
    for value in values:
        result = simulate(policy_of(value), RandomGaussian(arms=10), horizon=1_000, runs=500, seed=0, workers=2)
        means.append(result.summary["reward_sum_mean"].item() / result.horizon)
    axes.plot(values, means, style, label=name)
axes.set_xscale("log", base=2)
axes.set(xlabel="constant", ylabel="mean reward of the first 1,000 steps")
axes.legend(frameon=False)
plt.show()
