"""Logs of shown arms and their rewards: formats, reading, and summaries."""
