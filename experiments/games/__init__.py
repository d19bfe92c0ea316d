"""What experiments share that play games: games, openings, intervals at any time, sweeps."""
