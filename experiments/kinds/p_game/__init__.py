"""P-games, random trees of known value: how often searches are wrong at the root."""
