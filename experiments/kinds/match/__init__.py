"""Two players against each other, and what all experiments share that play games."""
