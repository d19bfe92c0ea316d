"""What a simulation gives back: its numbers, and the tidy tables and figures made of them."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from bandits import tables
from bandits.arms.base import Arms
from bandits.figures.pulls import draw_pulls
from bandits.figures.regret import Theory, draw_regret
from bandits.figures.save import save_all
from bandits.policies.base import Policy
from bandits.replications import Floats, Replications
from numerics.output.style import called
from numerics.output.tables import write

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


@dataclass(frozen=True, repr=False, eq=False)
class Result:
    """The outcome of `simulate`.

    Attributes
    ----------
    label : str
        What the policy is called in tables and figures.
    policy, arms, seed
        What was played.
    replications : Replications
        Every number that was kept.
    """

    label: str
    policy: Policy
    arms: Arms
    seed: int
    replications: Replications

    def __repr__(self) -> str:
        """Return one line: what was played, and the mean of the final pseudo-regret."""
        return (
            f"Result({self.label!r}, arms={self.arms.count}, horizon={self.horizon}, runs={self.replications.runs}, "
            f"seed={self.seed}: pseudo-regret {self.pseudo_regret.mean():.2f})"
        )

    @property
    def horizon(self) -> int:
        """T, the pulls of a replication."""
        return int(self.replications.checkpoints[-1])

    @property
    def pulls(self) -> npt.NDArray[np.int64]:
        """N_T(a), int64 of shape (runs, arms)."""
        return self.replications.pulls

    @property
    def pseudo_regret(self) -> Floats:
        """sum_a gap_a N_T(a), float64 of shape (runs,)."""
        return self.replications.pseudo_regret[:, -1]

    @property
    def realised_regret(self) -> Floats:
        """L_T = sum_t (r*_t - r_t), float64 of shape (runs,)."""
        return self.replications.realised_regret[:, -1]

    @property
    def curves(self) -> pd.DataFrame:
        """Mean, standard error and quantiles at every checkpoint; columns as in `bandits.tables.CURVES`."""
        return tables.curves(self.label, self.replications)

    @property
    def summary(self) -> pd.DataFrame:
        """One row: final regret, sum of rewards and share of optimal pulls; columns as in `bandits.tables.SUMMARY`."""
        return tables.summary(self.label, self.policy, self.arms, self.replications)

    def plot(self, *, log: bool = False) -> Figure:
        """Draw regret against t, and the pulls of every arm, in one figure of pyplot's.

        Parameters
        ----------
        log : bool, default False
            A logarithmic time axis, on which logarithmic regret is a straight line.
        """
        import matplotlib.pyplot as plt

        figure = plt.figure(figsize=(11.0, 4.6), layout="constrained")
        left, right = figure.subplots(1, 2, width_ratios=[3, 2])
        lines = Theory.of(self.arms)
        title = f"{called(self.label)} on {called(self.arms.title, 80)}"
        draw_regret(left, self.curves, theory=lines, log=log, runs=self.replications.runs, title=title)
        pulls = tables.pulls(self.label, self.replications)
        draw_pulls(right, pulls, self.arms.names, estimated=self.arms.estimated)
        return figure

    def save(self, folder: str | Path) -> Path:
        """Write curves.parquet, pulls.parquet, summary.csv and figures/ into a folder, made if it is absent.

        Returns
        -------
        Path
            The folder.

        Raises
        ------
        ValueError
            Something else than a path.
        """
        if not isinstance(folder, str | os.PathLike) or "\0" in str(folder):
            raise ValueError(f"folder must be the path of a folder; got {folder!r}")
        place = Path(folder).expanduser()
        place.mkdir(parents=True, exist_ok=True)
        pulls = tables.pulls(self.label, self.replications)
        write(self.curves, place / "curves.parquet")
        write(pulls, place / "pulls.parquet")
        write(self.summary, place / "summary.csv")
        save_all(
            place / "figures", self.curves, pulls, Theory.of(self.arms), self.arms.names, estimated=self.arms.estimated,
            arms=self.arms.title,
        )  # fmt: skip
        return place
