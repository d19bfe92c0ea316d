"""The page's server: a Starlette application that plays, searches and records for browsers of this machine.

`app` has the addresses, `safety` says who may ask, `given` reads what is asked, `work` runs it in threads that can be
stopped, `moves` makes players move, `catalogue` lists them, and `runs` reads finished games.
"""
