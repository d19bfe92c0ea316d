"""What the exact scores of the solver tell: of positions, of moves, of players; and players that know them."""
