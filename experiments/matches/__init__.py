"""Players against each other: matches, tournaments, and sweeps of what a player is made of."""
