"""Figures of regret and pull counts."""
