"""Two laws of the search tree, measured where every move has an exact value: traps, and the exploration bonus."""
