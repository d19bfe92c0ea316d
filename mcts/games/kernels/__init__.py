"""Kernels of the games: their hooks, and what solves them."""
