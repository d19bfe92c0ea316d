"""Several policies on the same random numbers, with a paired test of every difference."""
