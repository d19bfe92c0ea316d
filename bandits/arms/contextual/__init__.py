"""Arms whose means depend on features seen before each pull, one file per model."""
