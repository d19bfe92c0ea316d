"""What experiments share that simulate bandits: replications in shards, their pooling, final regret."""
