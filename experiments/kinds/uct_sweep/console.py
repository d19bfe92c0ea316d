"""What a sweep in one run prints: its settings, compared with the best."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from experiments.engine import console as report
from experiments.games import anytime
from experiments.games.console import say_replay
from experiments.games.sweep import say_sweep
from numerics.output import tables


def say_results(folder: Path, facts: Mapping[str, Any]) -> None:
    """Print the settings of a run folder, and where its tables, figures and games lie."""
    table, games = tables.read(folder / "sweep.csv"), tables.read(folder / "games.parquet")
    say_sweep(table, [table.columns[0]], games, paired=True)
    anytime.say(folder)
    report.say_places(folder)
    say_replay(folder)
