"""Positions whose moves have exact scores: what experiments that judge players by them share.

- `positions`: two packed sets of Connect 4, which the command of this package draws and solves;
- `drawing.drawn_positions`: positions of any game with exact scores, and the tasks that draw them;
- `moves.GradedMoves`: configuration, tasks and tables of players asked for a move in each position;
- `choices` and `rates`: the worth of each move, and of a player's moves together.
"""
