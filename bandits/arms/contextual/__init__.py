"""Arms whose means depend on features that are seen before each pull, a file for each way."""
