"""`python -m connect4.solver`."""

from connect4.solver.command import main

main()
