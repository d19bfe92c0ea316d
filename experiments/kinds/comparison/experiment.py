"""Several policies on the same random numbers, with a paired test of every difference."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from bandits import tables as simulation_tables
from bandits.differences import differences_of
from experiments.engine.experiment import list_of
from experiments.engine.families import POLICY, LabelledPolicy
from experiments.engine.tasks import Task
from experiments.kinds.comparison import anytime, figures
from experiments.kinds.comparison.anytime import ANYTIME
from experiments.replications import simulation
from experiments.replications.arms import LOG_SHEET
from experiments.replications.simulation import Simulation
from numerics.output import tables
from numerics.output.sheets import Sheet, ends, number, p_value, word
from numerics.parameters import parameter

if TYPE_CHECKING:
    import pandas as pd


DIFFERENCES = Sheet(
    "differences.csv",
    "final pseudo-regret, a minus b, over the same random numbers; equal ones count half as lower; intervals and p "
    "adjusted for all pairs (Bonferroni)",
    (
        word("a", "policy_a"),
        word("b", "policy_b"),
        number("difference", "difference_mean", "+,.2f"),
        ends("95 % interval", "ci", "+,.2f"),
        number("a lower in", "share_a_lower", ".0f", 100, " % of runs", optional=1),
        p_value("p", "p_adjusted"),
    ),
)


class Comparison(Simulation, name="comparison"):
    """Several policies on the same random numbers, with a paired test of every difference."""

    bandits: Sequence[LabelledPolicy] = list_of(POLICY)
    anytime: bool = parameter(False, help="whether to add intervals that may be looked at after every replication")

    figures = figures.FIGURES
    caveats = staticmethod(simulation.of_comparison)
    sheets = (simulation_tables.SHEET, DIFFERENCES, ANYTIME, LOG_SHEET)

    @property
    def entries(self) -> Sequence[LabelledPolicy]:
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
