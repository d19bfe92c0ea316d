"""The players of Connect 4 that need no bandit rule; `experiments.players` has them by their names."""
