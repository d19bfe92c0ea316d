"""Several policies on the same random numbers, with a paired test of every difference."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from bandits.differences import differences_of
from experiments.comparison import console, figures
from experiments.engine.experiment import list_of
from experiments.engine.families import POLICY, Entry
from experiments.regret import caveats
from experiments.regret.experiment import Simulation
from numerics.output import tables

if TYPE_CHECKING:
    import pandas as pd


class Comparison(Simulation, name="comparison"):
    """Several policies on the same random numbers, with a paired test of every difference."""

    bandits: Sequence[Entry] = list_of(POLICY)

    figures = staticmethod(figures.draw)
    caveats = staticmethod(caveats.of_comparison)
    console = staticmethod(console.say_results)

    @property
    def entries(self) -> Sequence[Entry]:
        """The policies."""
        return self.bandits

    def compare(self, finals: pd.DataFrame, folder: Path) -> None:
        if len(self.entries) > 1:
            tables.write(differences_of(finals), folder / "differences.csv")
