"""Positions whose moves have exact scores: what experiments that judge players by them share.

- `positions`: two packed sets of them, which the command of this package draws and solves;
- `moves.GradedMoves`: configuration, tasks and tables of players asked for a move in each position;
- `choices` and `rates`: what each move is worth, and what a player's moves are worth together.
"""
