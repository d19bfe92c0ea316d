"""The root of a search as a bandit with known means: regret in a tree and on bandits without one."""
