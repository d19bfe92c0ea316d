"""`python -m connect4.solver`."""

from connect4.solver.command import main
from numerics.exits import leave, run_guarded

if __name__ == "__main__":
    leave(run_guarded(main))
