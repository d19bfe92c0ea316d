"""The graded positions: two packaged sets with the exact score of every move, and the command that draws them."""
