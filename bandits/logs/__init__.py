"""Logs of what was shown and what it paid: reading them, what another policy would have earned, and when not to say so.

`files` has the forms of a log and reads them, `targets` the policies to evaluate, `evaluate` answers or refuses.
"""
