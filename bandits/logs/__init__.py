"""Logs of what was shown and what it paid: their forms, reading them, and what they look like."""
