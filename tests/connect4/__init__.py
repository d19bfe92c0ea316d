"""Tests of `connect4`: the board, its kernels, the players that need no bandit rule, and the referee."""
