"""Detectors of a change in a sequence of rewards: functions of arrays, and the steps of which policies are made."""
