"""What exact expectations print: one row a policy, the least regret first."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bandits import BayesOptimal
from experiments.engine.console import console, say, say_places
from numerics.output import tables

if TYPE_CHECKING:
    import pandas as pd


def say_results(folder: Path, facts: Mapping[str, Any]) -> None:
    """Print the expectations at the horizon, and where tables and figures lie."""
    found = tables.read(folder / "exact.csv")
    console().print(results_table(found))
    optimal = BayesOptimal()
    if not facts["averaged"] and (found["formula"] == optimal.formula).any():
        say(f"{optimal.name} has the least regret on average over uniform means; at these another may have less")
    say_places(folder)


def results_table(frame: pd.DataFrame) -> Any:
    """Return the printed form of exact.csv."""
    from rich.table import Table
    from rich.text import Text

    table = Table(
        title=f"after {frame['horizon'].iloc[0]:,} pulls, computed without simulation: all digits shown are right",
        title_justify="left",
    )
    table.add_column("policy", overflow="fold")
    for name in ("mean regret", "std. dev.", "mean gain", "std. dev.", "best arm most pulled"):
        table.add_column(name, justify="right")
    numbers = ["regret_mean", "regret_sd", "gain_mean", "gain_sd", "best_arm_most_pulled"]
    ordered = frame.sort_values("regret_mean")
    for label, row in zip(ordered["policy"], ordered[numbers].to_numpy(float), strict=True):
        table.add_row(Text(str(label)), *(f"{value:.6f}" for value in row))
    return table
