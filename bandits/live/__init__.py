"""Live agents: policies in a running program that choose, learn from rewards, and can be saved."""
