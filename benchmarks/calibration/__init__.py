"""Whether printed intervals and tests have their claimed error rates: simulated experiments, and their command."""
