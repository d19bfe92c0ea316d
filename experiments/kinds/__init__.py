"""The kinds of experiments, one file or folder each; none imports another."""
