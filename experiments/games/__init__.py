"""Games of players in pairs: what experiments that play games share.

- `matches.Matches`: configuration, tasks and tables of an experiment in which players meet in pairs;
- `rules`: what is played, Connect 4 or a game of a class; `positions` and `referee` are of the latter;
- `playing`, `openings` and `results`: which games are played, with which openings, colours and seeds, and what they
  count; `sheets` and `figures` show it;
- `sweep`: several settings compared with the best of them, the table and the figure.
"""
