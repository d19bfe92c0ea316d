"""Policies on bandits, replication by replication: what experiments that simulate share.

- `simulation.Simulation`: configuration, tasks, tables and figures of policies on one bandit;
- `shards` and `pooling`: how replications are cut into tasks and put together again;
- `finals`: the final regret alone, where nothing else of the replications is wanted.
"""
