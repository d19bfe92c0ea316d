"""`python -m treebandit.agents`: see `treebandit.agents.command`."""

from experiments.engine.errors import guarded, leave
from treebandit.agents.command import main

if __name__ == "__main__":
    leave(guarded(main))
