"""All policies on a fixed set of problems, ranked."""
