"""Agents in a running program."""
