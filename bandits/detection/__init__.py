"""Detectors of a change in a sequence of rewards: functions of arrays, and the steps of which policies are made."""

from bandits.detection.cusum import detect_by_cusum
from bandits.detection.likelihood import detect_by_likelihood
from bandits.detection.window import detect_by_window

__all__ = ["detect_by_cusum", "detect_by_likelihood", "detect_by_window"]
