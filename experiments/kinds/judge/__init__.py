"""The judge of an engine: what its moves are worth by exact scores, beside engines that are known."""
