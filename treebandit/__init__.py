"""Multi-armed bandits and Monte-Carlo tree search under one selection rule: the command `treebandit`.

What is used in Python stands in four packages beside this one: `bandits`, `mcts`, `connect4` and `experiments`.
"""

from treebandit import starting

starting.end_by_signal()  # each of our packages imports this one first

__version__ = "0.1.0"
