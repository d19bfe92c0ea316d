"""One replication, step by step: what was pulled, what it paid, and every arm's estimate and index before it."""
