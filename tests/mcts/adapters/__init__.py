"""Tests of `mcts.adapters`, each beside the library that it is for."""
