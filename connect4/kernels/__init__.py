"""Positions as machine words: bitboards of one word or two, with playouts and priors."""
