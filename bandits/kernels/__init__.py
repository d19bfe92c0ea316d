"""Compiled loops of the bandit simulation, and the numerical helpers of the index rules."""
