"""
Which constant is best for Connect 4?
=====================================

*A question of two public courses, and of the package puissance4: vary the factor of the exploration term of
UCT and see who wins.*

UCT with 1,000 simulations a move against flat Monte Carlo with as many, 294 games for each c. The summit is
flat, from 0.5 to 0.7; with 0.1 UCT stops exploring and loses to the player without a tree.

**How ours differs.** Results lie in [0, 1], so that c = 0.5 here is 1 where a loss counts -1, as in
puissance4, whose own default is 0.005 here. Each opening is played with both colours, and every score has its
interval.

The table beside this script is ``sweep.csv`` of ::

    python -m experiments.run -m experiment=match player1=uct player1.c=0.1,0.25,0.5,0.7,1,1.4,2 player2=monte_carlo games=294 openings=pairs  # 1 minute

What more simulations are worth, with Elo per doubling::

    python -m experiments.run experiment=uct_sweep parameter=simulations values=[125,250,500,1000] opponent=monte_carlo games=98  # 20 seconds
"""  # noqa: E501

from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd

tables = Path(__file__).parent / "tables" if "__file__" in globals() else Path("tables")
scores = pd.read_csv(tables / "uct_constant.csv")

figure, axes = plt.subplots(figsize=(7, 4), constrained_layout=True)
middle = 100 * scores["score"]
ends = [middle - 100 * scores["score_low"], 100 * scores["score_high"] - middle]
axes.errorbar(scores["player1.c"], middle, yerr=ends, fmt="o-", capsize=3)
axes.axhline(50, color="black", linewidth=0.8, linestyle=":")
axes.set(xscale="log", xlabel="c in mean + c sqrt(ln t / n)", ylabel="score in %, with 95 % intervals", ylim=(0, 100))
axes.set_xticks(scores["player1.c"], scores["player1.c"].map("{:g}".format))
axes.minorticks_off()
plt.show()
