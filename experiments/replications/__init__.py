"""Shared by the experiments that simulate bandits: replications in shards, their pooling, final regret."""
