"""Regret of one policy: many replications, regret and pull counts."""

from __future__ import annotations

from collections.abc import Sequence

from bandits.summaries import SHEET
from experiments.engine.experiment import group
from experiments.engine.families import POLICY, LabelledPolicy
from experiments.replications.arms import LOG_SHEET
from experiments.replications.simulation import Simulation


class Regret(Simulation, name="regret"):
    """One policy, many replications: regret and pull counts."""

    bandit: LabelledPolicy = group(POLICY)

    sheets = (SHEET, LOG_SHEET)

    @property
    def entries(self) -> Sequence[LabelledPolicy]:
        """The policy."""
        return [self.bandit]
