"""Recordings: a search or a bandit, step by step, as JSON and as one HTML file that plays it."""
