"""Change detectors for sequences of rewards: building blocks of policies."""
