"""The experiments: from a configuration to a folder with tables and figures. The other packages know nothing of them.

The modules here are the commands, each `python -m experiments.NAME`; `treebandit.commands` lists them. `kinds` has a
file or a folder for each kind of experiment; what they share is in `games`, `replications`, `sequential` and
`graded_positions`. `engine` runs them, `players` knows every player by name, `page` is what `serve` shows, and
`calibration` measures how often printed intervals hold the truth.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from treebandit.strangers import refuse_bare_python, refuse_strangers

refuse_bare_python()
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
    """Do what `%load_ext experiments` asks: results show a recording below their table and figure."""
    importlib.import_module("experiments.page.recordings.notebook").load(shell)
