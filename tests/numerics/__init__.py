"""Tests of `numerics`: streams, draws, compiled functions and their caches."""
