"""Multi-armed bandits: arms, policies, fast simulation, regret.

    >>> from bandits import Bernoulli, UCB, simulate
    >>> result = simulate(UCB(), Bernoulli([0.1, 0.5, 0.9]), horizon=1_000, runs=100, seed=0)
    >>> result.pulls.shape
    (100, 3)

Importing this package loads NumPy and nothing slower; compiled code, pandas and matplotlib come when they are needed.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
