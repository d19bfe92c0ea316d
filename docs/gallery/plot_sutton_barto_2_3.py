"""
Optimism, bounds, preferences (Sutton and Barto, figures 2.3 to 2.5)
====================================================================

*Sutton and Barto, Reinforcement Learning, second edition, 2018, figures 2.3, 2.4 and 2.5.*

Three ideas that explore without a coin. An optimistic start of +5 makes greedy play try everything first: it
explores early, and stops. UCB with c = 2 beats epsilon-greedy but in the first steps. The gradient bandit
learns preferences in place of values.

**How ours differs.** Estimates start at 0 as in the book (``explore=0``). The curves are drawn at two hundred
steps, so that the spike of UCB at step 11 is thin. Figure 2.5 of the book is on arms around +4, with and
without a baseline; ours has the baseline only.

The panel in the middle, in a terminal::

    python -m experiments.run experiment=comparison 'bandits=[{name: ucb, c: 2},{name: epsilon_greedy, explore: 0}]' arms=testbed horizon=1000 runs=2000
"""  # noqa: E501

import matplotlib.pyplot as plt

from bandits import UCB, EpsilonGreedy, Gradient, Optimistic, RandomGaussian, simulate

testbed, around_four = RandomGaussian(arms=10), RandomGaussian(arms=10, center=4.0)
panels = {
    "figure 2.3: optimistic": (
        testbed,
        "optimal_share",
        {
            "optimistic, Q1 = 5": Optimistic(initial=5.0, step_size=0.1),
            "epsilon = 0.1, Q1 = 0": EpsilonGreedy(epsilon=0.1, explore=0, step_size=0.1),
        },
    ),
    "figure 2.4: UCB": (testbed, "reward_mean", {"UCB, c = 2": UCB(c=2.0), "epsilon = 0.1": EpsilonGreedy(explore=0)}),
    "figure 2.5: gradient": (
        around_four,
        "optimal_share",
        {"step 0.1": Gradient(step_size=0.1), "step 0.4": Gradient(step_size=0.4)},
    ),
}

figure, rows = plt.subplots(1, 3, figsize=(11, 3.6), constrained_layout=True)
for axes, (title, (arms, column, policies)) in zip(rows, panels.items(), strict=True):
    results = simulate(policies, arms, horizon=1_000, runs=2_000, seed=0, workers=2)
    for (name, result), style in zip(results.items(), ("-", "--"), strict=True):
        axes.plot(result.curves["t"], result.curves[column], style, label=name)
    axes.set(
        title=title, xlabel="step", ylabel="mean reward" if column == "reward_mean" else "share of the optimal arm"
    )
    axes.legend(frameon=False, loc="lower right")
plt.show()
