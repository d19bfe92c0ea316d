"""The processes that have a name: this package's, and your own by their paths."""

from __future__ import annotations

from mcts.processes.process import Process
from numerics.families import Declared, Family


class NamedProcess(Declared):
    """A process by its name; the fields of a subclass are its parameters on the command line."""

    @property
    def process(self) -> Process:
        """The process at its beginning."""
        raise self._unfinished("process")

    def source_files(self) -> list[str]:
        """Return the user's files on which the process depends."""
        return []


PROCESSES: Family[NamedProcess] = Family("process", NamedProcess, "sailing size=10", dotted=("custom", "path"))
NamedProcess.members.modules.update(
    {
        "sailing": "mcts.processes.sailing",
        "pig": "mcts.processes.pig",
        "piglet": "mcts.processes.pig",
        "custom": "mcts.processes.custom",
    }
)
