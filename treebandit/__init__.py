"""Multi-armed bandits and Monte-Carlo tree search under one selection rule: the command `treebandit`, and its page.

What is used in Python stands in four packages beside this one: `bandits`, `mcts`, `connect4` and `experiments`.
"""

from numerics import __version__ as __version__
