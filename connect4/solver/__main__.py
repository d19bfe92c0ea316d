"""`python -m connect4.solver`."""

from connect4.solver.command import main
from numerics.exits import guarded, leave

if __name__ == "__main__":
    leave(guarded(main))
