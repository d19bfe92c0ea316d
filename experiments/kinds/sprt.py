"""Is one player stronger than another? A sequential test, which ends as soon as the games decide."""

from __future__ import annotations

from typing import ClassVar

from experiments.games.score_sheets import REPLAY
from experiments.sequential.stages import SequentialTest


class Sprt(SequentialTest, name="sprt"):
    """A sequential test (SPRT) of whether player 1 is stronger than player 2."""

    summary: ClassVar[str | None] = "sprt.csv"
    hint = REPLAY
