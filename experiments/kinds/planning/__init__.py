"""Searches of processes, judged by exact values: the loss of the chosen action."""
