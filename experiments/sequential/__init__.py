"""A sequential test of two players: what `sprt` plays, `tune` confirms its pick with, and the calculator reads.

- `stages.SequentialTest`: pairs of games, stage by stage, until the test ends;
- `lines`: the five lines that people who test engines read, for counts of pairs.
"""
