"""
One rule, on a bandit and in a tree
===================================

UCB1 shares out 2,000 pulls of three arms, and 2,000 simulations over the seven first moves of Connect 4.
"""

import matplotlib.pyplot as plt

from bandits import UCB, simulate
from connect4 import Board
from mcts import search

bandit = simulate(UCB(), [0.3, 0.5, 0.7], horizon=2_000, runs=100, seed=0)
tree = search(Board(), policy=UCB(c=1.0), simulations=2_000, seed=0)

figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3), constrained_layout=True)
left.bar(["arm 1", "arm 2", "arm 3"], bandit.pulls.mean(axis=0))
left.set(title="a bandit", xlabel="means 0.3, 0.5, 0.7", ylabel="pulls")
right.bar(tree.moves + 1, tree.visits)
right.set(title="the root of a tree", xlabel="column", ylabel="visits")
