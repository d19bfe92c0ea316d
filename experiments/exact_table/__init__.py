"""The packaged table of exact expectations, and the command that computes it."""
