"""Expected regret of policies, computed to the last digits instead of simulated."""
