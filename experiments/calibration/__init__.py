"""Whether printed intervals and tests keep their word: simulated experiments, counted, and the command that does so."""
