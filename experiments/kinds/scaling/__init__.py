"""How regret grows with the number of arms, the gap and the horizon."""
