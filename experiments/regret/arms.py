"""What tables, figures and readers of a run know of its arms."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bandits import Arms, theory
from bandits.arms.click_log import LoggedBernoulli
from numerics.output import tables

LOG = "log.csv"


def describe_arms(arms: Arms) -> dict[str, Any]:
    """Return what figures and readers need to know of the arms, as plain values; numbers that do not exist are None."""
    constants = {"lai_robbins": theory.lai_robbins_constant(arms), "uniform": arms.uniform_regret()}
    return {
        "description": arms.describe(),
        "title": arms.title,
        "law": arms.law_class,
        "names": list(arms.names),
        "estimated": arms.estimated,
        **{name: value if value == value else None for name, value in constants.items()},
    }


def write_log(arms: Arms, folder: Path) -> None:
    """Write what a click log says of every arm, where the arms come from one."""
    if isinstance(arms, LoggedBernoulli):
        tables.write(arms.log.table(), folder / LOG)
