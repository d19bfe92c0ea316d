"""Best-arm identification: pure exploration with stopping rules.

`characteristic_time` is the bound on what it costs; `plans` has methods for a program that draws the rewards itself.
"""
