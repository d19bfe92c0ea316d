"""The experiments: from a configuration to a folder with tables and figures. The other packages know nothing of them.

The modules `annotate`, `catalogue`, `play`, `plot`, `replay` and `run` are commands, and so is the folder
`graded_positions`; beside them lies what all kinds of experiment share. Each folder holds the kinds of one subject,
from their games or shards to their figures; `statistics` holds what is computed of results, whatever they are of.
"""
