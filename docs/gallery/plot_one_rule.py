"""
One rule, on a bandit and in a tree
===================================

UCB1 gives each choice the index mean + c sqrt(ln t / n) and takes the highest. On the left it shares out
10,000 pulls of seven arms. On the right the same function, with the same c, shares out 10,000 simulations over the
seven columns of a Connect 4 position. The truth is known on both sides: the means of the arms were chosen, and the
position is solved. Here column 3 is the only one that wins.

``python docs/gallery/plot_one_rule.py one_rule.png`` writes the figure to a file.
"""

import sys

import matplotlib.pyplot as plt

from bandits import UCB, simulate
from connect4 import Board, analyse
from mcts import search
from numerics.output.style import PALETTE, house_style

MEANS = [0.35, 0.45, 0.6, 0.5, 0.45, 0.5, 0.4]
rule = UCB(c=1.0)
pulls = simulate(rule, MEANS, horizon=10_000, runs=100, seed=0).pulls.mean(axis=0)

position = Board.from_moves("323")
visits = search(position, policy=rule, simulations=10_000, seed=0).visits
scores = analyse(position).scores

# %%
# Bars are shares of all attempts; the best choice is blue.
with house_style():
    figure, both = plt.subplots(1, 2, figsize=(9.0, 3.1), layout="constrained", sharey=True)
    panels = [
        (
            "A bandit: 10,000 pulls of seven arms",
            pulls,
            [f"{mean:g}" for mean in MEANS],
            "true mean of the arm: 0.6 is the best",
        ),
        (
            "A tree: 10,000 simulations of seven columns",
            visits,
            [f"{score:+d}" for score in scores],
            "exact score of the column: only +1 wins",
        ),
    ]
    for axes, (title, counts, truths, below) in zip(both, panels, strict=True):
        best = counts.argmax()
        shares = 100.0 * counts / counts.sum()
        colours = [PALETTE[0] if column == best else "0.75" for column in range(7)]
        bars = axes.bar(range(7), shares, color=colours, width=0.7)
        axes.bar_label(bars, [f"{share:.0f} %" for share in shares], padding=2)
        axes.set_xticks(range(7), truths)
        axes.set_xlabel(below)
        axes.set_title(title, loc="left")
        axes.set_ylim(0.0, 95.0)
        axes.spines[["top", "right", "left"]].set_visible(False)
        axes.tick_params(left=False, labelleft=False, bottom=False)
    figure.suptitle("One rule: take the highest mean + c sqrt(ln t / n)", x=0.01, ha="left", fontweight="bold")
    if sys.argv[1:] and sys.argv[1].endswith(".png"):
        figure.savefig(sys.argv[1], dpi=160)
