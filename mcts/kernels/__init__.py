"""Compiled search: the tree, flat Monte Carlo, transpositions."""
