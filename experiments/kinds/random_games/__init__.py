"""Random play as an object of study: the lengths of games, the share of draws, the numbers of games."""
