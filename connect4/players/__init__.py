"""The players of Connect 4 that need no bandit rule; `experiments.players` has them by their names."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
