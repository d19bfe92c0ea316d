"""The foundation of treebandit: compiled kernels, random streams, statistics, and the interfaces of games and players.

This package knows neither bandits nor Connect 4, and imports no other package of this project.
"""
