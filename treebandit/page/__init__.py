"""The page's server: a Starlette application that plays, searches and records for browsers of this machine.

`serve` is the command, and `server` runs the application. `app` has the addresses, and `safety` decides who may ask.
`requests` and `given` read and check requests, `work` runs them in threads that can be stopped, and `answers` writes
the answers. `positions` answers for positions, where `moves` makes a player move. `runs` answers for games of finished
runs. `catalogue` lists players and rules.
"""
