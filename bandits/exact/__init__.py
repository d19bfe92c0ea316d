"""Expected regret computed, not simulated: dynamic programming over pulls and successes of Bernoulli arms."""
