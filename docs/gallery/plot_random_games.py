"""
How long is a random game, and who wins?
========================================

*Questions of a public course on Connect 4 (Sorbonne, LU3IN005), and of a second one that asks how many of
10,000 random games the first player wins.*

Two players choose open columns at random. Left, the plies of 10,000 games by who won, each beside the normal
law of the same mean and deviation: it is near, but a game cannot be shorter than 7 plies, and more games are
short than it says. Right, other boards: the first player wins more often on all of them, and draws are rare
unless the board is small.

**How ours differs.** One game has one random stream, so that the same games come back on any machine.

With fitted laws, tests of them, intervals and bounds of P(draw)::

    python -m experiments.run experiment=random_games
    python -m experiments.run -m experiment=random_games board=4x4,5x4,5x5,6x7,7x6,8x8  # 20 seconds
    python -m experiments.run experiment=random_games player1=monte_carlo player2=random games=200
"""

import matplotlib.pyplot as plt
import numpy as np

from connect4.combinatorics.random_games import random_games

figure, (lengths, sizes) = plt.subplots(1, 2, figsize=(11, 4.2), constrained_layout=True)
played = random_games(7, 6, 4, games=10_000, seed=0)
for result, name, colour in ((1, "first player won", "tab:blue"), (-1, "second player won", "tab:orange")):
    plies = played.lengths[played.results == result]
    values, counts = np.unique(plies, return_counts=True)
    lengths.bar(values, counts / counts.sum(), width=0.9, color=colour, alpha=0.6, label=name)
    x = np.linspace(7, 42, 200)
    density = np.exp(-((x - plies.mean()) ** 2) / (2 * plies.var())) / np.sqrt(2 * np.pi * plies.var())
    lengths.plot(x, 2 * density, color=colour)  # a winner's plies are all odd, or all even
lengths.set(xlabel="plies", ylabel="share of the games that it won", title="7 x 6")
lengths.legend(frameon=False)

boards = [(4, 4), (5, 4), (5, 5), (6, 7), (7, 6), (8, 8)]
names, below = [f"{width} x {height}" for width, height in boards], np.zeros(len(boards))
outcomes = [random_games(width, height, 4, games=10_000, seed=0).results for width, height in boards]
for result, name, colour in ((1, "first", "tab:blue"), (0, "draw", "lightgrey"), (-1, "second", "tab:orange")):
    share = np.array([(won == result).mean() for won in outcomes])
    sizes.bar(names, 100 * share, bottom=100 * below, color=colour, label=name)
    below += share
sizes.axhline(50, color="black", linewidth=0.8, linestyle=":")
sizes.set(xlabel="board (columns x rows)", ylabel="% of 10,000 games")
sizes.legend(frameon=False, ncols=3, loc="lower center", bbox_to_anchor=(0.5, 1.0))
plt.show()
