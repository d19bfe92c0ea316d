"""The foundation of treebandit: compiled kernels, random streams, statistics, and the interfaces of games and players.

This package knows neither bandits nor Connect 4, and imports no other package of this project.
"""

from numerics import starting

starting.end_by_signal()  # each of our packages imports this one first

__version__ = "0.1.0"
