"""Statistics: intervals, tests and ratings; arrays in, numbers out. It imports nothing of ours."""
