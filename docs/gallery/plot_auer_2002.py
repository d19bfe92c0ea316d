"""
UCB1, tuned, and epsilon that falls (Auer et al. 2002)
======================================================

*Auer, Cesa-Bianchi and Fischer, Finite-time analysis of the multiarmed bandit problem, Machine Learning 47,
2002, section 4, figures 6 to 12.*

Seven sets of Bernoulli arms, two or ten of them, easy or hard. UCB1-tuned is good in all. Epsilon-greedy
whose epsilon falls as c K / (d^2 t), d the smallest gap, is best where c fits, and linear where it does not:
nobody knows c or d beforehand.

**How ours differs.** UCB2 is not in this program. They draw regret with UCB2 in every figure and UCB1 in the
text; we draw UCB1 in every one. Means of 100 replications, as theirs.

The sixth panel, in a terminal::

    python -m experiments.run experiment=comparison 'bandits=[ucb,ucb_tuned,{name: epsilon_greedy, epsilon: 1, decay: 50, label: "c = 0.05"}]' arms.means=[0.9,0.8,0.8,0.8,0.8,0.8,0.8,0.8,0.8,0.8] horizon=100000 runs=100
"""  # noqa: E501

import matplotlib.pyplot as plt

from bandits import UCB, EpsilonGreedy, UCBTuned, simulate

distributions = {  # number in the paper: means
    1: [0.9, 0.6],
    2: [0.9, 0.8],
    3: [0.55, 0.45],
    11: [0.9] + 9 * [0.6],
    12: [0.9] + 3 * [0.8] + 3 * [0.7] + 3 * [0.6],
    13: [0.9] + 9 * [0.8],
    14: [0.55] + 9 * [0.45],
}

figure, rows = plt.subplots(2, 4, figsize=(11, 5.4), sharex=True, constrained_layout=True)
panels = list(rows.flat)
for axes, (number, means) in zip(panels, distributions.items(), strict=False):
    gap = means[0] - max(means[1:])
    falling = {
        f"epsilon falls, c = {c}": EpsilonGreedy(epsilon=1.0, decay=c * len(means) / gap**2) for c in (0.05, 0.2)
    }
    policies = {"UCB1": UCB(), "UCB1-tuned": UCBTuned(), **falling}
    results = simulate(policies, means, horizon=100_000, runs=100, seed=0, workers=2)
    for (name, result), style in zip(results.items(), ("-", "--", "-.", ":"), strict=True):
        axes.plot(result.curves["t"], result.curves["pseudo_regret_mean"], style, label=name)
    axes.set(title=f"{number}: {len(means)} arms, gap {gap:.1f}", xscale="log", xlim=(10, 100_000))
for axes in (panels[0], panels[4]):
    axes.set_ylabel("regret")
for axes in panels[3:7]:
    axes.tick_params(labelbottom=True)
    axes.set_xlabel("plays")
panels[7].axis("off")
panels[7].legend(*panels[0].get_legend_handles_labels(), frameon=False, loc="center")
plt.show()
