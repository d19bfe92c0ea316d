"""One parameter of a player, or whole settings, swept in one run."""
