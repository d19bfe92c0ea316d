"""What tables, figures and readers of a run know of its arms."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bandits import Arms, Policy, theory
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
        "no_bound": arms.no_bound,
        **{name: value if value == value else None for name, value in constants.items()},
    }


def beyond_theory(policies: Mapping[str, Policy], arms: Arms) -> str:
    """Return the sentence about policies, by label, whose theorems do not reach these arms; empty where all do."""
    named = [label for label, policy in policies.items() if policy.unit_theory]
    if arms.unit_rewards or not named:
        return ""
    return f"What is proved of {' and '.join(named)} is for rewards in [0, 1]; these arms pay beyond."


def write_log(arms: Arms, folder: Path) -> None:
    """Write what a click log says of every arm, where the arms come from one."""
    if isinstance(arms, LoggedBernoulli):
        tables.write(arms.log.table(), folder / LOG)
