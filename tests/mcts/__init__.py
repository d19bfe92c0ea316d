"""Tests of the package `mcts`."""
