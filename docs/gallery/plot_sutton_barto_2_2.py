"""
The ten-armed testbed (Sutton and Barto, figure 2.2)
====================================================

*Sutton and Barto, Reinforcement Learning, second edition, 2018, section 2.3, figure 2.2.*

Ten Gaussian arms, whose means are drawn from N(0, 1) anew in each of 2,000 replications; rewards have
variance 1. Greedy play gets stuck. With epsilon = 0.1 the best arm is found early, with 0.01 late, and then
it is played more often.

**How ours differs.** It does not, with ``explore=0``: estimates start at 0, and an arm may stay untried. By
default this program pulls every arm once first. That alone lifts greedy play from a mean reward of about 1.05
to about 1.4, above epsilon = 0.1: the dotted line.

The same numbers in a terminal::

    python -m experiments.run experiment=comparison 'bandits=[{name: greedy, explore: 0, label: "greedy from 0"},{name: epsilon_greedy, explore: 0},greedy]' arms=testbed horizon=1000 runs=2000
"""  # noqa: E501

import matplotlib.pyplot as plt

from bandits import EpsilonGreedy, Greedy, RandomGaussian, simulate

policies = {
    "greedy": Greedy(explore=0),
    "epsilon = 0.01": EpsilonGreedy(epsilon=0.01, explore=0),
    "epsilon = 0.1": EpsilonGreedy(epsilon=0.1, explore=0),
    "greedy, each arm once first": Greedy(explore=1),
}
results = simulate(policies, RandomGaussian(arms=10), horizon=1_000, runs=2_000, seed=0, workers=2)

figure, (rewards, optimal) = plt.subplots(2, 1, figsize=(7, 6), sharex=True, constrained_layout=True)
for (name, result), style in zip(results.items(), ("-", "--", "-.", ":"), strict=True):
    curves = result.curves
    rewards.plot(curves["t"], curves["reward_mean"], style, label=name)
    optimal.plot(curves["t"], 100 * curves["optimal_share"], style, label=name)
rewards.set(ylabel="mean reward of the step")
optimal.set(xlabel="step", ylabel="% optimal arm", ylim=(0, 100))
rewards.legend(frameon=False)
plt.show()
