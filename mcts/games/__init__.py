"""Games whose values are known, for studying the search: P-games, Dots and Boxes, Breakthrough and Hex."""
