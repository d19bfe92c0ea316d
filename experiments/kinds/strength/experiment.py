"""Players judged by the exact solver: what their moves are worth on a fixed set of positions."""

from __future__ import annotations

from experiments.graded_positions.moves import GradedMoves
from experiments.kinds.strength import console, figures


class Strength(GradedMoves, name="strength"):
    """Players judged by exact scores on the first positions of a fixed set on 7x6."""

    figures = figures.FIGURES
    console = staticmethod(console.say_strength)
