"""The leaf of treebandit's house: compiled kernels, random streams, statistics, and what a game and a player are.

Nothing here knows what a bandit or Connect 4 is, and nothing here imports another package of this project.
"""
