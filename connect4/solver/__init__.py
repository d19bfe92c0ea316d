"""The exact solver: `Solver`, `solve`, `analyse`, and the command `python -m connect4.solver`."""

from connect4.solver.results import Analysis, Solution
from connect4.solver.solver import Solver, analyse, solve

__all__ = ["Analysis", "Solution", "Solver", "analyse", "solve"]
