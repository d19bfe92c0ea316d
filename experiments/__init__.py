"""The experiments: from a configuration to a folder with tables and figures. The other packages know nothing of them.

The modules here are the commands, each `python -m experiments.NAME`; `treebandit.commands` lists them. `kinds` has a
file or a folder for each kind of experiment; what they share is in `games`, `replications`, `sequential` and
`graded_positions`. `engine` runs them, and `players` knows every player by name. `recordings` shows what
was played step by step, and `terminal` plays where there is no browser.
"""

from __future__ import annotations

import importlib
from typing import Any

from numerics.starting import refuse_bare_python

refuse_bare_python()

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


def load_ipython_extension(shell: Any) -> None:
    """Do what `%load_ext experiments` asks: results show a recording below their table and figure."""
    importlib.import_module("experiments.recordings.notebook").load(shell)
