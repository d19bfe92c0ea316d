"""Live agents: a policy in a running program, which chooses, learns when rewards come, and keeps what it knows."""
