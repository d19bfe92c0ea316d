"""
KL-UCB beside other upper bounds (Garivier and Cappe 2011)
==========================================================

*Garivier and Cappe, The KL-UCB algorithm for bounded stochastic bandits and beyond, COLT 2011, section 6,
figures 1 and 2.*

Left, two good arms that are hard to tell apart (0.9 and 0.8, 5,000 pulls). Right, ten arms that rarely pay,
as in advertising (0.1, three of 0.05, three of 0.02, three of 0.01; 20,000 pulls). A bound that knows that
Bernoulli rewards near 0 or 1 vary little needs far fewer pulls: KL-UCB has a fraction of the regret of UCB1,
and follows the slope of Lai and Robbins.

**How ours differs.** 500 replications, theirs 50,000 on the right; KL-UCB has c = 0, as they recommend; DMED
is not in this program, Thompson sampling and IMED are there.

The right panel, in a terminal::

    python -m experiments.run experiment=comparison 'bandits=[ucb,moss,ucb_tuned,ucb_v,kl_ucb,kl_ucb_plus,imed,thompson]' arms=low_means horizon=20000 runs=500  # 20 seconds
"""  # noqa: E501

import matplotlib.pyplot as plt
import numpy as np

from bandits import Bernoulli, lai_robbins_constant, simulate

policies = ["ucb", "moss", "ucb_tuned", "ucb_v", "kl_ucb", "kl_ucb_plus", "imed", "thompson"]
styles = ["-", "--", "-.", ":", "-", "--", "-.", ":"]
problems = {
    "two arms, 0.9 and 0.8": ([0.9, 0.8], 5_000),
    "ten arms that rarely pay": ([0.1, 0.05, 0.05, 0.05, 0.02, 0.02, 0.02, 0.01, 0.01, 0.01], 20_000),
}

figure, rows = plt.subplots(1, 2, figsize=(11, 4.6), constrained_layout=True)
for axes, (title, (means, pulls)) in zip(rows, problems.items(), strict=True):
    results = simulate(policies, means, horizon=pulls, runs=500, seed=0, workers=2)
    for (name, result), style in zip(results.items(), styles, strict=True):
        curves = result.curves
        axes.plot(curves["t"], curves["pseudo_regret_mean"], style, label=name)
    t = np.array([100, pulls])
    slope = lai_robbins_constant(Bernoulli(means)) * np.log(t / 100)
    axes.plot(t, slope, color="black", linewidth=1, label="Lai-Robbins slope")
    axes.set(title=title, xscale="log", xlim=t, xlabel="pulls", ylabel="pseudo-regret")
rows[0].legend(frameon=False)
plt.show()
