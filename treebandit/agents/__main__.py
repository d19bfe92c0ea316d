"""`python -m treebandit.agents`: see `treebandit.agents.agents`."""

from experiments.engine.errors import guarded, leave
from treebandit.agents.agents import main

if __name__ == "__main__":
    leave(guarded(main))
