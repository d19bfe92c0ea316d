"""
Which regret is linear, which logarithmic?
==========================================

*An exercise of many courses: play random, greedy, epsilon-greedy and UCB on Bernoulli arms, plot regret
against time, recognise the shapes.*

Above, on a linear and on a logarithmic time axis: what is straight on the left grows linearly, what is
straight on the right grows logarithmically. Greedy play is linear on average: in some replications it never
finds the best arm. Below, what makes it hard: the number of arms, and the gap between the best and the
others.

Above, in a terminal; below, the whole study::

    python -m experiments.run -m bandit=random,greedy,epsilon_greedy,ucb
    python -m experiments.run experiment=scaling  # 1 minute
"""

import matplotlib.pyplot as plt

from bandits import simulate

arms = [0.1 + 0.8 * arm / 9 for arm in range(10)]
policies = ["random", "greedy", "epsilon_greedy", "ucb"]
results = simulate(policies, arms, horizon=10_000, runs=200, seed=0, workers=2)

figure, ((linear, logarithmic), (by_arms, by_gap)) = plt.subplots(2, 2, figsize=(9, 7), constrained_layout=True)
for axes in (linear, logarithmic):
    for (name, result), style in zip(results.items(), (":", "--", "-.", "-"), strict=True):
        axes.plot(result.curves["t"], result.curves["pseudo_regret_mean"], style, label=name)
    axes.set(xlabel="pulls", ylabel="pseudo-regret", ylim=(0, 900))
logarithmic.set_xscale("log")
linear.legend(frameon=False)

counts = [2, 5, 10, 20, 50]
gaps = [0.05, 0.1, 0.2, 0.3, 0.4]
final = [
    simulate("ucb", [0.6] + (k - 1) * [0.4], horizon=10_000, runs=100, seed=0).pseudo_regret.mean() for k in counts
]
by_arms.plot(counts, final, "o-")
by_arms.set(xlabel="arms (one of 0.6, the others 0.4)", ylabel="UCB1's regret at 10,000", ylim=(0, None))
final = [simulate("ucb", [0.5 + gap, 0.5], horizon=10_000, runs=100, seed=0).pseudo_regret.mean() for gap in gaps]
by_gap.plot(gaps, final, "o-")
by_gap.set(xlabel="gap of two arms", ylabel="UCB1's regret at 10,000", ylim=(0, None))
plt.show()
