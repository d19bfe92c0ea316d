"""Counts, estimates and bounds of the number of games and positions."""
