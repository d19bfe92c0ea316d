"""Players judged by the exact solver: what their moves are worth on a fixed set of positions."""

from __future__ import annotations

from experiments.graded_positions.moves import GradedMoves
from experiments.graded_positions.sheets import failures
from experiments.kinds.strength import figures
from experiments.kinds.strength.sheets import BY_SOURCE, DIFFERENCES, SUMMARY, notes


class Strength(GradedMoves, name="strength"):
    """Players judged by exact scores on the first positions of a fixed set on 7x6."""

    figures = figures.FIGURES
    sheets = (SUMMARY, DIFFERENCES, BY_SOURCE)
    caveats = staticmethod(failures)
    notes = staticmethod(notes)
