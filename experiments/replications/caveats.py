"""What a reader must know before relying on the regret of some policies."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from experiments.replications.arms import LOG
from numerics.output import tables
from numerics.statistics.means import FEWEST, SKEWED

if TYPE_CHECKING:
    import pandas as pd

_NAMED = 4  # pairs, or policies


def of_regret(folder: Path, facts: Mapping[str, Any]) -> list[str]:
    """Return the caveats of a run of regret: how many replications, a line that is no bound, means from a log."""
    summary = tables.read(folder / "summary.csv")
    found = of_intervals(summary)
    if summary["lai_robbins_constant"].notna().any():
        found.append("The Lai-Robbins line is a slope for large t; it bounds nothing at the horizon shown.")
    arms = facts.get("arms", {})
    found += [one for one in (arms.get("no_bound"), facts.get("beyond_theory")) if one]
    if (folder / LOG).exists():
        found.append(
            "The means are estimates from a log, so the run says how fast a policy learns if they were true, not which "
            "arm is best."
        )
    return found


def of_intervals(summary: pd.DataFrame) -> list[str]:
    """Return what is to be known of the intervals of the mean regret: too few replications, or too skewed."""
    runs, found = int(summary["runs"].min()), []
    if runs < FEWEST:
        found.append(
            f"Only {runs} replication{'s' * (runs > 1)}: rare large regrets are not among so few, and the intervals "
            "are too narrow for policies that have them."
        )
    skewed = summary[summary["pseudo_regret_skewness"].abs() > SKEWED * np.sqrt(summary["runs"])]
    named = ", ".join(skewed["policy"][:_NAMED]) + f" and {len(skewed) - _NAMED} more" * (len(skewed) > _NAMED)
    if runs >= FEWEST and named:
        found.append(
            f"The mean regret of {named} rests on few of its replications: the interval is wide and may yet be short; "
            "more replications narrow it."
        )
    return found


def of_comparison(folder: Path, facts: Mapping[str, Any]) -> list[str]:
    """Return the caveats of a run of regret, and the pairs of policies that it does not tell apart."""
    found = of_regret(folder, facts)
    if (folder / "differences.csv").exists():
        table = tables.read(folder / "differences.csv")
        alike = table[~(table["p_adjusted"] < 0.05)]
        pairs = [f"{a} and {b}" for a, b in zip(alike["policy_a"], alike["policy_b"], strict=True)]
        if pairs:
            more = f", and {len(pairs) - _NAMED} more pairs" if len(pairs) > _NAMED else ""
            found.append(f"Not told apart at the level of 5 %: {'; '.join(pairs[:_NAMED])}{more}.")
    return found
