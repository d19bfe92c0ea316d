"""A game at the terminal: the person's commands, what a search saw, and two rules on one position."""
