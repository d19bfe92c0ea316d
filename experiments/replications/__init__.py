"""Policies on bandits, replication by replication: what experiments that simulate share.

- `simulation.Simulation`: configuration, tasks, tables, caveats and figures of policies on one bandit, and of sweeps;
- `shards`: the tasks of the replications, and how to read their files;
- `finals`: only the final regret of the replications.
"""
