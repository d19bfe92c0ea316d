"""Bandit policies on arms: regret of one or several, sweeps of them, and one replication step by step."""
