"""The leaf of the house: compiled kernels and their caches, and random streams.

Nothing here knows what a bandit or a game is, and nothing here imports another package of this project.
"""
