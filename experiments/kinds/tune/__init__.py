"""Which value of a player's parameter is best, found by best-arm identification and confirmed by a sequential test."""
