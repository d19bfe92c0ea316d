"""Off-policy evaluation from logs: estimates with intervals, replays, and limits.

`targets` has the policies to evaluate, `estimators` and `replay` the two ways, `evaluate` answers or refuses.
"""
