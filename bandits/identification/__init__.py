"""Which arm is the best, and how sure is that: pure exploration.

`characteristic_time` is the bound on what it costs; `plans` has methods for a program that draws the rewards itself.
"""
