"""Detectors of a change in a sequence of rewards: the steps of which policies are made."""
