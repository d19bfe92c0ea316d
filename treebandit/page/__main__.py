"""`python -m treebandit.page`: see `treebandit.page.serve`."""

from experiments.engine.errors import guarded, leave
from treebandit.page.serve import main

if __name__ == "__main__":
    leave(guarded(main))
