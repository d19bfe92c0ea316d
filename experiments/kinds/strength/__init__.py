"""Players judged by exact scores on fixed sets of positions."""
