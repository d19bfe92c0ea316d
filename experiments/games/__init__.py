"""Shared by the experiments that play games: games, openings, intervals at any time, sweeps."""
