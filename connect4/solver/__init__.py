"""The exact solver: `Solver`, `solve`, `analyse`, and the command `python -m connect4.solver`."""

from connect4.solver.solver import Analysis, Solution, Solver, analyse, solve

__all__ = ["Analysis", "Solution", "Solver", "analyse", "solve"]
