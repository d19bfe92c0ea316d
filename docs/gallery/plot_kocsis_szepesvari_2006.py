"""
P-games: how often the root move is wrong (Kocsis and Szepesvari 2006)
======================================================================

*Kocsis and Szepesvari, Bandit based Monte-Carlo planning, ECML 2006, section 4.1.*

A P-game is a tree with random numbers on its edges: who has the larger sum at the leaf wins. Its true value
is known, so that the share of wrong moves at the root can be counted. UCT's falls towards 0, that of flat
Monte Carlo, which has no tree, stays where playouts mislead it.

**How ours differs.** 500 random trees of each size and one search of each, where the paper has 200 trees and
200 searches of each; alpha-beta looks one level deeper at a time and counts every position that it evaluates
as an iteration.

The table beside this script (8 kB) is `summary.csv` of ::

    python -m experiments.run experiment=p_game trees=500 iterations=16384  # 2 minutes
"""

from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd

tables = Path(__file__).parent / "tables" if "__file__" in globals() else Path("tables")
rates = pd.read_csv(tables / "p_games.csv")
rates = rates[rates["rate"] > 0]  # a logarithmic axis has no place for "none of 500 was wrong"

figure, panels = plt.subplots(1, 2, figsize=(11, 4.4), sharey=True, constrained_layout=True)
for axes, ((branching, depth), tree) in zip(panels, rates.groupby(["branching", "depth"]), strict=True):
    for (method, points), style in zip(tree.groupby("method", sort=False), ("o-", "s--", "^:"), strict=True):
        ends = points["rate"] - points["rate_low"], points["rate_high"] - points["rate"]
        name = method.partition(",")[0]
        axes.errorbar(points["iterations"], points["rate"], ends, fmt=style, label=name, markersize=4, capsize=2)
    axes.set(title=f"{branching} moves a position, {depth} deep", xscale="log", yscale="log", ylim=(1e-3, 1))
    axes.set_xlabel("iterations")
panels[0].set_ylabel("share of wrong moves, with 95 % intervals")
panels[0].legend(frameon=False)
plt.show()
