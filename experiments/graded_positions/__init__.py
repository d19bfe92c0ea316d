"""The graded positions: two packed sets with the exact score of every move, and the command that draws them."""
