"""Positions as machine words: bitboards and cells, with playouts and priors."""
