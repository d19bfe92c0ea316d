"""The experiments: from a configuration to a folder with tables and figures. The other packages know nothing of them.

The modules `annotate`, `catalogue`, `play`, `plot`, `replay` and `run` are commands, and so is the folder
`graded_positions`. Every other folder with a module `experiment` is one experiment: its configuration, tasks and tables
there, `figures` and `console` beside it. `engine` runs them all, `players` knows every player by name, and `statistics`
computes what is said of results, whatever they are of.
"""
