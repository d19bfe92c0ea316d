"""What is measured on Connect 4, measured again on other games whose moves have exact values.

- `positions`: the games, and positions of each with the exact value of every move;
- `players`: who is asked for moves, and the constants that are tuned;
- `kept`: which moves keep the value, in one file for each player and game;
- `regret`: the root of a search as a bandit;
- `claims`: the paired comparisons, corrected together;
- `page` and `figure`: the tables of the page and its figure.
"""
