"""Played games judged by exact scores: what each move gave away, and which one decided a game."""
