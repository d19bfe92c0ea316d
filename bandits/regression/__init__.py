"""Regression of rewards on features, step by step: what policies that see features are made of."""
