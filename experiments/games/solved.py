"""Small games that are solved: the exact score of every move is known, so that players can be judged on them."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from experiments.games.positions import PositionRules
from mcts.games.breakthrough import Breakthrough
from mcts.games.dots_and_boxes import DotsAndBoxes
from mcts.games.hex import Hex
from mcts.games.kernels.breakthrough import MOST_CELLS
from mcts.games.kernels.dots_and_boxes import MOST_EDGES
from mcts.games.kernels.hex import LARGEST
from numerics.parameters import parameter


class SolvedRules(PositionRules):
    """Rules of a game of `mcts.games`; its parameters are the size of the board."""

    @property
    def _what(self) -> str:
        return " ".join((self.name, *(f"{field.name}={getattr(self, field.name)}" for field in fields(self))))

    @property
    def title(self) -> str:
        return f"at {self._what}"


class DotsAndBoxesRules(SolvedRules, name="dots_and_boxes"):
    """Dots and Boxes: who closes a box owns it and moves again; most boxes win. Solved up to 24 edges."""

    rows: int = parameter(3, low=1, high=MOST_EDGES, help="of boxes")
    columns: int = parameter(
        3, low=1, high=MOST_EDGES, help="columns of boxes; there are 2 x rows x columns + rows + columns edges"
    )

    def begin(self) -> Any:
        return DotsAndBoxes(self.rows, self.columns)


class BreakthroughRules(SolvedRules, name="breakthrough"):
    """Breakthrough: who first brings a piece to the last row wins. Solved up to 31 cells."""

    rows: int = parameter(5, low=2, high=MOST_CELLS // 2, help="of cells")
    columns: int = parameter(4, low=2, high=MOST_CELLS // 2, help="of cells")
    ranks: int = parameter(2, low=1, help="rows of pieces of each side, up to half of the rows")

    def begin(self) -> Any:
        return Breakthrough(self.rows, self.columns, self.ranks)


class HexRules(SolvedRules, name="hex"):
    """Hex: the first player connects the top with the bottom, the other left with right. Solved up to 5 x 5."""

    size: int = parameter(4, low=2, high=LARGEST, help="rows and columns")

    def begin(self) -> Any:
        return Hex(self.size)
