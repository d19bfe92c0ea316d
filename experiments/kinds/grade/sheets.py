"""How people read a grade: the scores at all rates, and the grade in a sentence."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from experiments.games.sheets import RESULTS
from experiments.kinds.grade.rates import Grade, fit_rates, grade_of
from experiments.players.labels import short_labels
from numerics.output import tables
from numerics.output.sheets import Facts, Sheet, number, share

if TYPE_CHECKING:
    import pandas as pd


def _read(folder: Path, facts: Facts) -> pd.DataFrame:
    table = tables.read(folder / "rates.csv")
    return table.assign(fitted=fit_rates(table).score(np.sqrt(table["rate"])))


RATES = Sheet(
    "rates.csv",
    "graded against the player, by its rate of worse moves",
    (number("rate", form="g"), number("round"), *RESULTS, share("fitted")),
    read=_read,
)


def notes(folder: Path, facts: Facts) -> list[str]:
    """Say what the grade is."""
    table, player = tables.read(folder / "rates.csv"), facts["players"][0]["label"]
    return [grade_text(short_labels([player])[player], grade_of(table), table)]


def grade_text(player: str, grade: Grade, table: pd.DataFrame) -> str:
    """Say what a grade is, or why there is none."""
    if np.isnan(grade.rate):
        worst = table.iloc[-1]
        return (
            f"{player} has no grade: graded scores {100 * worst['score']:.1f} % against it at a rate of "
            f"{worst['rate']:g}, and no rate up to 1 is found at which it scores one half"
        )
    interval = f"95 % interval {grade.low:.4f} to {grade.high:.4f}"
    every = f", one move in {1.0 / grade.rate:.3g}" if grade.rate > 0.0 else ""
    return f"{player} beats graded half the time at a rate of {grade.rate:.4f} ({interval}){every}"
