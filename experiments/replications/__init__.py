"""Policies on bandits, replication by replication: what experiments that simulate share.

- `simulation.Simulation`: configuration, tasks, tables, caveats and figures of policies on one bandit, and of sweeps;
- `shards`: how replications are cut into tasks, and read again;
- `finals`: the final regret alone, where nothing else of the replications is wanted.
"""
