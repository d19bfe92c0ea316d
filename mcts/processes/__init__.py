"""Markov decision processes: one or two players, chance, rewards on the way; their exact values."""
