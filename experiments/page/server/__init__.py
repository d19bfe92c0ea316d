"""The page's server: a Starlette application that plays, searches and records for browsers of this machine.

`app` has the addresses and `safety` says who may ask. `requests` and `given` read what is asked, `work` runs it in
threads that can be stopped, and `answers` is how it is told. `positions` answers for positions, where `moves` makes a
player move; `runs` for games of finished runs; `catalogue` lists players and rules.
"""
