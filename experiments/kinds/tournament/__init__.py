"""Every pair of several players: cross table and Elo ratings."""
