"""The kernel that plays a rule on the rows of a log."""
