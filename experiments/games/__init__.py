"""Games of players in pairs: what experiments that play games share.

- `matches.Matches`: configuration, tasks and tables of an experiment in which players meet in pairs;
- `rules`: the game, Connect 4 or one of a class (`positions`, `referee`);
- `playing`, `openings` and `results`: the games with their openings, colours and seeds, and their results;
- `score_sheets` and `match_figures`: tables and figures of results;
- `match_sweep`: table and figures of several settings, each compared with the best.
"""
