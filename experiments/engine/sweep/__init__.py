"""Sweeps: what a kind declares of them, their table, their figures, and the folder that holds them."""
