"""The figure of a sweep in one run: the score against the values."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from experiments.games import sweep_figures
from experiments.games.finished import ground
from experiments.players.labels import shared_label
from numerics.output import tables


def draw(folder: Path, facts: Mapping[str, Any]) -> list[Path]:
    """Draw the score against the swept values, which stand in the first column of the table of a run folder."""
    table = tables.read(folder / "sweep.csv")
    names = {player["label"]: player["name"] for player in facts["players"]}
    player, opponent = (shared_label(names[label] for label in table[column]) for column in ("player", "opponent"))
    title = f"{player} against {opponent} {ground(folder)}"
    return sweep_figures.draw(folder, table, [table.columns[0]], title)
