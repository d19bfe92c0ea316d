"""The figure of a sweep in one run: the score against the values."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from experiments.games import sweep_figures
from experiments.games.finished import ground
from experiments.players.labels import shared_label
from numerics.output.figures import Caption, Facts

if TYPE_CHECKING:
    import matplotlib.figure
    import pandas as pd


def draw(table: pd.DataFrame, figure: matplotlib.figure.Figure, facts: Facts) -> Caption | None:
    """Draw the score against the swept values, which stand in the first column of the table."""
    return sweep_figures.draw(table, figure, _told(table, facts))


def size_of(table: pd.DataFrame, facts: Facts) -> tuple[float, float]:
    """Return the width and height in inches for `draw`."""
    return sweep_figures.size_of(table, _told(table, facts))


def _told(table: pd.DataFrame, facts: Facts) -> Facts:
    names = {one["label"]: one["name"] for one in facts["players"]}
    player, opponent = (shared_label(names[label] for label in table[column]) for column in ("player", "opponent"))
    return {"keys": [table.columns[0]], "title": f"{player} against {opponent} {ground(facts['settings'])}"}


FIGURES = (dataclasses.replace(sweep_figures.FIGURES[0], draw=draw, size=size_of),)
