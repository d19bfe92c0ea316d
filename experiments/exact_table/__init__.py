"""The table of exact expectations that comes with the package, and the command that makes it."""
