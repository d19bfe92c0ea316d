"""Positions as machine words: bitboards and cells, playouts and priors."""
