"""The experiments: from a configuration to a folder with tables and figures. The other packages know nothing of them.

The modules and folders that are commands are listed in `treebandit.commands`; `completion` knows the words of `run`,
and `page` and `server` are what `serve` shows. Every other folder with a module `experiment` is one experiment: its
configuration, tasks and tables there, `figures` and `sheets` beside it. `engine` runs them all, `players` knows every
player by name, `recordings` shows a search or a bandit step by step, and `statistics` computes what is said of results,
whatever they are of.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from treebandit.strangers import refuse_strangers

refuse_strangers("numerics", "bandits", "connect4", "mcts", "configs")

if TYPE_CHECKING:
    from experiments.page.recordings.notebook import record_bandit, record_search
    from experiments.report import sheets

_HOMES = {
    "record_bandit": "experiments.page.recordings.notebook",
    "record_search": "experiments.page.recordings.notebook",
    "sheets": "experiments.report",
}
__all__ = ["record_bandit", "record_search", "sheets"]


def __getattr__(name: str) -> Any:
    """Give what the package offers in Python; a command imports only what it needs."""
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def load_ipython_extension(shell: Any) -> None:
    """Do what `%load_ext experiments` asks: results of searches and bandits show themselves step by step."""
    importlib.import_module("experiments.page.recordings.notebook").load(shell)
