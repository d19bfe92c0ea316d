"""A sequential test of two players: the games in stages, the five lines, the figure; and the calculator of counts."""
