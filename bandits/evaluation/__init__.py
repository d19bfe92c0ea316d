"""What another policy would have earned on a log: estimates with intervals, replays, and when not to answer.

`targets` has the policies to evaluate, `estimators` and `replay` the two ways, `evaluate` answers or refuses.
"""
