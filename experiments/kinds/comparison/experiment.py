"""Several policies on the same random numbers, with a paired test of every difference."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from bandits.differences import differences_of
from experiments.engine.experiment import list_of
from experiments.engine.families import POLICY, Entry
from experiments.engine.tasks import Task
from experiments.kinds.comparison import anytime, console, figures
from experiments.replications import caveats
from experiments.replications.simulation import Simulation
from numerics.output import tables
from numerics.parameters import parameter

if TYPE_CHECKING:
    import pandas as pd


class Comparison(Simulation, name="comparison"):
    """Several policies on the same random numbers, with a paired test of every difference."""

    bandits: Sequence[Entry] = list_of(POLICY)
    anytime: bool = parameter(False, help="whether to add intervals that may be looked at after every replication")

    figures = staticmethod(figures.draw)
    caveats = staticmethod(caveats.of_comparison)
    console = staticmethod(console.say_results)

    @property
    def entries(self) -> Sequence[Entry]:
        """The policies."""
        return self.bandits

    def prepare(self) -> None:
        if self.anytime:
            anytime.largest_regret(self.arms, self.horizon)
        super().prepare()

    def tasks(self, folder: Path) -> list[Task]:
        """Return all tasks; the policies take turns, so that they are compared from the first replications on."""
        return sorted(super().tasks(folder), key=lambda task: task.arguments[0].first)

    def watch(self) -> Callable[[Task], str] | None:
        if not self.anytime:
            return None
        labels = [entry.label for entry in self.entries]
        return anytime.watcher(labels, anytime.largest_regret(self.arms, self.horizon), self.runs)

    def compare(self, finals: pd.DataFrame, folder: Path) -> None:
        if len(self.entries) > 1:
            differences = differences_of(finals)
            tables.write(differences, folder / "differences.csv")
            if self.anytime:
                anytime.write(finals, differences, anytime.largest_regret(self.arms, self.horizon), folder)
