"""Played games judged by exact scores: the loss of each move, and the move that decided a game."""
